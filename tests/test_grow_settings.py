"""What was asked of a run is stored exactly, and a record that is not what it should be is one line."""

import json
from dataclasses import fields
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bonsai.bounds import LARGEST, Bounds
from bonsai.budget import Auto, Executions, NodeBudget, Seconds
from bonsai.cbgf import Pruning
from bonsai.corpus import Policy, Select
from bonsai.dedup import Dedup
from bonsai.errors import BonsaiError
from bonsai.feedback import Saving
from bonsai.grow_settings import GrowSettings, Reach, asked_before, from_json, to_json
from bonsai.lattice import Kind, Node
from bonsai.mutators import MUTATORS
from bonsai.schema import RunKind
from bonsai.version import bonsai_version

WHOLE = st.integers(0, 10**9)
SECONDS = st.floats(0, allow_nan=False)
BUDGETS: st.SearchStrategy[NodeBudget] = st.one_of(
    st.builds(Auto, SECONDS, WHOLE, WHOLE), st.builds(Executions, WHOLE), st.builds(Seconds, SECONDS)
)
BOUND = st.integers(1, LARGEST)
BOUNDS = st.builds(Bounds, BOUND, BOUND, BOUND)
SEEDS = st.lists(st.lists(st.integers(-1, 10**6), max_size=4).map(tuple), max_size=3).map(tuple)
FIELDS: dict[str, st.SearchStrategy[Any]] = {
    "bounds": BOUNDS,
    "reach": st.sampled_from(Reach),
    "lattice": st.sampled_from(Kind),
    "budget": BUDGETS,
    "policy": st.sampled_from(Policy),
    "select": st.sampled_from(Select),
    "seed": st.integers(),
    "shards": st.integers(1, 1000),
    "top_up": st.none() | BUDGETS,
    "planted": st.lists(st.tuples(st.builds(Node, BOUNDS, st.sampled_from(Saving)), SEEDS), max_size=3).map(tuple),
    "mutators": st.lists(st.sampled_from([*MUTATORS]), unique=True).map(tuple),
    "dedup": st.sampled_from(Dedup),
    "pruning": st.sampled_from(Pruning),
    "kill_mutants": st.none() | st.integers(),
}
SETTINGS = st.builds(GrowSettings, **FIELDS)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats(allow_nan=False) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=5,
)


def test_every_field_is_varied() -> None:
    assert set(FIELDS) == {entry.name for entry in fields(GrowSettings)}


@given(settings=SETTINGS)
def test_settings_are_the_same_after_they_were_stored(settings: GrowSettings) -> None:
    assert from_json(json.loads(json.dumps(to_json(settings)))) == settings


@pytest.mark.parametrize("budget", [Auto(quiet=200), Auto(0.1, 1, 2), Seconds(0.1 + 0.2), Executions(7)], ids=repr)
def test_a_budget_is_stored_exactly(budget: NodeBudget) -> None:
    stored = json.loads(json.dumps(to_json(GrowSettings(Bounds(1, 1, 1), budget=budget, top_up=budget))))
    assert from_json(stored).budget == budget
    assert from_json(stored).top_up == budget


def test_a_budget_of_another_class_is_not_guessed() -> None:
    class Patient(Auto):
        """A budget that nobody else knows."""

    stored = to_json(GrowSettings(Bounds(1, 1, 1), budget=Patient()))
    with pytest.raises(BonsaiError, match="nothing is known of its budget"):
        from_json(json.loads(json.dumps(stored)))


@given(settings=SETTINGS, data=st.data())
def test_a_changed_record_is_an_error_or_other_settings(settings: GrowSettings, data: st.DataObject) -> None:
    stored = json.loads(json.dumps(to_json(settings)))
    key = data.draw(st.sampled_from([*stored, "another"]))
    stored[key] = data.draw(JSON)
    try:
        found = from_json(stored)
    except BonsaiError:
        return
    assert json.loads(json.dumps(to_json(found))) == stored


@given(settings=SETTINGS, data=st.data())
def test_a_record_with_a_missing_key_is_an_error(settings: GrowSettings, data: st.DataObject) -> None:
    stored = to_json(settings)
    del stored[data.draw(st.sampled_from([*stored]))]
    with pytest.raises(BonsaiError, match="cannot be resumed"):
        from_json(stored)


def complete() -> dict[str, Any]:
    settings = GrowSettings(Bounds(1, 1, 1), policy=Policy.PAPER)
    version = bonsai_version()
    return {"kind": "grow", "version": version, "folder": "json", "pools": {}, "settings": to_json(settings)}


def test_a_run_of_the_paper_policy_is_resumed_as_one() -> None:
    _, settings = asked_before(complete())
    assert settings.method().mutators == {"zest": 1}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"kind": RunKind.FUZZ.value}, "it was made by bonsai fuzz"),
        ({"kind": RunKind.MERGE.value}, "it was made by bonsai merge"),
        ({"kind": 3}, "damaged"),
        ({"version": "0.0.1"}, "it is of Bonsai 0.0.1"),
        ({"version": None}, "it is of Bonsai None"),
        ({"folder": "/nowhere/at/all"}, "its subject is no longer in /nowhere/at/all"),
        ({"folder": 3}, "'folder'"),
        ({"pools": {"A": 3}}, "'pools'"),
        ({"pools": None}, "'pools'"),
        ({"settings": []}, "'settings'"),
    ],
    ids=repr,
)
def test_what_cannot_be_resumed_says_why(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(BonsaiError, match="cannot be resumed") as caught:
        asked_before(complete() | changes)
    assert words in caught.value.message
    assert caught.value.hint


@pytest.mark.parametrize("key", complete())
def test_a_record_without_one_of_its_keys_is_one_line(key: str) -> None:
    record = complete()
    del record[key]
    with pytest.raises(BonsaiError, match="cannot be resumed"):
        asked_before(record)
