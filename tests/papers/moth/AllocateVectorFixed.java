/** {@link AllocateVector} with one step that searches and marks. */
public class AllocateVectorFixed {
    static class AllocationVector {
        private final char[] vector;

        AllocationVector(int size) {
            vector = new char[size];
            for (int i = 0; i < size; i++) {
                vector[i] = 'F';
            }
        }

        synchronized int getFreeBlockIndex() {
            for (int i = 0; i < vector.length; i++) {
                if (vector[i] == 'F') {
                    return i;
                }
            }
            return -1;
        }

        synchronized void markAsAllocatedBlock(int index) {
            vector[index] = 'A';
        }

        synchronized int allocate() {
            int index = getFreeBlockIndex();
            if (index != -1) {
                markAsAllocatedBlock(index);
            }
            return index;
        }

        synchronized void markAsFreeBlock(int index) {
            vector[index] = 'F';
        }

        synchronized int left() {
            int free = 0;
            for (char block : vector) {
                if (block == 'F') {
                    free++;
                }
            }
            return free;
        }
    }

    static class Allocator extends Thread {
        private final AllocationVector vector;
        private final int[] result;

        Allocator(AllocationVector vector, int size) {
            this.vector = vector;
            result = new int[size];
        }

        @Override
        public void run() {
            allocate();
            release();
        }

        private void allocate() {
            for (int i = 0; i < result.length; i++) {
                result[i] = vector.allocate();
            }
        }

        private void release() {
            for (int i = 0; i < result.length; i++) {
                if (result[i] != -1) {
                    vector.markAsFreeBlock(result[i]);
                }
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        AllocationVector vector = new AllocationVector(20);
        Allocator[] allocators = new Allocator[3];
        for (int i = 0; i < allocators.length; i++) {
            allocators[i] = new Allocator(vector, 5);
            allocators[i].start();
        }
        for (Allocator allocator : allocators) {
            allocator.join();
        }
        System.out.println(vector.left() >= 0);
    }
}
