package raddle.rt;

import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.ForceInline;

/**
 * Room on the stack: overflows it now if a probe call from the same place could do so later, when a monitor is held and
 * what is not recorded is lost.
 *
 * <p>Compilers check at the entry of a method that the stack has room for all the interpreter's frames that it stands
 * for. Nested calls of methods with many locals are a lot of those, and once they are inlined cost nothing but the one
 * call that is left. In the interpreter they really are nested.
 */
final class Room {
    private Room() {}

    @ForceInline
    static void make() {
        first();
    }

    @ForceInline
    private static void first() {
        long a1, b1, c1, d1, e1, f1, g1, h1, a2, b2, c2, d2, e2, f2, g2, h2;
        long a3, b3, c3, d3, e3, f3, g3, h3, a4, b4, c4, d4, e4, f4, g4, h4;
        second();
    }

    @ForceInline
    private static void second() {
        long a1, b1, c1, d1, e1, f1, g1, h1, a2, b2, c2, d2, e2, f2, g2, h2;
        long a3, b3, c3, d3, e3, f3, g3, h3, a4, b4, c4, d4, e4, f4, g4, h4;
        third();
    }

    @ForceInline
    private static void third() {
        long a1, b1, c1, d1, e1, f1, g1, h1, a2, b2, c2, d2, e2, f2, g2, h2;
        long a3, b3, c3, d3, e3, f3, g3, h3, a4, b4, c4, d4, e4, f4, g4, h4;
        fourth();
    }

    @ForceInline
    private static void fourth() {
        long a1, b1, c1, d1, e1, f1, g1, h1, a2, b2, c2, d2, e2, f2, g2, h2;
        long a3, b3, c3, d3, e3, f3, g3, h3, a4, b4, c4, d4, e4, f4, g4, h4;
        fifth();
    }

    @ForceInline
    private static void fifth() {
        long a1, b1, c1, d1, e1, f1, g1, h1, a2, b2, c2, d2, e2, f2, g2, h2;
        long a3, b3, c3, d3, e3, f3, g3, h3, a4, b4, c4, d4, e4, f4, g4, h4;
        sixth();
    }

    @ForceInline
    private static void sixth() {
        long a1, b1, c1, d1, e1, f1, g1, h1, a2, b2, c2, d2, e2, f2, g2, h2;
        long a3, b3, c3, d3, e3, f3, g3, h3, a4, b4, c4, d4, e4, f4, g4, h4;
        seventh();
    }

    @ForceInline
    private static void seventh() {
        long a1, b1, c1, d1, e1, f1, g1, h1, a2, b2, c2, d2, e2, f2, g2, h2;
        long a3, b3, c3, d3, e3, f3, g3, h3, a4, b4, c4, d4, e4, f4, g4, h4;
        eighth();
    }

    @ForceInline
    private static void eighth() {
        long a1, b1, c1, d1, e1, f1, g1, h1, a2, b2, c2, d2, e2, f2, g2, h2;
        long a3, b3, c3, d3, e3, f3, g3, h3, a4, b4, c4, d4, e4, f4, g4, h4;
        end();
    }

    /** What is called here has all of them below it. */
    @DontInline
    private static void end() {}
}
