"""What drivers report, without an engine."""

import subprocess
import sys

import pytest

from bonsai.reports import ReportError, Reports


def test_names_become_bits_in_the_order_of_their_declaration() -> None:
    reports = Reports()
    reports.declare("one", "two")
    reports.declare("three")
    assert reports.close() == ["one", "two", "three"]
    reports.report("three", "one", "one")
    assert reports.take() == 0b101
    assert reports.take() == 0


def test_mistakes_are_named() -> None:
    reports = Reports()
    reports.declare("one")
    with pytest.raises(ReportError, match="'one' is declared twice"):
        reports.declare("one")
    with pytest.raises(ReportError, match="'two' is reported but was not declared"):
        reports.report("two")
    reports.close()
    with pytest.raises(ReportError, match="'two' is declared too late"):
        reports.declare("two")


def test_a_driver_that_imports_it_pulls_in_nothing_heavy() -> None:
    code = "import sys, bonsai.reports; print(sorted(n for n in sys.modules if n.startswith(('bonsai', 'lark'))))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "['bonsai', 'bonsai.reports']"
