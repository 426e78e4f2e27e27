"""The characters that MySQL's LIKE takes for equal, whatever their case and accents: those with one primary weight.

The table `letters_alike.txt` has one class a line, with Python's escapes for what an editor does not show. The classes are
those of MariaDB's `utf8mb4_uca1400_ai_ci`, by Unicode 14. MongoDB's own comparison has the same ones, as far as it knows
the characters. A character of no class is like itself alone.
"""

from __future__ import annotations

import ast
from functools import cache
from importlib.resources import files


def table() -> str:
    """The table as a Python literal. An emitted module contains it, as it has no file beside it."""
    text = files("nestling.ir.conversions").joinpath("letters_alike.txt").read_text(encoding="utf-8")
    return f'"""\\\n{text}"""'


@cache
def letters_alike() -> list[str]:
    """The classes, each as one text."""
    found: str = ast.literal_eval(table())
    return found.split("\n")
