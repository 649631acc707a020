package raddle.annotations;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Data races on this field, or in this method or class, are meant to be. They are told as suppressed, with the reason.
 * Nothing of this is there at run time. Raddle goes by the simple name: a project can declare its own.
 */
@Documented
@Retention(RetentionPolicy.CLASS)
@Target({ElementType.TYPE, ElementType.METHOD, ElementType.CONSTRUCTOR, ElementType.FIELD})
public @interface RacyOnPurpose {
    /** Why. */
    String reason();
}
