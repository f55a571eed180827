"""What is asked of a run of `bonsai grow`, and how it is stored: readably in `run.json`, exactly for `--resume`.

`to_json` and `from_json` are inverse to each other. `run.sqlite` keeps the exact form (see `record`), and the parts
that the target was made of when the run began.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from enum import Enum
from typing import Any, TypeVar

from bonsai.bounds import Bounds, require_positive
from bonsai.budget import Auto, Executions, NodeBudget, Seconds
from bonsai.cbgf import METHODS, Method, Pruning
from bonsai.choices import Choices
from bonsai.corpus import Policy, Select
from bonsai.dedup import Dedup
from bonsai.errors import BonsaiError
from bonsai.feedback import Saving
from bonsai.grow_tasks import KEEP_EVERY, Plan
from bonsai.lattice import Kind, Lattice, Node
from bonsai.mutators import MUTATORS, require_mutator
from bonsai.schema import RunKind
from bonsai.subject import Subject, identity, recorded_subject, target_parts
from bonsai.targets.parts import changed_parts
from bonsai.version import bonsai_version
from bonsai.wording import listed

CHECKPOINT_EVERY = "BONSAI_CHECKPOINT_EVERY"  # seconds; for tests that cannot wait
START_ANEW = "start a new run, in another folder"
_BUDGETS: dict[str, type[Auto | Executions | Seconds]] = {
    "auto": Auto,
    "executions": Executions,
    "seconds": Seconds,
}
_Value = TypeVar("_Value")


class Reach(Enum):
    """Whether the upper bounds stay as they are, or are raised while that pays."""

    FIXED = "fixed"
    AUTO = "auto"


@dataclass(frozen=True, slots=True)
class GrowSettings:
    """What is asked of a run. None of it can change when a run is resumed."""

    bounds: Bounds
    reach: Reach = Reach.FIXED
    lattice: Kind = Kind.EXTENDED
    budget: NodeBudget = field(default_factory=Auto)
    policy: Policy = Policy.SMALLEST
    select: Select = Select.VALID_FIRST
    seed: int = 0
    shards: int = 1
    top_up: NodeBudget | None = None
    planted: tuple[tuple[Node, tuple[Choices, ...]], ...] = ()
    mutators: tuple[str, ...] = ()  # only these; otherwise the policy's
    dedup: Dedup = Dedup.ANCESTRY
    pruning: Pruning = Pruning.ON
    kill_mutants: int | None = None  # how many programs to try after growing; see `mutation.killing`

    def method(self) -> Method:
        """Returns how nodes search: as the policy has it, but for what is switched off."""
        method = METHODS[self.policy]
        return replace(
            method,
            mutators={name: MUTATORS[require_mutator(name)].weight for name in self.mutators} or method.mutators,
            dedup=self.dedup,
            pruning=method.pruning if self.pruning is Pruning.ON else Pruning.OFF,
        )

    def plan(self) -> Plan:
        """Returns the plan for `grow`."""
        return Plan(
            lattice=Lattice(self.bounds, self.lattice),
            method=self.method(),
            budget=self.budget,
            seed=self.seed,
            shards=self.shards,
            planted=dict(self.planted),
            top_up=self.top_up,
            keep_every=_keep_every(),
        )


def _keep_every() -> float:
    """Returns how many seconds there are between two checkpoints of a task."""
    text = os.environ.get(CHECKPOINT_EVERY, "")
    try:
        return float(text) if text else KEEP_EVERY
    except ValueError:
        raise BonsaiError(f"{CHECKPOINT_EVERY} is {text!r}", "it is a number of seconds, such as 30") from None


def asked(subject: Subject, settings: GrowSettings, features: Sequence[str]) -> dict[str, Any]:
    """Returns what was asked, as the first keys of `run.json`: for people to read."""
    return {
        "kind": RunKind.GROW.value,
        **identity(subject, features),
        "bounds": _numbers(settings.bounds),
        "reach": settings.reach.value,
        "lattice": settings.lattice.value,
        "policy": settings.policy.value,
        "select": settings.select.value,
        "seed": settings.seed,
        "budget": str(settings.budget),
        "top_up": None if settings.top_up is None else str(settings.top_up),
        "mutators": list(settings.method().mutators),
        "dedup": settings.dedup.value,
        "pruning": settings.method().pruning.value,
        "kill_mutants": settings.kill_mutants,
        "shards": settings.shards,
        "planted": _planted_to_json(settings.planted),
        "pools": {name: terminal.values for name, terminal in subject.grammar.terminals.items()}
        if settings.planted
        else {},
    }


def record(subject: Subject, settings: GrowSettings, features: Sequence[str]) -> dict[str, Any]:
    """Returns what `run.sqlite` keeps of a run that begins: all that it takes to resume it, exactly."""
    parts = target_parts(subject, features)
    return {**asked(subject, settings, features), "settings": to_json(settings), "target": parts}


def asked_before(found: Mapping[str, Any]) -> tuple[Subject, GrowSettings]:
    """Returns the subject and the settings of a run that is to be resumed, from its record.

    Raises an error if it is not a run of `bonsai grow`, is of another version, or has lost its subject.
    """
    kind = found.get("kind")
    if kind != RunKind.GROW.value and kind in [other.value for other in RunKind]:
        message = f"the run cannot be resumed: it was made by bonsai {kind}, all at once"
        raise BonsaiError(message, "only runs of bonsai grow can be resumed; start a new run, in another folder")
    if kind != RunKind.GROW.value:
        raise _damaged("kind")
    if found.get("version") != bonsai_version():
        raise BonsaiError(
            f"the run cannot be resumed: it is of Bonsai {found.get('version')}, this is {bonsai_version()}",
            START_ANEW,
        )
    settings = from_json(_read(found, "settings", _mapping))
    pools = _read(found, "pools", _pools)
    subject = recorded_subject(_read(found, "folder", _text))
    return replace(subject, grammar=subject.grammar.with_pools(pools)) if pools else subject, settings


def require_same(before: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    """Raises an error if a record is not of the grammar and the target that it was begun with."""
    if _read(before, "grammar_hash", _text) != now["grammar_hash"]:
        raise _changed(["the grammar"])
    changes = changed_parts(_read(before, "target", _mapping), now["target"])
    if changes:
        raise _changed(changes)


def _changed(names: Sequence[str]) -> BonsaiError:
    have = "has" if len(names) == 1 else "have"
    message = f"the run cannot be resumed: {listed(names)} {have} changed since it began"
    return BonsaiError(message, "undo the change, or start a new run in another folder")


# --- settings as JSON, exactly ---------------------------------------------------------------------


def to_json(settings: GrowSettings) -> dict[str, Any]:
    """Returns the settings as JSON, from which `from_json` makes equal settings."""
    values = {entry.name: getattr(settings, entry.name) for entry in fields(GrowSettings)}
    return {name: _WRITERS.get(name, _plain)(value) for name, value in values.items()}


def from_json(record: Mapping[str, Any]) -> GrowSettings:
    """Returns the settings that `to_json` wrote. Raises an error about a key that is unknown, missing or wrong."""
    for name in record:
        if name not in _READERS:
            raise _damaged(name)
    return GrowSettings(**{name: _read(record, name, reader) for name, reader in _READERS.items()})


def _damaged(key: str) -> BonsaiError:
    message = f"the run cannot be resumed: its record is damaged, or of another version of Bonsai (see {key!r})"
    return BonsaiError(message, START_ANEW)


def _read(record: Mapping[str, Any], key: str, reader: Callable[[Any], _Value]) -> _Value:
    """Returns the value of a key. Raises an error if it is missing, or is not what the reader takes."""
    try:
        return reader(record[key])
    except (AttributeError, LookupError, OverflowError, TypeError, ValueError):
        raise _damaged(key) from None


def _plain(value: Any) -> Any:
    return value.value if isinstance(value, Enum) else value


def _numbers(bounds: Bounds) -> list[int]:
    return [bounds.idents, bounds.items, bounds.depth]


def _budget_to_json(budget: NodeBudget | None) -> dict[str, Any] | None:
    """Returns a budget by its name and its exact figures; one of another class can be used, but not be resumed."""
    if budget is None:
        return None
    for name, kind in _BUDGETS.items():
        if type(budget) is kind:
            return {name: asdict(budget)}
    return {"other": str(budget)}


def _budget(value: Any) -> NodeBudget:
    [(name, figures)] = value.items()
    if name == "other":
        message = f"the run cannot be resumed: nothing is known of its budget but {figures!r}"
        raise BonsaiError(message, START_ANEW)
    budget = _BUDGETS[name](**figures)
    for entry in fields(budget):
        number = getattr(budget, entry.name)
        if type(number) is not int and not (entry.type is float and type(number) is float):
            raise TypeError(number)
    return budget


def _planted_to_json(planted: tuple[tuple[Node, tuple[Choices, ...]], ...]) -> list[Any]:
    return [[_numbers(node.bounds), node.saving.value, [list(seed) for seed in seeds]] for node, seeds in planted]


def _planted(value: Any) -> tuple[tuple[Node, tuple[Choices, ...]], ...]:
    return tuple(
        (Node(_bounds(bounds), Saving(saving)), tuple(tuple(map(_integer, seed)) for seed in _list(seeds)))
        for bounds, saving, seeds in _list(value)
    )


def _bounds(value: Any) -> Bounds:
    idents, items, depth = map(_integer, _list(value))
    return require_positive(Bounds(idents, items, depth))


def _integer(value: Any) -> int:
    if type(value) is not int:
        raise TypeError(value)
    return value


def _positive(value: Any) -> int:
    if _integer(value) < 1:
        raise ValueError(value)
    return _integer(value)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(value)
    return value


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError(value)
    return value


def _mapping(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise TypeError(value)
    return value


def _pools(value: Any) -> dict[str, tuple[str, ...]]:
    return {name: tuple(map(_text, _list(values))) for name, values in _mapping(value).items()}


def _optional(reader: Callable[[Any], _Value]) -> Callable[[Any], _Value | None]:
    return lambda value: None if value is None else reader(value)


_WRITERS: dict[str, Callable[[Any], Any]] = {
    "bounds": _numbers,
    "budget": _budget_to_json,
    "top_up": _budget_to_json,
    "planted": _planted_to_json,
    "mutators": list,
}
_READERS: dict[str, Callable[[Any], Any]] = {
    "bounds": _bounds,
    "reach": Reach,
    "lattice": Kind,
    "budget": _budget,
    "policy": Policy,
    "select": Select,
    "seed": _integer,
    "shards": _positive,
    "top_up": _optional(_budget),
    "planted": _planted,
    "mutators": lambda value: tuple(map(require_mutator, _list(value))),
    "dedup": Dedup,
    "pruning": Pruning,
    "kill_mutants": _optional(_integer),
}
