"""The support code of emitted functions: nestling's own definitions, copied together with those they need."""

from __future__ import annotations

import ast
import inspect
import symtable
import sys
from collections.abc import Iterator
from functools import cache

from nestling.emitters.python_code import read_support, write_support
from nestling.ir import codec, rows
from nestling.ir.conversions import (
    given,
    like_patterns,
    postgresql_case,
    postgresql_texts,
    servers,
    sqlite,
    stored,
)
from nestling.ir.conversions.letters_alike import table
from nestling.ir.value_forms import (
    array_text,
    bson_in_json,
    calendar_units,
    canonical_texts,
    instants,
    json_documents,
    json_text,
    letter_case,
    nans,
    numeral,
    row_counts,
    time_text,
    two_digit_years,
    zero_dates,
)

_MODULES = (
    array_text,
    bson_in_json,
    calendar_units,
    canonical_texts,
    codec,
    instants,
    json_documents,
    json_text,
    letter_case,
    nans,
    numeral,
    row_counts,
    rows,
    time_text,
    two_digit_years,
    zero_dates,
    given,
    like_patterns,
    postgresql_case,
    sqlite,
    servers,
    postgresql_texts,
    stored,
    read_support,
    write_support,
)
"""Modules that are searched for definitions. No two define the same name, and copied code knows only pymongo."""
OWN_IMPORTS = """\
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4
from bson import Binary, Decimal128, Int64, MaxKey, MinKey, ObjectId
from bson.datetime_ms import DatetimeMS
from pymongo import DeleteMany, DeleteOne, ReplaceOne, UpdateMany, UpdateOne
from pymongo.database import Database
from pymongo.read_concern import ReadConcern
from pymongo.write_concern import WriteConcern
"""
"""Imports that the functions themselves use."""


def _names_of(node: ast.stmt) -> set[str]:
    """The names that a top-level statement of a module defines."""
    match node:
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name, decorator_list=[]):
            return {name}
        case ast.Assign(targets=targets):
            return {each.id for each in targets if isinstance(each, ast.Name)}
        case ast.AnnAssign(target=ast.Name(id=name)):
            return {name}
        case _:
            return set()


def _is_import(node: ast.stmt) -> bool:
    ours = isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in ("nestling", "__future__")
    return isinstance(node, ast.Import | ast.ImportFrom) and not ours


def _letters_alike() -> str:
    """`letters_alike` of the library reads a file; this one has the table in itself."""
    says = '"""Characters of one primary weight, one class a text."""'
    return f'def letters_alike() -> list[str]:\n    {says}\n    return {table()}.split("\\n")'


_BLOCKS = ("def ", "class ")


def _definitions(source: str, tree: ast.Module) -> dict[str, str]:
    """The text of each definition at the top of a module. The lines are split once: `ast.get_source_segment` does it per node."""
    lines = source.encode().split(b"\n")
    return {name: _text(lines, node) for node in tree.body for name in _names_of(node)}


def _text(lines: list[bytes], node: ast.stmt) -> str:
    """The source text of a statement that begins its line."""
    *whole, last = lines[node.lineno - 1 : node.end_lineno]
    return b"\n".join((*whole, last[: node.end_col_offset])).decode()


_SOURCES = {source: ast.parse(source) for source in (*map(inspect.getsource, _MODULES), OWN_IMPORTS)}
_DEFINITIONS = {
    name: text for source, tree in _SOURCES.items() for name, text in _definitions(source, tree).items()
} | {"letters_alike": _letters_alike()}
_IMPORTS = [node for tree in _SOURCES.values() for node in tree.body if _is_import(node)]
DEFINED = frozenset(_DEFINITIONS) | {alias.name for node in _IMPORTS for alias in node.names}  # type: ignore[attr-defined]
"""Names that nothing else in a module may have."""


@cache
def _mentioned(source: str) -> frozenset[str]:
    """The global names that the source uses; a local variable of the same name is none."""
    return frozenset(_global_names(symtable.symtable(source, "<emitted>", "exec")))


def _global_names(scope: symtable.SymbolTable) -> Iterator[str]:
    is_module = scope.get_type() == "module"
    for symbol in scope.get_symbols():
        if symbol.is_referenced() and (is_module or symbol.is_global()):
            yield symbol.get_name()
    for inner in scope.get_children():
        yield from _global_names(inner)


def support(code: str) -> list[str]:
    """The definitions the code needs, directly or through others: constants, functions, constants that are made of these."""
    wanted, new = set[str](), set(_mentioned(code)) & _DEFINITIONS.keys()
    while new:
        wanted |= new
        new = {each for name in new for each in _mentioned(_DEFINITIONS[name])} & _DEFINITIONS.keys() - wanted
    chosen = [source for name, source in _DEFINITIONS.items() if name in wanted]
    functions = [f"{source}\n" for source in chosen if source.startswith(_BLOCKS)]
    known = {name for name in wanted if _DEFINITIONS[name].startswith(_BLOCKS)}
    constants = [source for source in chosen if not source.startswith(_BLOCKS)]
    first = [source for source in constants if not _mentioned(source) & known]
    last = [source for source in constants if source not in first]
    plain = [source.replace("  # noqa: DTZ001", "") for source in functions]
    return [*_together(first), *plain, *_together(last)]


def _together(constants: list[str]) -> list[str]:
    return ["\n".join(constants) + "\n"] if constants else []


def imports(body: str) -> str:
    """The imports the code needs: the standard library's, then others', each sorted."""
    used = _mentioned(body)
    plain, named = set[str](), dict[str, set[str]]()
    for node in _IMPORTS:
        if isinstance(node, ast.Import):
            plain |= {alias.name for alias in node.names if alias.name in used}
        elif isinstance(node, ast.ImportFrom) and node.module:
            named.setdefault(node.module, set()).update(alias.name for alias in node.names if alias.name in used)
    lines = [f"import {name}" for name in sorted(plain)]
    lines += [
        f"from {name} import {', '.join(sorted(named[name], key=_order))}" for name in sorted(named) if named[name]
    ]
    ours = [line for line in lines if line.split()[1].split(".")[0] in sys.stdlib_module_names]
    others = [line for line in lines if line not in ours]
    return "\n".join(ours) + "\n\n" + "\n".join(others) + "\n"


def _order(name: str) -> tuple[bool, str]:
    """Constants first, as ruff sorts them."""
    return not name.isupper(), name
