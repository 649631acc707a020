import support.Threads;

/** Fields of every type, instance and static, one and two stack slots wide. */
public class PrimitiveFields {
    boolean aBoolean;
    byte aByte;
    char aChar;
    short aShort;
    int anInt;
    long aLong;
    float aFloat;
    double aDouble;
    String aString;
    static long aStaticLong;
    static double aStaticDouble;
    static Object aStaticObject;
    long guardedLong;
    double guardedDouble;
    static byte guardedByte;

    void setAllBad() {
        aBoolean = !aBoolean; //~ data-race
        aByte++; //~ data-race
        aChar++; //~ data-race
        aShort++; //~ data-race
        anInt++; //~ data-race
        aLong++; //~ data-race
        aFloat++; //~ data-race
        aDouble++; //~ data-race
        aString = "set"; //~ data-race
        aStaticLong++; //~ data-race
        aStaticDouble++; //~ data-race
        aStaticObject = this; //~ data-race
    }

    void setAllOk() {
        synchronized (PrimitiveFields.class) {
            guardedLong++;
            guardedDouble++;
            guardedByte++;
        }
    }

    public static void main(String[] args) throws InterruptedException {
        PrimitiveFields shared = new PrimitiveFields();
        Threads.inTurn(shared::setAllBad, shared::setAllBad);
        Threads.inTurn(shared::setAllOk, shared::setAllOk);
        System.out.println("PrimitiveFields " + shared.aLong + " " + shared.aDouble + " " + aStaticLong + " "
                + shared.guardedLong + " " + shared.guardedDouble + " " + guardedByte);
    }
}
