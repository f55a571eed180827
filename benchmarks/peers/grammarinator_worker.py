"""grammarinator's side of benchmarks/sampling.py, in its best case: one process, no files, no listeners."""

import importlib
import random
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from grammarinator.runtime import DefaultModel, RuleSize, simple_space_serializer
from grammarinator.tool import ProcessorTool
from serving import Limits, Programs, parse_limits, serve

GRAMMAR = Path(__file__).with_name("statements.g4")


def fresh(limits: Limits) -> Programs:
    """Random programs: a tree each, and its tokens with a space between any two."""
    random.seed(limits.seed)  # grammarinator's default model draws from the global generator
    make_generator = _generator_class()
    # A limit without tokens would allow none, and every program would be the smallest.
    limit = RuleSize(depth=limits.depth, tokens=RuleSize.max.tokens)
    generator = make_generator(model=DefaultModel(), limit=limit)

    def programs(count: int) -> list[str]:
        return [simple_space_serializer(generator.start()) for _ in range(count)]

    return programs


def _generator_class() -> Any:
    with TemporaryDirectory() as folder:
        ProcessorTool("py", folder).process([str(GRAMMAR)])
        sys.path.insert(0, folder)
        return importlib.import_module("statementsGenerator").statementsGenerator


if __name__ == "__main__":
    serve(fresh(parse_limits()))
