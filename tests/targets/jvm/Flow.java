import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Every kind of jump that a compiler makes, in one class: a number comes in, and what happened goes out. */
public final class Flow {
    enum Colour { RED, GREEN, BLUE }

    interface Shape {
        default String name() {
            return this instanceof Round ? "round" : "other";
        }
    }

    static final class Round implements Shape {}

    static final class Edgy implements Shape {}

    /** Its initialiser runs once, with whichever input comes first. */
    static final class Once {
        static final int VALUE = twice(21);
        static int uses;

        static int twice(int number) {
            return number > 0 ? 2 * number : 0;
        }
    }

    private final boolean positive;

    private Flow(int number) {
        this(number > 0);
    }

    private Flow(boolean positive) {
        this.positive = positive;
    }

    public static Object check(String text) {
        int number = Integer.parseInt(text);
        List<Object> seen = new ArrayList<>();
        seen.add(conditions(number, number % 3 == 0 ? null : text));
        seen.add(loops(number));
        seen.add(table(number) + sparse(number) + words(text) + colours(Colour.values()[Math.floorMod(number, 3)]));
        seen.add(failures(number));
        seen.add(lambdas(number));
        seen.add(new Flow(number).positive);
        seen.add((number % 2 == 0 ? new Round() : new Edgy()).name());
        seen.add(wide(number, number * 2L, number / 2.0, (float) number));
        if (number > 7) {
            seen.add(Once.VALUE + Once.uses);
        }
        return seen;
    }

    private static String conditions(int number, String text) {
        String found = number > 1 && number < 5 || number == 9 ? "a" : "b";
        if (text == null) {
            found += "null";
        } else if (text != "x" && !text.isEmpty()) {
            found += number >= 0 ? number <= 3 ? "low" : "high" : "minus";
        }
        return found;
    }

    private static int loops(int number) {
        int sum = 0;
        outer:
        for (int i = 0; i < number; i++) {
            for (int j = i; ; j++) {
                if (j > 3) {
                    continue outer;
                }
                if (sum > 20) {
                    break outer;
                }
                sum += j;
            }
        }
        do {
            sum--;
        } while (sum > 2);
        while (sum < 0) {
            sum++;
        }
        return sum;
    }

    private static String table(int number) {
        switch (number) {
            case 1:
            case 2:
                return "few";
            case 3:
                return "three";
            case 5:
                break;
            default:
                return "many";
        }
        return "five";
    }

    private static String sparse(int number) {
        switch (number) {
            case -1000:
                return "low";
            case 4:
                return "four";
            case 1000:
                return "high";
        }
        return "";
    }

    private static String words(String text) {
        switch (text) {
            case "1":
                return "one";
            case "6":
                return "six";
            default:
                return "?";
        }
    }

    private static String colours(Colour colour) {
        switch (colour) {
            case RED:
                return "red";
            case GREEN:
                return "green";
            default:
                return "blue";
        }
    }

    private static String failures(int number) {
        String trace = "";
        try {
            if (number % 4 == 1) {
                throw new IllegalStateException("one");
            }
            trace += 12 / (number % 4);
        } catch (ArithmeticException | ClassCastException error) {
            trace += "zero";
        } catch (IllegalStateException error) {
            trace += error.getMessage();
        } finally {
            trace += number > 2 ? "!" : ".";
        }
        synchronized (Flow.class) {
            return trace + new StringBuilder(number > 3 ? "x" : number < 0 ? "y" : "z");
        }
    }

    private static int lambdas(int number) {
        Supplier<Integer> later = () -> number > 4 ? number : -number;
        int sum = 0;
        for (int value : new int[] {1, 2, later.get()}) {
            sum += value > 1 ? value : 10;
        }
        return sum;
    }

    private static double wide(int a, long b, double c, float d) {
        double best = a;
        if (b > a) {
            best = b;
        }
        if (c < d) {
            best += c;
        }
        return best;
    }
}
