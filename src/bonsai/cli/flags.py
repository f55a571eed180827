"""Commands come in as Typer has them; they go out with help that shows flags bare, not as if a value followed."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from typer import Abort
from typer.core import TyperCommand, TyperGroup, TyperOption


class _BareFlags:
    """What a command and a group of commands have in common: their parameters, as the help shows them."""

    def get_params(self, ctx: Any) -> list[Any]:  # Typer keeps these types to itself
        params: list[Any] = super().get_params(ctx)  # type: ignore[misc]  # of the class this is mixed into
        for param in params:
            if isinstance(param, TyperOption) and param.is_flag:
                param.metavar = ""
        return params


class Command(_BareFlags, TyperCommand):
    """A command with bare flags."""


class Group(_BareFlags, TyperGroup):
    """A group of commands with bare flags. Ctrl-C is an `Abort`: Typer alone would end without a word."""

    def make_context(self, *arguments: Any, **settings: Any) -> Any:
        with _aborting():
            return super().make_context(*arguments, **settings)

    def invoke(self, ctx: Any) -> Any:
        with _aborting():
            return super().invoke(ctx)


@contextmanager
def _aborting() -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        raise Abort from None
