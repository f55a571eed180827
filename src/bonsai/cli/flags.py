"""Commands come in as Typer has them; they go out with help that shows flags bare, not as if a value followed."""

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

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise Abort from None
