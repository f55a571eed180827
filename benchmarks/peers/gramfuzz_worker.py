"""gramfuzz's side of benchmarks/sampling.py, with the language of statements.lark in its own notation.

Its best case: many programs per call, spaces as part of the literals, and a reference only where a rule recurs.
"""

import gramfuzz
from gramfuzz.fields import And, Def, Join, Opt, Or, Ref
from serving import Limits, Programs, parse_limits, serve

ITEMS = 3  # at most so many in a row, as under Bonsai's bounds


def define_statements() -> None:
    """Tell gramfuzz's only instance the rules; its definitions register themselves."""
    expression, statement, block = (Ref(rule, cat="part") for rule in ("expression", "statement", "block"))
    identifier, integer = Or(*"abc"), Or(*"0123456789")
    arguments = Opt(Join(expression, max=ITEMS, sep=", "))
    Def("start", Join(statement, max=ITEMS, sep=" "), cat="program")
    Def(
        "statement",
        Or(
            And(identifier, " = ", expression, ";"),
            And("if (", expression, ") ", block, Opt(" else ", block)),
            And("while (", expression, ") ", block),
            And("print (", arguments, ");"),
            And("return ", expression, ";"),
        ),
        cat="part",
    )
    Def("block", "{", Opt(Join(statement, max=ITEMS, sep=" ")), "}", cat="part")
    Def(
        "expression",
        Or(
            And(expression, Or(" + ", " - ", " * ", " < ", " == ", " and "), expression),
            And("-", expression),
            And("not ", expression),
            And("(", expression, ")"),
            And(identifier, "(", arguments, ")"),
            And("[", arguments, "]"),
            identifier,
            integer,
        ),
        cat="part",
    )


def fresh(limits: Limits) -> Programs:
    """Random programs, at most so many references deep before the shortest way out is taken."""
    fuzzer = gramfuzz.GramFuzzer()
    define_statements()
    fuzzer.set_max_recursion(limits.depth)
    gramfuzz.rand.seed(limits.seed)

    def programs(count: int) -> list[bytes]:
        return list(fuzzer.gen(count, cat="program"))

    return programs


if __name__ == "__main__":
    serve(fresh(parse_limits()))
