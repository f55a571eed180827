"""Bonsai grows a concise test corpus for any program that reads a structured language.

The job in a few calls:

>>> import bonsai
>>> subject = bonsai.load_subject("json")
>>> [program] = bonsai.sample(subject, seed=3)
>>> bonsai.measure(program) <= subject.bounds
True
>>> bonsai.parse(subject.grammar, '{"key": [1, 2]}').text
'{"a": [1, 2]}'
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bonsai.api import fuzz, grow, sample
    from bonsai.bounds import Bounds
    from bonsai.counting import count, log10_count
    from bonsai.derivation import Derivation, measure
    from bonsai.errors import BonsaiError, Invalid, Unparsed
    from bonsai.grammar.lark_reader import read_lark, read_lark_text
    from bonsai.grammar.model import Grammar
    from bonsai.grammar.pools import Lexicon
    from bonsai.grow_settings import GrowSettings
    from bonsai.parse_back import parse
    from bonsai.subject import Subject, load_subject

__version__: str

# Loaded when first used: a driver that imports `bonsai.errors` into a target's process must not pull in Lark.
_HOMES = {
    "BonsaiError": "bonsai.errors",
    "Bounds": "bonsai.bounds",
    "Derivation": "bonsai.derivation",
    "Grammar": "bonsai.grammar.model",
    "GrowSettings": "bonsai.grow_settings",
    "Invalid": "bonsai.errors",
    "Lexicon": "bonsai.grammar.pools",
    "Subject": "bonsai.subject",
    "Unparsed": "bonsai.errors",
    "count": "bonsai.counting",
    "fuzz": "bonsai.api",
    "load_subject": "bonsai.subject",
    "log10_count": "bonsai.counting",
    "measure": "bonsai.derivation",
    "parse": "bonsai.parse_back",
    "read_lark": "bonsai.grammar.lark_reader",
    "read_lark_text": "bonsai.grammar.lark_reader",
    "sample": "bonsai.api",
}

__all__ = [
    "BonsaiError",
    "Bounds",
    "Derivation",
    "Grammar",
    "GrowSettings",
    "Invalid",
    "Lexicon",
    "Subject",
    "Unparsed",
    "__version__",
    "count",
    "fuzz",
    "grow",
    "load_subject",
    "log10_count",
    "measure",
    "parse",
    "read_lark",
    "read_lark_text",
    "sample",
]


def __getattr__(name: str) -> object:
    if name == "__version__":
        return import_module("bonsai.version").bonsai_version()
    if name not in _HOMES:
        raise AttributeError(f"module 'bonsai' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


class _Package(ModuleType):
    """`bonsai.grow` is the function, though there is a module of that name, which importing it would put here."""

    @property
    def grow(self) -> object:
        return import_module("bonsai.api").grow

    @grow.setter
    def grow(self, module: ModuleType) -> None: ...


sys.modules[__name__].__class__ = _Package
