package raddle.rt;

import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.util.Arrays;

/** Hides from reflection what the weaver has added. No lambdas: reflection may not be ready for them. */
final class Filter {
    private static final String PREFIX = "$raddle$";

    private Filter() {}

    static Field[] fields(Field[] fields) {
        int kept = keep(fields);
        return kept == fields.length ? fields : Arrays.copyOf(fields, kept);
    }

    static Method[] methods(Method[] methods) {
        int kept = keep(methods);
        return kept == methods.length ? methods : Arrays.copyOf(methods, kept);
    }

    /** Moves what may be seen to the front; the array is a fresh copy. How many there are. */
    private static int keep(Member[] members) {
        int kept = 0;
        for (Member member : members) {
            if (!member.getName().startsWith(PREFIX)) members[kept++] = member;
        }
        return kept;
    }
}
