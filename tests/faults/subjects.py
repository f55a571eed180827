"""Three small subjects: an ambiguous language, JSON, and expressions, in Python and for the JVM."""

from collections.abc import Callable
from pathlib import Path

from made_subjects import JSON_DRIVER, json_subject

# Programs take as long as the environment says: there is time to kill a run, and little work for the machine.
PAUSE_VARIABLE = "BONSAI_TEST_PAUSE"
PAUSE = f'time.sleep(float(os.environ.get("{PAUSE_VARIABLE}", "0")))'

# Most texts have several derivations: "a b" is two items, or one item within another. The first takes two items,
# the second depth two: two nodes that run at the same time find the same text, each by a derivation of its own.
AMBIGUOUS_GRAMMAR = """
start: item+
item: word | single | pair | group
pair: word item
single: word
group: "(" item+ ")"
word: W | "?"
W: /[a-z]/
%ignore " "
"""
AMBIGUOUS_DRIVER = f"""
import os
import time

from bonsai.errors import Invalid


def check(text):
    {PAUSE}
    words = text.replace("(", " ( ").replace(")", " ) ").split()
    names = [word for word in words if word.isalpha()]
    if "(" in words:
        if words[0] == "(" and words[-1] == ")":
            kind = "whole"
        elif words[0] == "(":
            kind = "first"
        else:
            kind = "later"
    elif "?" in words:
        kind = "unknown"
    elif len(words) > 3:
        kind = "many"
    elif len(words) == 3:
        kind = "three"
    elif len(words) == 2:
        kind = "two"
    else:
        kind = "one"
    if len(names) > 1 and names[0] == names[1]:
        if len(names) > 2 and names[2] != names[0]:
            return kind + " twins"
        raise Invalid("twins")
    if "b" in names and "a" in names:
        if names.index("b") < names.index("a"):
            raise Invalid("b is before a")
        return kind + " sorted"
    if names.count("b") > 2:
        return kind + " bees"
    return kind
"""
AMBIGUOUS_SETTINGS = """
[subject]
name = "ambiguous"
suffix = ".txt"
[grammar]
file = "ambiguous.lark"
[grammar.identifiers]
W = ["a", "b", "c"]
[target]
engine = "python"
call = "driver:check"
cover = ["driver"]
[bounds]
idents = 2
items = 2
depth = 2
"""

