"""A statement's footprint over the model: what it accesses, how, and along which relationships."""

from __future__ import annotations

import re
from dataclasses import dataclass

import sqlglot
from sqlglot import exp
from sqlglot.errors import ParseError, SqlglotError
from sqlglot.tokenizer_core import Token

from nestling.common.sql_syntax import misspelt, not_parsed, syntax_words
from nestling.common.sql_tokens import as_insert, sql_tokens, take_overriding
from nestling.ir.model import Model, View
from nestling.ir.reading import GapKind
from nestling.ir.statements.sql_dialects import GRAMMARS, SQLITE
from nestling.ir.workload import Access, StatementKind
from nestling.sources.statements.joins import Links, is_above, joined_columns, reached_occurrences, recursive_walk
from nestling.sources.statements.occurrences import ColumnOrigin, Occurrence
from nestling.sources.statements.queries import walk_query
from nestling.sources.statements.views import with_views
from nestling.sources.statements.walk import Mistake, StatementWalk
from nestling.sources.statements.writes import walk_delete, walk_insert, walk_update

_READABLE = re.compile(r"^[\s(]*(?:SELECT|INSERT|UPDATE|DELETE|WITH|VALUES|REPLACE)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class StatementFootprint:
    """What a statement does; `texts` are the places (start, end, text) of strings that stand in double quotes.

    `joined`: the columns of two different tables (or of two occurrences of one) that it makes equal.
    """

    kind: StatementKind
    accesses: tuple[Access, ...]
    mistakes: tuple[Mistake, ...] = ()
    texts: tuple[tuple[int, int, str], ...] = ()
    limit: int | None = None
    joined: tuple[tuple[ColumnOrigin, ColumnOrigin], ...] = ()


def syntax_tree(sql: str, dialect: str) -> exp.Expr | Mistake:
    """A statement with `:name` parameters as a tree, whatever the tables are; or why it cannot be parsed."""
    if _READABLE.match(sql) is None:
        if said := misspelt(sql.lstrip()):
            return Mistake(f"it cannot be read as SQL: {said}", 0)
        word = sql.split(maxsplit=1)[0].upper() if sql.split() else "nothing"
        return Mistake(f"{word} is not SELECT, INSERT, UPDATE or DELETE", 0, GapKind.NOTIMPL)
    tree = _parsed(sql, dialect)
    if isinstance(tree, Mistake):
        return tree
    if isinstance(tree, exp.DML) and not isinstance(tree.this, exp.Expr):
        return Mistake(f"{tree.key.upper()} names no table", 0)
    return tree


def footprint(sql: str, model: Model, dialect: str, links: Links) -> StatementFootprint | Mistake:
    """The footprint of one statement with `:name` parameters, or why it cannot be read."""
    tree = syntax_tree(sql, dialect)
    if isinstance(tree, Mistake):
        return tree
    tree = with_views(tree, model, lambda view: _select(view, dialect))
    walk = StatementWalk(model, sql, dialect)
    kind = _walk(tree, walk, replaces=as_insert(sql)[1])
    if kind is None:
        return Mistake(f"{tree.key.upper()} is not SELECT, INSERT, UPDATE or DELETE", 0, GapKind.NOTIMPL)
    found = walk.occurrences
    accesses, earlier = list[Access](), list[Occurrence]()
    for item, via in reached_occurrences(found, walk.equal, links):
        way = recursive_walk(item, via, found, walk.equal, model)
        up = way is None and is_above(item, via, earlier, walk.equal, model)
        accesses.append(item.access(via, way, () if via else joined_columns(item, walk.equal, links), up=up))
        earlier.append(item)
    texts = tuple(sorted((*_span(name), name.name) for name in walk.text_literals))
    pairs = tuple((left, right) for left, right in walk.equal.pairs if left[0] is not right[0])
    return StatementFootprint(kind, tuple(accesses), tuple(walk.mistakes), texts, _limit(tree), pairs)


def _limit(tree: exp.Expr) -> int | None:
    """The number behind LIMIT or FETCH FIRST, where one stands there."""
    clause = tree.args.get("limit")
    number = clause.args.get("expression") or clause.args.get("count") if clause is not None else None
    return int(number.name) if isinstance(number, exp.Literal) and number.name.isdigit() else None


def _select(view: View, dialect: str) -> exp.Expr | None:
    tree = _parsed(view.sql, view.dialect or dialect)
    return None if isinstance(tree, Mistake) else tree


def _parsed(sql: str, dialect: str) -> exp.Expr | Mistake:
    (replaced, _), tokens = as_insert(sql), list[Token]()
    try:
        grammar = sqlglot.Dialect.get_or_raise(GRAMMARS[dialect or SQLITE])
        tokens = sql_tokens(replaced, grammar)
        take_overriding(tokens, GRAMMARS[dialect or SQLITE])
        trees = [tree for tree in grammar.parser().parse(tokens, replaced) if tree is not None]
    except SqlglotError as problem:
        if (clause := not_parsed(tokens)) is not None:
            construct, token = clause
            return Mistake(construct, token.start, GapKind.NOTIMPL)
        found = problem.errors[0] if isinstance(problem, ParseError) and problem.errors else {}
        lines = replaced.splitlines(keepends=True)[: int(found.get("line") or 1) - 1]
        column = int(found.get("col") or 1) - len(str(found.get("highlight") or ""))
        return Mistake(f"it cannot be read as SQL: {syntax_words(problem)}", sum(map(len, lines)) + max(column, 0))
    except RecursionError:
        return Mistake("it is nested too deeply to be read", 0, GapKind.NOTIMPL)
    except (TypeError, IndexError) as problem:
        return Mistake(f"it cannot be read as SQL: {syntax_words(problem)}", 0)
    return _with_nots(trees[0]) if trees else Mistake("there is no statement", 0)


def _with_nots(tree: exp.Expr) -> exp.Expr:
    """`IS NOT` and `NOT LIKE` as a NOT around what is denied: some grammars say it by an argument, others so."""
    for node in list(tree.find_all(exp.Is, exp.Like, exp.ILike)):
        if node.args.get("negate"):
            denied = exp.Not()
            node.replace(denied)
            node.set("negate", None)
            denied.set("this", node)
    return tree


def _walk(tree: exp.Expr, walk: StatementWalk, *, replaces: bool) -> StatementKind | None:
    if isinstance(tree, exp.Insert):
        walk_insert(tree, walk, replaces=replaces)
        return StatementKind.INSERT
    if isinstance(tree, exp.Update):
        walk_update(tree, walk)
        return StatementKind.UPDATE
    if isinstance(tree, exp.Delete):
        walk_delete(tree, walk)
        return StatementKind.DELETE
    if isinstance(tree, exp.Query | exp.Values):
        walk_query(tree, walk, None)
        return StatementKind.SELECT
    return None


def _span(name: exp.Identifier) -> tuple[int, int]:
    return int(name.meta["start"]), int(name.meta["end"]) + 1
