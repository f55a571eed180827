package bonsai.jvm;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;

/** The target's side of the protocol in `bonsai/targets/wire.py`: requests come in; results go out. */
final class Channel {
    private static final int UNANNOUNCED = 8192;

    private final DataInputStream requests;
    private final FileOutputStream results;
    private final FileOutputStream bell;
    private int unannounced;

    /** The descriptors of the four pipes. */
    Channel(String requests, String results, String bell, String life) throws IOException {
        this.requests = new DataInputStream(new BufferedInputStream(new FileInputStream("/dev/fd/" + requests), 1 << 16));
        this.results = new FileOutputStream("/dev/fd/" + results);
        this.bell = new FileOutputStream("/dev/fd/" + bell);
        endWith(new FileInputStream("/dev/fd/" + life));
    }

    /** The first frame; its content was in the command line. */
    void skipGreeting() throws IOException {
        requests.readNBytes(length());
    }

    /** A number of 32 bits. */
    int length() throws IOException {
        return Integer.reverseBytes(requests.readInt());
    }

    int readByte() throws IOException {
        return requests.readUnsignedByte();
    }

    /** The next text. */
    String text(int length) throws IOException {
        byte[] bytes = requests.readNBytes(length);
        if (bytes.length < length) {
            throw new EOFException();
        }
        return Texts.decoded(bytes);
    }

    /** Send the beginning of a buffer; it can be read even if the process dies right after. */
    void write(byte[] data, int length) throws IOException {
        for (int at = 0; at < length; ) {
            int size = Math.min(UNANNOUNCED, length - at);
            results.write(data, at, size);
            at += size;
            unannounced += size;
            if (unannounced >= UNANNOUNCED) {
                ring();
            }
        }
    }

    /** Wake the reader. */
    void ring() throws IOException {
        bell.write('\n');
        unannounced = 0;
    }

    private static void endWith(FileInputStream life) {
        Thread thread = new Thread(() -> {
            try {
                life.read();
            } catch (IOException error) {
                // as good as closed
            }
            Runtime.getRuntime().halt(0);
        }, "bonsai-life");
        thread.setDaemon(true);
        thread.start();
    }
}
