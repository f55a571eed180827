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

from importlib.metadata import PackageNotFoundError, version

from bonsai.api import sample
from bonsai.bounds import Bounds
from bonsai.counting import count, log10_count
from bonsai.derivation import Derivation, measure
from bonsai.errors import BonsaiError, Invalid, Unparsed
from bonsai.grammar.lark_reader import read_lark, read_lark_text
from bonsai.grammar.model import Grammar
from bonsai.grammar.pools import Lexicon
from bonsai.parse_back import parse
from bonsai.subject import Subject, load_subject

try:
    __version__ = version("bonsai-fuzzing")
except PackageNotFoundError:  # run from a source tree that is not installed
    __version__ = "0+unknown"

__all__ = [
    "BonsaiError",
    "Bounds",
    "Derivation",
    "Grammar",
    "Invalid",
    "Lexicon",
    "Subject",
    "Unparsed",
    "__version__",
    "count",
    "load_subject",
    "log10_count",
    "measure",
    "parse",
    "read_lark",
    "read_lark_text",
    "sample",
]
