"""The variables of scripts for mongosh that stand for a statement's parameters."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from importlib.resources import files

from nestling.emitters.identifiers import identifier
from nestling.ir.programs.client_join import ClientJoin
from nestling.ir.programs.compiled import CompiledRead, Placeholder, placeholders_in
from nestling.ir.programs.program import CompiledWrite

BLOCK = re.compile(r"^(?:// [^\n]*\n)*(?:const|function) (\w+)", re.MULTILINE)
"""The beginning of one definition of the support, with its name."""
_WORDS = re.findall(
    r"\w+",
    """
    arguments await break case catch class const continue debugger default delete do else enum eval export extends
    false finally for function if implements import in instanceof interface let new null of package private
    protected public return static super switch this throw true try typeof undefined var void while with yield
    """,
)
"""The words of JavaScript."""
_GLOBALS = (
    *("Array", "EJSON", "Error", "Infinity", "Map", "Math", "NaN", "Number", "Object", "Set", "print"),
    *("BinData", "Double", "ISODate", "MaxKey", "MinKey", "NumberDecimal", "NumberLong", "ObjectId", "UUID"),
)
"""What scripts use of JavaScript and of mongosh."""
_OWN = ("affected", "answered", "db", "last", "met", "my", "options", "row", "session")
"""What scripts call their own."""


def support() -> str:
    """What scripts call; written out before them."""
    return files("nestling.emitters.mql").joinpath("write_support.js").read_text(encoding="utf-8")


@cache
def taken() -> frozenset[str]:
    """Names that no parameter and no rows have."""
    numbered = (f"row{depth}" for depth in range(2, 10))
    return frozenset((*_WORDS, *_GLOBALS, *_OWN, *numbered, *(found[1] for found in BLOCK.finditer(support()))))


def legend(statement: CompiledRead | CompiledWrite | ClientJoin) -> Iterator[str]:
    """What the variables of a compiled statement stand for, where that is not the parameter's value itself."""
    given = (each for each in placeholders_in(statement) if each.name in statement.parameters)
    told = {(variable(each), each.legend): None for each in given if each.legend}
    return (f"{name}: {words}" for name, words in told)


def variable(placeholder: Placeholder) -> str:
    """What a script knows the value of a parameter as: its name, and `_` after a name that means something else there."""
    name = identifier(placeholder.name, taken(), otherwise="value")
    return f"{name}_{placeholder.stands_for}" if placeholder.stands_for else name
