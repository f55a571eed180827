import json

from bonsai.subjects.chocopy import analyse, parse, to_json


def test_an_untyped_tree_has_no_types() -> None:
    assert "inferredType" not in json.dumps(to_json(parse("x:int = 1\nx + 1\n")))


def test_keys_come_in_the_order_of_the_reference() -> None:
    statement = analyse("1 + True\n")["statements"][0]
    assert list(statement) == ["kind", "location", "expr"]
    assert list(statement["expr"]) == [
        "kind",
        "location",
        "errorMsg",
        "inferredType",
        "left",
        "operator",
        "right",
    ]


def test_a_return_without_a_value_has_a_null() -> None:
    assert analyse("return\n")["statements"][0]["value"] is None


def test_a_long_sum_is_written() -> None:
    tree = to_json(parse(" + ".join(["1"] * 5_000) + "\n"))["statements"][0]["expr"]
    terms = 1
    while tree["kind"] == "BinaryExpr":
        tree = tree["left"]
        terms += 1
    assert terms == 5_000
