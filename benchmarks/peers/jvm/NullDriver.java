/** Does nothing: what is left is the cost of asking. */
public final class NullDriver {
    public static Object check(String text) {
        return null;
    }
}
