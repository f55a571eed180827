"""What a look at a function shows."""

from pathlib import Path

import pytest

from bonsai.errors import BonsaiError
from bonsai.new_subject.detect import Detected, detect

ERRORS = """
class ShopError(Exception): ...
class OrderError(ShopError): ...
class OrderSyntaxError(ShopError): ...
class Done(Exception): ...
class OldOrderWarning(Warning): ...
"""


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    package = tmp_path / "shop"
    (package / "orders").mkdir(parents=True)
    (package / "__init__.py").write_text("from shop.orders.reader import read\nprint('noise')\n")
    (package / "errors.py").write_text(ERRORS)
    (package / "orders/__init__.py").write_text("")
    (package / "orders/reader.py").write_text(
        "from shop import errors\n"
        "def read(text, strict=True): ...\n"
        "def compare(one, other): ...\n"
        "class Reader:\n    @staticmethod\n    def read(text): ...\n"
    )
    monkeypatch.chdir(tmp_path)
    return package


def test_the_package_that_the_function_is_in_is_covered_and_its_exceptions_are_verdicts(shop: Path) -> None:
    assert detect("shop:read") == Detected(
        "shop",
        "read",
        ("shop.orders.*",),
        ("shop.errors.ShopError",),
        ("shop.errors.OrderSyntaxError",),
        (shop.parent,),
    )
    assert detect("shop.orders.reader:Reader.read").cover == ("shop.orders.*",)


def test_a_module_of_no_package_is_covered_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "lonely.py").write_text("def read(text): ...\n")
    monkeypatch.chdir(tmp_path)
    assert detect("lonely:read") == Detected("lonely", "read", ("lonely",), (), ("SyntaxError",), (tmp_path,))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    assert detect("lonely:read").path == ()


def test_the_standard_library_is_looked_at_like_any_other() -> None:
    found = detect("json:loads")
    assert found.path == ()
    assert found.cover == ("json.*",)
    assert found.unparsed == ("json.decoder.JSONDecodeError",)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        ("shop", "names no function"),
        ("shop:", "names no function"),
        ("market:read", "there is no module market"),
        ("shop:write", "there is no write in shop"),
        ("shop:orders", "cannot be called"),
        ("shop.orders.reader:compare", "takes 2 arguments"),
        ("raising:read", "raised ZeroDivisionError"),
        ("ending:read", "ended the process"),
    ],
)
def test_a_function_that_does_not_do(call: str, words: str, shop: Path) -> None:
    (shop.parent / "raising.py").write_text("1 / 0\n")
    (shop.parent / "ending.py").write_text("import os\nos._exit(0)\n")
    with pytest.raises(BonsaiError, match=words):
        detect(call)
