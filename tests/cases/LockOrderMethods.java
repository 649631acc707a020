import support.Threads;

/** Synchronized methods of two objects that call each other. */
public class LockOrderMethods {
    static class Friend {
        int bows;
        Friend other;

        synchronized void bow() {
            bows++;
            other.bowBack();
        }

        synchronized void bowBack() { bows++; } //~ lock-order
    }

    static class PoliteFriend {
        int bows;
        PoliteFriend other;

        void bow() {
            bowBack();
            other.bowBack();
        }

        synchronized void bowBack() { bows++; }
    }

    static int callWhileLockedBad() throws InterruptedException {
        Friend one = new Friend();
        Friend two = new Friend();
        one.other = two;
        two.other = one;
        Threads.inTurn(one::bow, two::bow);
        return one.bows + two.bows;
    }

    static int callWhileUnlockedOk() throws InterruptedException {
        PoliteFriend one = new PoliteFriend();
        PoliteFriend two = new PoliteFriend();
        one.other = two;
        two.other = one;
        Threads.inTurn(one::bow, two::bow);
        return one.bows + two.bows;
    }

    public static void main(String[] args) throws InterruptedException {
        System.out.println("LockOrderMethods " + callWhileLockedBad() + " " + callWhileUnlockedOk());
    }
}