EXPRESSION_GRAMMAR = """
start: sum
sum: product (PLUS product)*
product: atom (TIMES atom)*
atom: NAME | NUMBER | "(" sum ")"
PLUS: "+" | "-"
TIMES: "*" | "/"
NAME: /[a-z]/
NUMBER: /[0-9]/
"""
EXPRESSION_SETTINGS = """
[subject]
name = "expressions"
suffix = ".txt"
[grammar]
file = "expressions.lark"
[grammar.identifiers]
NAME = ["x", "y", "u"]
[grammar.terminals]
NUMBER = ["0", "1", "7"]
PLUS = ["+", "-"]
TIMES = ["*", "/"]
[bounds]
idents = 2
items = 2
depth = 2
"""
EXPRESSION_TARGET = """
[target]
engine = "python"
call = "driver:check"
cover = ["driver"]
"""
EXPRESSION_DRIVER = f"""
import os
import time

from bonsai.errors import Invalid


def sum_of(text):
    value, rest = product_of(text)
    while rest and rest[0] in "+-":
        other, after = product_of(rest[1:])
        if rest[0] == "+":
            value = value + other
        elif other > value:
            raise Invalid("negative")
        else:
            value = value - other
        rest = after
    return value, rest


def product_of(text):
    value, rest = atom_of(text)
    while rest and rest[0] in "*/":
        other, after = atom_of(rest[1:])
        if rest[0] == "*":
            value = value * other
        else:
            value = value // other  # a division by zero is a finding
        rest = after
    return value, rest


def atom_of(text):
    if text[0] == "(":
        value, rest = sum_of(text[1:])
        return value, rest[1:]
    if text[0].isdigit():
        return int(text[0]), text[1:]
    if text[0] == "u":
        raise Invalid("unknown name")
    return (2 if text[0] == "x" else 3), text[1:]


def check(text):
    {PAUSE}
    value, rest = sum_of(text)
    if value > 9:
        return "large"
    if value == 0:
        return "zero"
    return "small"
"""
JVM_TARGET = """
[target]
engine = "jvm"
driver = "Driver"
cover = ["Driver"]
invalid = ["java.lang.IllegalArgumentException"]
timeout = "10s"
"""
JVM_DRIVER = """
public class Driver {
    private final String text;
    private int position;

    private Driver(String text) {
        this.text = text;
    }

    private static final String PAUSE = System.getenv().getOrDefault("BONSAI_TEST_PAUSE", "0");

    public static Object check(String text) throws InterruptedException {
        Thread.sleep((long) (1000 * Double.parseDouble(PAUSE)));
        int value = new Driver(text).sum();
        return value > 9 ? "large" : value == 0 ? "zero" : "small";
    }

    private char next() {
        return position < text.length() ? text.charAt(position) : '.';
    }

    private int sum() {
        int value = product();
        while (next() == '+' || next() == '-') {
            boolean plus = next() == '+';
            position++;
            int other = product();
            if (!plus && other > value) {
                throw new IllegalArgumentException("negative");
            }
            value = plus ? value + other : value - other;
        }
        return value;
    }

    private int product() {
        int value = atom();
        while (next() == '*' || next() == '/') {
            boolean times = next() == '*';
            position++;
            int other = atom();
            value = times ? value * other : value / other;
        }
        return value;
    }

    private int atom() {
        char first = next();
        position++;
        if (first == '(') {
            int value = sum();
            position++;
            return value;
        }
        if (first == 'u') {
            throw new IllegalArgumentException("unknown name");
        }
        return first == 'x' ? 2 : first == 'y' ? 3 : first - '0';
    }
}
"""


def write_ambiguous(folder: Path, driver: str = AMBIGUOUS_DRIVER, settings: str = "") -> None:
    """Writes a subject whose texts have several derivations each."""
    folder.mkdir(parents=True)
    (folder / "ambiguous.lark").write_text(AMBIGUOUS_GRAMMAR)
    (folder / "bonsai.toml").write_text(AMBIGUOUS_SETTINGS.replace("[bounds]", f"{settings}[bounds]"))
    (folder / "driver.py").write_text(driver)


def write_expressions(folder: Path) -> None:
    """Writes a subject of sums and products, in Python; dividing by zero is a finding."""
    folder.mkdir(parents=True)
    (folder / "expressions.lark").write_text(EXPRESSION_GRAMMAR)
    (folder / "bonsai.toml").write_text(EXPRESSION_SETTINGS + EXPRESSION_TARGET)
    (folder / "driver.py").write_text(EXPRESSION_DRIVER)


def write_jvm_expressions(folder: Path) -> None:
    """Writes the same subject with a program in Java."""
    folder.mkdir(parents=True)
    (folder / "expressions.lark").write_text(EXPRESSION_GRAMMAR)
    (folder / "bonsai.toml").write_text(EXPRESSION_SETTINGS + JVM_TARGET)
    (folder / "Driver.java").write_text(JVM_DRIVER)


def write_json(folder: Path) -> None:
    """Writes the bundled JSON grammar with a program of its own."""
    driver = JSON_DRIVER.replace("import json\n", "import json\nimport os\nimport time\n")
    json_subject(folder, driver.replace("def check(text):\n", f"def check(text):\n    {PAUSE}\n"))


SUBJECTS: dict[str, Callable[[Path], None]] = {
    "ambiguous": write_ambiguous,
    "json": write_json,
    "expressions": write_expressions,
    "jvm": write_jvm_expressions,
}
