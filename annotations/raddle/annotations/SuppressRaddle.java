package raddle.annotations;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Findings of Raddle about this class, method or field were looked at and stay. They are told as suppressed, with the
 * reason. Nothing of this is there at run time. Raddle goes by the simple name: a project can declare its own.
 */
@Documented
@Retention(RetentionPolicy.CLASS)
@Target({ElementType.TYPE, ElementType.METHOD, ElementType.CONSTRUCTOR, ElementType.FIELD})
public @interface SuppressRaddle {
    /** Only these rules, such as {@code "data-race"}; none means all. */
    String[] value() default {};

    /** Why. */
    String reason();
}
