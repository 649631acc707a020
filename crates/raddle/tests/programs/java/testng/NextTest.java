package acme;

import org.testng.Assert;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

public class NextTest {
    static int counter, given;

    private static void race(Runnable count) throws InterruptedException {
        Thread other = new Thread(count);
        other.start();
        count.run();
        other.join();
    }

    @Test
    public void twoThreads() throws InterruptedException {
        race(() -> counter++);
        Assert.assertTrue(counter > 0);
    }

    @DataProvider
    public Object[][] numbers() {
        return new Object[][] {{1}, {2}};
    }

    @Test(dataProvider = "numbers")
    public void withArguments(int number) throws InterruptedException {
        race(() -> given += number);
        Assert.assertTrue(given > 0);
    }
}
