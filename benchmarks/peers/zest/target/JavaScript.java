import com.pholser.junit.quickcheck.generator.GenerationStatus;
import com.pholser.junit.quickcheck.generator.Generator;
import com.pholser.junit.quickcheck.random.SourceOfRandomness;
import java.util.StringJoiner;
import java.util.function.Supplier;

/** Random JavaScript of the shape of our grammar, as a generator for Zest: at most 3 names, 3 items, 3 levels. */
public class JavaScript extends Generator<String> {
    private static final int ITEMS = 3;
    private static final int DEPTH = 3;
    private static final String[] NAMES = {"a", "b", "c"};
    private static final String[] KINDS = {"var", "let", "const"};
    private static final String[] LEAVES = {"0", "1", "''", "'a'", "/a/", "true", "null", "this", "undefined", "Math"};
    private static final String[] PREFIXES = {"!", "~", "+", "-", "typeof ", "void ", "delete ", "++", "--"};
    private static final String[] OPERATORS = {
        "+", "-", "*", "/", "%", "<<", ">>", ">>>", "&", "|", "^", "&&", "||", "==", "!=", "===", "!==", "<", "<=", ">",
        ">=", " in ", " instanceof ", "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^="
    };

    private SourceOfRandomness random;
    private int statements;
    private int expressions;

    public JavaScript() {
        super(String.class);
    }

    @Override
    public String generate(SourceOfRandomness source, GenerationStatus status) {
        random = source;
        statements = 0;
        expressions = 0;
        return list(";", this::statement);
    }

    private String list(String separator, Supplier<String> item) {
        StringJoiner items = new StringJoiner(separator);
        for (int left = random.nextInt(ITEMS + 1); left > 0; left--) {
            items.add(item.get());
        }
        return items.toString();
    }

    private String one(String[] options) {
        return options[random.nextInt(options.length)];
    }

    private String name() {
        return one(NAMES);
    }

    private String block() {
        return "{" + list(";", this::statement) + "}";
    }

    private String function() {
        return "(" + list(",", this::parameter) + ")" + block();
    }

    private String parameter() {
        switch (random.nextInt(3)) {
            case 0:
                return name() + "=" + expression();
            case 1:
                return random.nextBoolean() ? "[" + name() + "]" : "{" + name() + "}";
            default:
                return name();
        }
    }

    private String classBody() {
        return (random.nextBoolean() ? " extends " + name() : "") + "{"
                + list("", () -> (random.nextBoolean() ? "static " : "") + name() + function()) + "}";
    }

    private String statement() {
        if (statements >= DEPTH || random.nextBoolean()) {
            return simple();
        }
        statements++;
        String found = compound();
        statements--;
        return found;
    }

    private String simple() {
        switch (random.nextInt(7)) {
            case 0:
                return one(KINDS) + " " + parameter().replace("{", " {") + (random.nextBoolean() ? "=" + expression() : "");
            case 1:
                return "return" + (random.nextBoolean() ? " " + expression() : "");
            case 2:
                return "throw " + expression();
            case 3:
                return "break";
            case 4:
                return "continue";
            default:
                return expression();
        }
    }

    private String compound() {
        switch (random.nextInt(10)) {
            case 0:
                return "if(" + expression() + ")" + block() + (random.nextBoolean() ? "else" + block() : "");
            case 1:
                return "while(" + expression() + ")" + block();
            case 2:
                return "do" + block() + "while(" + expression() + ")";
            case 3:
                return "for(" + expression() + ";" + expression() + ";" + expression() + ")" + block();
            case 4:
                return "for(" + one(KINDS) + " " + name() + (random.nextBoolean() ? " of " : " in ") + expression() + ")" + block();
            case 5:
                return "switch(" + expression() + "){" + list("", () -> "case " + expression() + ":" + simple() + ";") + "}";
            case 6:
                return "try" + block() + "catch(" + name() + ")" + block();
            case 7:
                return (random.nextBoolean() ? "function " : "function* ") + name() + function();
            case 8:
                return "class " + name() + classBody();
            default:
                return block();
        }
    }

    private String expression() {
        if (expressions >= DEPTH || random.nextBoolean()) {
            return random.nextBoolean() ? name() : one(LEAVES);
        }
        expressions++;
        String found = "(" + nested() + ")";
        expressions--;
        return found;
    }

    private String nested() {
        switch (random.nextInt(13)) {
            case 0:
            case 1:
                return expression() + one(OPERATORS) + expression();
            case 2:
                return one(PREFIXES) + expression();
            case 3:
                return expression() + "?" + expression() + ":" + expression();
            case 4:
                return expression() + "(" + list(",", this::expression) + ")";
            case 5:
                return "new " + name() + "(" + list(",", this::expression) + ")";
            case 6:
                return expression() + "." + name();
            case 7:
                return expression() + "[" + expression() + "]";
            case 8:
                return "[" + list(",", this::expression) + "]";
            case 9:
                return "{" + list(",", () -> name() + ":" + expression()) + "}";
            case 10:
                return (random.nextBoolean() ? "function" : "async function") + function();
            case 11:
                return "(" + list(",", this::parameter) + ")=>" + (random.nextBoolean() ? block() : expression());
            default:
                return "`${" + expression() + "}`";
        }
    }
}
