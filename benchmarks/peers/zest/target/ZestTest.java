import com.google.javascript.jscomp.CompilationLevel;
import com.google.javascript.jscomp.Compiler;
import com.google.javascript.jscomp.CompilerOptions;
import com.google.javascript.jscomp.Result;
import com.google.javascript.jscomp.SourceFile;
import com.pholser.junit.quickcheck.From;
import edu.berkeley.cs.jqf.fuzz.Fuzz;
import edu.berkeley.cs.jqf.fuzz.JQF;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.logging.LogManager;
import org.junit.Assume;
import org.junit.runner.RunWith;

/** Closure, driven as our own driver does it; every distinct program is written down, with a NUL after it. */
@RunWith(JQF.class)
public class ZestTest {
    private static final Set<String> SEEN = new HashSet<>();
    private static final SourceFile NO_EXTERNS = SourceFile.fromCode("externs", "");
    private static final PrintStream NOWHERE = new PrintStream(OutputStream.nullOutputStream(), false);

    static {
        LogManager.getLogManager().reset();
    }

    @Fuzz
    public void compile(@From(JavaScript.class) String program) throws IOException {
        if (SEEN.add(program)) {
            Log.WRITER.write(program + "\0");
            Log.WRITER.flush();
        }
        CompilerOptions options = new CompilerOptions();
        options.setPrintConfig(false);
        CompilationLevel.SIMPLE_OPTIMIZATIONS.setOptionsForCompilationLevel(options);
        Compiler compiler = new Compiler(NOWHERE);
        compiler.disableThreads();
        Result result = compiler.compile(NO_EXTERNS, SourceFile.fromCode("input", program), options);
        Assume.assumeTrue(result.success);
    }

    private static final class Log {
        static final Writer WRITER;

        static {
            try {
                WRITER = Files.newBufferedWriter(Path.of(System.getProperty("zest.log")));
            } catch (IOException error) {
                throw new IllegalStateException(error);
            }
        }
    }
}
