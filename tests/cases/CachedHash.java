import support.Threads;

/** A value that is computed once and kept, as String.hashCode() does: harmless perhaps, but a race. */
public class CachedHash {
    int hash;
    int guardedHash;

    int hash() {
        int h = hash; //~ data-race
        if (h == 0) {
            h = 31;
            hash = h; //~ data-race
        }
        return h;
    }

    synchronized int guardedHash() {
        if (guardedHash == 0) {
            guardedHash = 31;
        }
        return guardedHash;
    }

    static void cachedWithoutLockBad(CachedHash shared) throws InterruptedException {
        Threads.inTurn(shared::hash, shared::hash);
    }

    static void cachedUnderLockOk(CachedHash shared) throws InterruptedException {
        Threads.inTurn(shared::guardedHash, shared::guardedHash);
    }

    public static void main(String[] args) throws InterruptedException {
        CachedHash shared = new CachedHash();
        cachedWithoutLockBad(shared);
        cachedUnderLockOk(shared);
        System.out.println("CachedHash " + shared.hash() + " " + shared.guardedHash());
    }
}
