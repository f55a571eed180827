"""What is not installed is named, with the extra that brings it."""

import re
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from bonsai import BonsaiError, extras
from bonsai.extras import EXTRAS, missing, require
from bonsai.version import DISTRIBUTION

PROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text("utf-8"))["project"]
INDIRECT = {"setuptools"}  # for picire, which imports it without saying so


@pytest.mark.parametrize("extra", EXTRAS)
def test_the_packages_are_those_of_the_project(extra: str) -> None:
    wanted = {re.split(r"[<>=\[ ]", one)[0] for one in PROJECT["optional-dependencies"][extra]}
    known = packages_distributions()
    assert {known[package][0].lower().replace("_", "-") for package in EXTRAS[extra]} == wanted - INDIRECT


def test_all_extras_for_users_are_known() -> None:
    assert {*EXTRAS, "test"} == set(PROJECT["optional-dependencies"])
    assert PROJECT["name"] == DISTRIBUTION


def test_what_is_missing_is_said_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extras, "EXTRAS", {"some": ("re", "no_such_package")})
    assert missing("re", "no_such_package") == ["no_such_package"]
    require("a search", "re")
    with pytest.raises(BonsaiError, match="a search needs no_such_package, which is not installed") as caught:
        require("a search", "re", "no_such_package")
    assert caught.value.hint == "in a clone of Bonsai: pip install '.[some]'"
