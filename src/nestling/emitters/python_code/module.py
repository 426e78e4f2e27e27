"""A module with one function for each statement, preceded by exactly the support code that they use."""

from __future__ import annotations

import builtins
import keyword
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias, assert_never

from nestling.common.errors import GapError
from nestling.emitters.identifiers import Identifiers
from nestling.emitters.python_code.read import join_function, read_function
from nestling.emitters.python_code.support import DEFINED, imports, support
from nestling.emitters.python_code.write import write_function
from nestling.ir.literals import comment
from nestling.ir.programs.client_join import ClientJoin
from nestling.ir.programs.compiled import CompiledRead, NotCompiled
from nestling.ir.programs.program import CompiledWrite

CompiledCode: TypeAlias = CompiledRead | CompiledWrite | ClientJoin
CodeStatement: TypeAlias = CompiledCode | NotCompiled


def module(statements: Sequence[CodeStatement], *, title: str = "The statements of a design.") -> str:
    """The module's text; a statement that is a gap is a comment that says why."""
    functions = list(_functions(statements))
    body = "\n\n".join([*support("\n\n".join(functions)), *functions])
    gap = "\n" if body.startswith(("def ", "# ")) else ""
    return f'"""{title} Written by nestling; it needs pymongo alone."""\n\n{imports(body)}\n{gap}{body}'


def lacking(statements: Iterable[CodeStatement]) -> tuple[tuple[str, str], ...]:
    """The statements a module has no function for: their names, and why."""
    return tuple((each.name, why) for each in statements if (why := _source(each, "statement")[1]))


def _functions(statements: Sequence[CodeStatement]) -> Iterator[str]:
    names = Identifiers(reserved=_RESERVED, otherwise="statement")
    names.keep(each.name for each in statements)
    for statement in statements:
        name = names[statement.name]
        source, why = _source(statement, name)
        yield f"# {name} is not converted: {comment(why)}\n" if why else source


def _source(statement: CodeStatement, name: str) -> tuple[str, str]:
    """The source of a statement's function, and the reason if there is none."""
    if isinstance(statement, NotCompiled):
        return "", str(statement.gap)
    try:
        return function_source(statement, name), ""
    except GapError as error:
        return "", error.problems[0].what


def function_source(statement: CompiledCode, name: str) -> str:
    """The source of one statement's function. Raises a gap error if only nestling itself can do the conversion."""
    match statement:
        case CompiledRead():
            return read_function(statement, name)
        case ClientJoin():
            return join_function(statement, name)
        case CompiledWrite():
            return write_function(statement, name)
        case _:
            assert_never(statement)


_RESERVED = DEFINED | frozenset(keyword.kwlist) | frozenset(dir(builtins))
"""Names that mean something else everywhere in a module."""
