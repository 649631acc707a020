/** Is damaged in several ways by the test; this is how it should be. */
public class Whole {
    int value = 1;

    @Override
    public synchronized String toString() {
        return "whole " + value++;
    }
}
