"""A module of functions, one for each statement, with what they lean on above them and nothing else."""

from __future__ import annotations

import ast
import inspect
import keyword
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias, assert_never

from nestling.common.errors import GapError
from nestling.emitters.python_code import given_support, read_support, write_support
from nestling.emitters.python_code import write as write_python
from nestling.emitters.python_code.read import join_function, read_function
from nestling.ir.client_join import ClientJoin
from nestling.ir.compiled import CompiledRead, NotCompiled
from nestling.ir.literals import comment
from nestling.ir.program import CompiledWrite

Compiled: TypeAlias = CompiledRead | CompiledWrite | ClientJoin
Statement: TypeAlias = Compiled | NotCompiled


def module(statements: Sequence[Statement], *, title: str = "The statements of a design.") -> str:
    """The module's text; a statement that is a gap is a comment that says why."""
    functions = list(_functions(statements))
    code = "\n\n".join(functions)
    used = _support(code)
    writes = any(isinstance(each, CompiledWrite) for each in statements)
    more = [write_python.support().strip() + "\n"] if writes else []
    body = "\n\n".join([*used, *more, *functions])
    gap = "\n" if body.startswith(("def ", "# ")) else ""
    return f'"""{title} Written by nestling; it needs pymongo alone."""\n\n{_imports(body)}\n{gap}{body}'


def lacking(statements: Iterable[Statement]) -> tuple[tuple[str, str], ...]:
    """The statements a module has no function for: their names, and why."""
    return tuple((each.name, why) for each in statements if (why := _source(each, "statement")[1]))


def _functions(statements: Iterable[Statement]) -> Iterator[str]:
    taken: set[str] = set()
    for statement in statements:
        name = _function_name(statement.name, taken)
        taken.add(name)
        source, why = _source(statement, name)
        yield f"# {name} is not converted: {comment(why)}\n" if why else source


def _source(statement: Statement, name: str) -> tuple[str, str]:
    """The source of a statement's function, or why there is none."""
    if isinstance(statement, NotCompiled):
        return "", str(statement.gap)
    try:
        return function_source(statement, name), ""
    except GapError as error:
        return "", error.problems[0].what


def function_source(statement: Compiled, name: str) -> str:
    """The source of one statement's function; raises a gap error for what only nestling can convert."""
    match statement:
        case CompiledRead():
            return read_function(statement, name)
        case ClientJoin():
            return join_function(statement, name)
        case CompiledWrite():
            return write_python.write_function(statement, name)
        case _:
            assert_never(statement)


def _function_name(name: str, taken: set[str]) -> str:
    plain = "".join(c if c.isidentifier() or (c.isascii() and c.isdigit()) else "_" for c in name) or "statement"
    plain = f"_{plain}" if plain[0].isdigit() else plain
    reserved = keyword.iskeyword(plain) or plain in _DEFINED
    wish, number = f"{plain}_" if reserved else plain, 1
    found = wish
    while found in taken:
        number += 1
        found = f"{wish}_{number}"
    return found


# --- what the functions use ----------------------------------------------------------------------------------------------


_SOURCE = inspect.getsource(given_support) + inspect.getsource(read_support)
_TREE = ast.parse(_SOURCE)


def _names_of(node: ast.stmt) -> set[str]:
    """What a statement at the top of a module defines."""
    match node:
        case ast.FunctionDef(name=name):
            return {name}
        case ast.Assign(targets=targets):
            return {each.id for each in targets if isinstance(each, ast.Name)}
        case ast.AnnAssign(target=ast.Name(id=name)):
            return {name}
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            return {alias.asname or alias.name for alias in names}
        case _:
            return set()


_DEFINED = frozenset(name for node in _TREE.body for name in _names_of(node)) | frozenset(vars(write_support))


def _mentioned(source: str) -> set[str]:
    """The names the source takes from around it: those that are no arguments of the function they are in."""
    found: set[str] = set()
    for node in ast.parse(source).body:
        arguments = {each.arg for each in ast.walk(node) if isinstance(each, ast.arg)}
        found |= {each.id for each in ast.walk(node) if isinstance(each, ast.Name)} - arguments
    return found


def _support(code: str) -> list[str]:
    """The definitions the code needs, directly or through others, in the support's order."""
    parts = [
        (names, ast.get_source_segment(_SOURCE, node) or "")
        for node in _TREE.body
        if not isinstance(node, ast.Import | ast.ImportFrom) and (names := _names_of(node))
    ]
    wanted, seen = _mentioned(code), set[str]()
    while wanted - seen:
        seen |= wanted
        wanted = {name for names, source in parts if names & seen for name in _mentioned(source)} | seen
    chosen = [(names, source) for names, source in parts if names & wanted]
    constants = [source for names, source in chosen if not source.startswith("def ")]
    functions = [f"{source}\n" for _, source in chosen if source.startswith("def ")]
    plain = [source.replace("  # noqa: DTZ001", "") for source in functions]
    return (["\n".join(constants) + "\n"] if constants else []) + plain


_WRITE_IMPORTS = ast.parse(write_python.IMPORTS).body
_STANDARD = ("json", "re", "collections", "datetime", "decimal", "typing", "uuid")


def _imports(body: str) -> str:
    """The imports the code needs: the standard library's, then others', each sorted."""
    used = _mentioned(body)
    plain, named = set[str](), dict[str, set[str]]()
    for node in (*_TREE.body, *_WRITE_IMPORTS):
        if isinstance(node, ast.Import):
            plain |= {alias.name for alias in node.names if alias.name in used}
        elif isinstance(node, ast.ImportFrom) and node.module and node.module != "__future__":
            named.setdefault(node.module, set()).update(alias.name for alias in node.names if alias.name in used)
    for name in ("MaxKey", "MinKey", "ObjectId", "Int64"):
        if name in used:
            named.setdefault("bson", set()).add(name)
    lines = [f"import {name}" for name in sorted(plain)]
    lines += [
        f"from {name} import {', '.join(sorted(named[name], key=_order))}" for name in sorted(named) if named[name]
    ]
    ours = [line for line in lines if line.split()[1].split(".")[0] in _STANDARD]
    others = [line for line in lines if line not in ours]
    return "\n".join(ours) + "\n\n" + "\n".join(others) + "\n"


def _order(name: str) -> tuple[bool, str]:
    """Constants first, as ruff sorts them."""
    return not name.isupper(), name
