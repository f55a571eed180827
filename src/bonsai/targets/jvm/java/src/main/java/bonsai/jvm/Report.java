package bonsai.jvm;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Where JaCoCo watches this process: its figures go to a file of the process after every batch, as a process that
 * is replaced says nothing at its end. The folder is in the property `bonsai.jacoco`.
 */
final class Report {
    private final Path file;

    private Report(Path file) {
        this.file = file;
    }

    static Report find() {
        String folder = System.getProperty("bonsai.jacoco");
        return new Report(folder == null ? null : Path.of(folder, ProcessHandle.current().pid() + ".exec"));
    }

    void write() throws IOException {
        if (file == null) {
            return;
        }
        try {
            Object agent = Class.forName("org.jacoco.agent.rt.RT").getMethod("getAgent").invoke(null);
            Method data = Class.forName("org.jacoco.agent.rt.IAgent").getMethod("getExecutionData", boolean.class);
            Files.write(file, (byte[]) data.invoke(agent, false));
        } catch (ReflectiveOperationException error) {
            throw new IOException(error);
        }
    }
}
