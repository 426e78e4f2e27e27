"""The variables in mongosh scripts that stand for a statement's parameters."""

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
"""Names of JavaScript and mongosh that scripts use."""
_OWN = ("affected", "answered", "db", "last", "met", "my", "options", "row", "session")
"""Names that scripts define."""


def support() -> str:
    """The functions that scripts call, to be printed before them."""
    return files("nestling.emitters.mql").joinpath("write_support.js").read_text(encoding="utf-8")


@cache
def taken() -> frozenset[str]:
    """Names that no parameter and no rows have."""
    numbered = (f"row{depth}" for depth in range(2, 10))
    return frozenset((*_WORDS, *_GLOBALS, *_OWN, *numbered, *(found[1] for found in BLOCK.finditer(support()))))


def legend(statement: CompiledRead | CompiledWrite | ClientJoin) -> Iterator[str]:
    """Explain the variables of a compiled statement that are not simply the parameter's value."""
    given = (each for each in placeholders_in(statement) if each.name in statement.parameters)
    told = {(variable(each), each.legend): None for each in given if each.legend}
    return (f"{name}: {words}" for name, words in told)


def variable(placeholder: Placeholder) -> str:
    """The variable for a parameter: its name, with `_` if the name has another meaning in a script."""
    name = identifier(placeholder.name, taken(), otherwise="value")
    return f"{name}_{placeholder.stands_for}" if placeholder.stands_for else name
