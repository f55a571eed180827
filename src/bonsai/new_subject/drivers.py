"""What there is to call comes in; the source of a driver goes out."""

from bonsai.new_subject.detect import Detected

_OF_CALL = '''"""The driver: a text comes in, a verdict goes out.

To return says that the text is valid; what is returned is the output that tests compare, anything that JSON can
write. The exceptions that bonsai.toml lists as `invalid` and `unparsed` say that it is not; any other is a crash.
"""

from {module} import {name}


def check(text):
    return str({function}(text))
'''

_OF_LARK = '''"""The driver: a text comes in, a verdict goes out.

For now it parses the text with the grammar and looks at the tree. Call your program here instead, and name its
modules in `cover`, in bonsai.toml. To return says that the text is valid; what is returned is the output that tests
compare. To raise Invalid says that the program understands the text and rejects it, to raise Unparsed that it does
not understand it. Any other exception is a crash.
"""

from pathlib import Path

from bonsai import Invalid, Unparsed
from lark import Lark, Tree, UnexpectedInput

PARSER = Lark(Path(__file__).with_name({grammar}).read_text(encoding="utf-8"), start={start})


def check(text):
    try:
        tree = PARSER.parse(text)
    except UnexpectedInput as error:
        raise Unparsed(str(error))
    sizes = [size(child) for child in tree.children if isinstance(child, Tree)]
    if len(sizes) > 1 and len(set(sizes)) == 1:
        raise Invalid("an example of a semantic error: all parts have the same size")
    return size(tree)


def size(tree):
    if not tree.children:
        return 1
    return 1 + sum(size(child) for child in tree.children if isinstance(child, Tree))
'''

EXAMPLE_GRAMMAR = """// An example: assignments and sums. Each line ends with a semicolon, "print" shows a value.
start: statement*

statement: NAME "=" sum ";"
         | "print" sum ";"

sum: NAME
   | NUMBER
   | sum ("+" | "/") sum
   | "(" sum ")"

NAME: /[a-z]/
NUMBER: /[0-9]/

%ignore /[ \\n]+/
"""

EXAMPLE_DRIVER = '''"""An example of a program under test, and its driver: a text comes in, a verdict goes out.

To return says that the text is valid; what is returned is the output that tests compare. To raise Invalid says that
the program understands the text and rejects it, to raise Unparsed that it does not understand it. Any other
exception is a crash.
"""

from pathlib import Path

from bonsai import Invalid, Unparsed
from lark import Lark, UnexpectedInput
from lark.visitors import Interpreter

PARSER = Lark(Path(__file__).with_name("grammar.lark").read_text(encoding="utf-8"), keep_all_tokens=True)


def check(text):
    try:
        tree = PARSER.parse(text)
    except UnexpectedInput as error:
        raise Unparsed(str(error))
    calculator = Calculator()
    calculator.visit(tree)
    return calculator.printed


class Calculator(Interpreter):
    def __init__(self):
        self.values = {}
        self.printed = []

    def statement(self, tree):
        first = tree.children[0]
        if first == "print":
            self.printed.append(self.visit(tree.children[1]))
        else:
            self.values[first] = self.visit(tree.children[2])

    def sum(self, tree):
        if len(tree.children) == 1:
            return self.leaf(tree.children[0])
        left, middle, right = tree.children
        if left == "(":
            return self.visit(middle)
        if middle == "+":
            return self.visit(left) + self.visit(right)
        divisor = self.visit(right)
        if divisor == 0:
            raise Invalid("division by zero")
        return self.visit(left) // divisor

    def leaf(self, token):
        if token.type == "NUMBER":
            return int(token)
        if token not in self.values:
            raise Invalid(f"{token} has no value")
        return self.values[token]
'''


def driver_of_call(found: Detected) -> str:
    """A driver that calls a function with the text."""
    return _OF_CALL.format(module=found.module, name=found.function.split(".")[0], function=found.function)


def driver_of_grammar(grammar: str, start: str) -> str:
    """A driver for a grammar whose program is still to be named."""
    return _OF_LARK.format(grammar=f'"{grammar}"', start=f'"{start}"')
