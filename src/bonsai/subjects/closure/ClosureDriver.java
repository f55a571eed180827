import bonsai.Invalid;
import bonsai.Unparsed;
import com.google.javascript.jscomp.CompilationLevel;
import com.google.javascript.jscomp.Compiler;
import com.google.javascript.jscomp.CompilerOptions;
import com.google.javascript.jscomp.JSError;
import com.google.javascript.jscomp.Result;
import com.google.javascript.jscomp.SourceFile;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.function.Supplier;
import java.util.logging.LogManager;
import java.util.regex.Pattern;

/** A JavaScript program comes in; the Closure Compiler optimises it, and its program goes out. */
public final class ClosureDriver {
    private static final SourceFile NO_EXTERNS = SourceFile.fromCode("externs", "");
    private static final PrintStream NOWHERE = new PrintStream(OutputStream.nullOutputStream(), false);

    private static final Member DESCRIPTION = description();
    private static final Pattern NODE = Pattern.compile("( \\S+)? \\d+ \\[length: .*", Pattern.DOTALL);
    private static final Pattern LINE = Pattern.compile("\r\n|[\n\r\u2028\u2029]");
    private static final Pattern SYNTAX =
            Pattern.compile("expected|[Uu]nterminated|valid identifier start|at least one digit");

    static {
        LogManager.getLogManager().reset();
        if (System.getProperty("bonsai.jacoco") == null) {
            compile(new Compiler(NOWHERE), ""); // what happens only once is over before the first input
        }
    }

    public static Object check(String text) {
        Compiler compiler = new Compiler(NOWHERE);
        Result result;
        try {
            result = compile(compiler, text);
        } catch (RuntimeException error) {
            throw withoutNodes(error);
        }
        if (result.success) {
            return (Supplier<?>) compiler::toSource;
        }
        for (Object error : errors(result)) {
            String message = message((JSError) error);
            if (!isSyntax(message)) {
                throw new Invalid(message);
            }
            throw isYield(error, text) ? new Invalid("yield outside of a generator") : new Unparsed(message);
        }
        throw new Invalid("no success");
    }

    private static Result compile(Compiler compiler, String text) {
        CompilerOptions options = new CompilerOptions();
        options.setPrintConfig(false);
        CompilationLevel.SIMPLE_OPTIMIZATIONS.setOptionsForCompilationLevel(options);
        compiler.disableThreads();
        return compiler.compile(NO_EXTERNS, SourceFile.fromCode("input", text), options);
    }

    private static Iterable<?> errors(Result result) {
        Object errors = result.errors; // an array in the paper's version, a list in recent ones
        return errors instanceof Iterable ? (Iterable<?>) errors : Arrays.asList((Object[]) errors);
    }

    /** Messages that end with a piece of the program would make every input a finding of its own. */
    private static RuntimeException withoutNodes(RuntimeException error) {
        String message = NODE.matcher(String.valueOf(error.getMessage())).replaceFirst("");
        RuntimeException plain = new RuntimeException(error.getClass().getSimpleName() + ": " + message);
        plain.setStackTrace(error.getStackTrace());
        return plain;
    }

    /** Without a call that has branches to cover: the driver is no input. */
    private static String message(JSError error) {
        try {
            return error.getType().key + ". " + (DESCRIPTION instanceof Field
                    ? ((Field) DESCRIPTION).get(error)
                    : ((Method) DESCRIPTION).invoke(error));
        } catch (ReflectiveOperationException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** A field in the paper's version, a method in recent ones. */
    private static Member description() {
        try {
            return JSError.class.getField("description");
        } catch (NoSuchFieldException error) {
            try {
                return JSError.class.getMethod("getDescription");
            } catch (NoSuchMethodException impossible) {
                throw new IllegalStateException(impossible);
            }
        }
    }

    /** The parser reports early errors, such as a misplaced `break`, in the same way: those are semantic. */
    private static boolean isSyntax(String message) {
        return message.startsWith("JSC_PARSE_ERROR") && SYNTAX.matcher(message).find();
    }

    /** Outside of a generator, the parser stops right after the word: that is about its context, so it is semantic. */
    private static boolean isYield(Object error, String text) {
        String[] lines = LINE.split(text, -1);
        int line = number(error, "lineno", "lineNumber") - 1;
        int column = number(error, "charno");
        return line >= 0 && line < lines.length && column >= 0 && column <= lines[line].length()
                && lines[line].substring(0, column).endsWith("yield");
    }

    /** A field, by one of its names: the methods beside it would be exercised by every such input. */
    private static int number(Object error, String... names) {
        for (String name : names) {
            try {
                Field field = error.getClass().getDeclaredField(name);
                field.setAccessible(true);
                return field.getInt(error);
            } catch (ReflectiveOperationException another) {
                continue;
            }
        }
        return -1;
    }
}
