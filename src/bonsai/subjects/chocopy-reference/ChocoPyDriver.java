import bonsai.Invalid;
import bonsai.Unparsed;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.function.Supplier;

/**
 * A ChocoPy program comes in; the reference compiler's typed syntax tree goes out.
 *
 * <p>The reference compiler is reached by name, so that this compiles without it.
 */
public final class ChocoPyDriver {
    private static final Method PARSE = process("chocopy.reference.RefParser");
    private static final Method ANALYSE = process("chocopy.reference.RefAnalysis");

    public static Object check(String text) throws Throwable {
        // The reference's scanner wants a line end after the last line.
        Object program = call(PARSE, text.endsWith("\n") ? text : text + "\n");
        if (hasErrors(program)) {
            throw new Unparsed("the parser reports errors", tree(program));
        }
        Object typed = call(ANALYSE, program);
        if (hasErrors(typed)) {
            throw new Invalid("the analysis reports errors", tree(typed));
        }
        return tree(typed);
    }

    /** The tree as a value, worked out only for those who want it. */
    private static Supplier<Object> tree(Object program) {
        return () -> {
            try {
                String json = String.valueOf(program.getClass().getMethod("toJSON").invoke(program));
                Class<?> mapper = Class.forName("com.fasterxml.jackson.databind.ObjectMapper");
                Method read = mapper.getMethod("readValue", String.class, Class.class);
                return read.invoke(mapper.getConstructor().newInstance(), json, Object.class);
            } catch (ReflectiveOperationException error) {
                throw new IllegalStateException(error);
            }
        };
    }

    private static boolean hasErrors(Object program) throws Throwable {
        return (Boolean) program.getClass().getMethod("hasErrors").invoke(program);
    }

    /** The method `process`, whose first argument is what it processes; others are switches, and off. */
    private static Method process(String name) {
        try {
            for (Method method : Class.forName(name).getMethods()) {
                if (method.getName().equals("process") && !method.isBridge()) {
                    return method;
                }
            }
        } catch (ClassNotFoundException error) {
            throw new IllegalStateException("there is no " + name + " in BONSAI_CHOCOPY_JAR: is it chocopy-ref.jar?");
        }
        throw new IllegalStateException("there is no method process in " + name);
    }

    private static Object call(Method method, Object subject) throws Throwable {
        Object[] arguments = new Object[method.getParameterCount()];
        arguments[0] = subject;
        for (int index = 1; index < arguments.length; index++) {
            arguments[index] = method.getParameterTypes()[index] == boolean.class ? false : null;
        }
        try {
            boolean isStatic = Modifier.isStatic(method.getModifiers());
            Object owner = isStatic ? null : method.getDeclaringClass().getConstructor().newInstance();
            return method.invoke(owner, arguments);
        } catch (InvocationTargetException error) {
            throw error.getCause(); // the compiler's own
        }
    }
}
