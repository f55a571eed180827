import bonsai.Invalid;
import bonsai.Unparsed;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.List;
import java.util.function.Supplier;

/**
 * A ChocoPy program comes in; the reference compiler's typed syntax tree goes out.
 *
 * <p>The reference compiler is reached by name, so that this compiles without it.
 */
public final class ChocoPyDriver {
    private static final Method PARSE = process("chocopy.reference.RefParser", String.class);
    private static final Class<?> PROGRAM = PARSE.getReturnType();
    private static final Method ANALYSE = process("chocopy.reference.RefAnalysis", PROGRAM);
    private static final Method HAS_ERRORS = method(PROGRAM, "hasErrors");
    private static final Method TO_JSON = method(PROGRAM, "toJSON");
    private static final Method ERROR_LIST = methodIfAny(PROGRAM, "getErrorList");

    static {
        if (System.getProperty("bonsai.jacoco") == null) {
            warmUp(); // what happens only once is over before the first input, and what is missing shows now
        }
    }

    public static Object check(String text) throws Throwable {
        // The reference's scanner wants a line end after the last line.
        Object program = process(PARSE, text.endsWith("\n") ? text : text + "\n");
        if (program == null) {
            throw new Unparsed("the parser returns nothing");
        }
        if (hasErrors(program)) {
            throw new Unparsed(message(program), tree(program));
        }
        Object typed = process(ANALYSE, program);
        if (hasErrors(typed)) {
            throw new Invalid(message(typed), tree(typed));
        }
        return tree(typed);
    }

    private static void warmUp() {
        try {
            ((Supplier<?>) check("pass\n")).get();
        } catch (LinkageError error) {
            throw error; // a library is missing
        } catch (Throwable error) {
            throw new IllegalStateException("the reference does not accept the program `pass`: " + error, error);
        }
    }

    private static boolean hasErrors(Object program) throws Throwable {
        return (Boolean) call(HAS_ERRORS, program);
    }

    /** The first error's text. */
    private static String message(Object program) throws Throwable {
        if (ERROR_LIST == null) {
            return "the reference reports errors";
        }
        Object first = ((List<?>) call(ERROR_LIST, program)).get(0);
        return String.valueOf(first.getClass().getField("message").get(first));
    }

    /** The tree as a value, worked out only for those who want it. */
    private static Supplier<Object> tree(Object program) {
        return () -> {
            try {
                return Mapper.read((String) call(TO_JSON, program));
            } catch (RuntimeException | Error error) {
                throw error;
            } catch (Throwable error) {
                throw new IllegalStateException(error);
            }
        };
    }

    /** Jackson, which the reference needs as well; loaded when it is first wanted. */
    private static final class Mapper {
        private static final Object MAPPER;
        private static final Method READ;

        static {
            try {
                Constructor<?> maker = type("com.fasterxml.jackson.databind.ObjectMapper").getConstructor();
                MAPPER = maker.newInstance();
                READ = maker.getDeclaringClass().getMethod("readValue", String.class, Class.class);
            } catch (ReflectiveOperationException error) {
                throw new IllegalStateException(error);
            }
        }

        static Object read(String json) throws Throwable {
            return call(READ, MAPPER, json, Object.class);
        }
    }

    // Reflection

    /** The method `process` for an input of that type; a second argument would say whether to debug. */
    private static Method process(String name, Class<?> input) {
        Class<?> type = type(name);
        Method plain = methodIfAny(type, "process", input);
        return plain != null ? plain : method(type, "process", input, boolean.class);
    }

    private static Object process(Method method, Object input) throws Throwable {
        return method.getParameterCount() == 1 ? call(method, null, input) : call(method, null, input, false);
    }

    private static Class<?> type(String name) {
        try {
            return Class.forName(name);
        } catch (ClassNotFoundException error) {
            throw new IllegalStateException("there is no " + name + " in BONSAI_CHOCOPY_JAR: is it chocopy-ref.jar?");
        }
    }

    private static Method method(Class<?> type, String name, Class<?>... parameters) {
        Method found = methodIfAny(type, name, parameters);
        if (found == null) {
            throw new IllegalStateException("there is no method " + name + " in " + type.getName());
        }
        return found;
    }

    private static Method methodIfAny(Class<?> type, String name, Class<?>... parameters) {
        try {
            return type.getMethod(name, parameters);
        } catch (NoSuchMethodException error) {
            return null;
        }
    }

    /** A method's result, or what it throws. */
    private static Object call(Method method, Object owner, Object... arguments) throws Throwable {
        try {
            return method.invoke(owner, arguments);
        } catch (InvocationTargetException error) {
            throw error.getCause(); // the compiler's own
        }
    }
}
