import java.security.CodeSigner;

/** Says who signed it. */
public class Signed {
    static int shared;

    public static void main(String[] args) throws Exception {
        Thread other = new Thread(() -> shared++);
        other.start();
        other.join();
        CodeSigner[] signers = Signed.class.getProtectionDomain().getCodeSource().getCodeSigners();
        System.out.println(signers == null ? "nobody" : signers.length + " signer");
        System.out.println(new Whole());
    }
}
