import edu.berkeley.cs.jqf.fuzz.ei.ZestGuidance;
import edu.berkeley.cs.jqf.fuzz.junit.GuidedFuzzing;
import edu.berkeley.cs.jqf.instrument.InstrumentingClassLoader;
import java.io.File;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Arrays;

/** Runs Zest for so many seconds. Arguments: seconds, a folder for its files, and the class path to instrument. */
public final class ZestPeer {
    public static void main(String[] arguments) throws Exception {
        String[] classpath = Arrays.copyOfRange(arguments, 2, arguments.length);
        ClassLoader loader = new InstrumentingClassLoader(classpath, ZestPeer.class.getClassLoader());
        Guidance guidance = new Guidance(Duration.ofSeconds(Long.parseLong(arguments[0])), new File(arguments[1]));
        GuidedFuzzing.run("ZestTest", "compile", loader, guidance, new PrintStream(PrintStream.nullOutputStream()));
        System.out.println("{\"trials\": " + guidance.trials() + ", \"valid\": " + guidance.valid() + "}");
        System.exit(0);
    }

    private static final class Guidance extends ZestGuidance {
        Guidance(Duration duration, File folder) throws Exception {
            super("zest", duration, folder);
        }

        long trials() {
            return numTrials;
        }

        long valid() {
            return numValid;
        }

        @Override
        protected void displayStats(boolean force) {}
    }
}
