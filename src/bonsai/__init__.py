"""Bonsai grows a concise test corpus for any program that reads a structured language."""

from bonsai.errors import BonsaiError, Invalid, Unparsed

__all__ = ["BonsaiError", "Invalid", "Unparsed"]
