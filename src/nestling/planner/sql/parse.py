"""Text to sqlglot's tree: one statement, not too long, of a kind that reads or writes rows."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import MappingProxyType

import sqlglot
from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from nestling.common.errors import Problem, WorkloadError
from nestling.common.sql_constants import ConstantValue, with_constants
from nestling.common.sql_syntax import UNREADABLE, misspelt, misspelt_first, not_parsed, syntax_words
from nestling.common.sql_tokens import (
    OWN_CALLS,
    as_insert,
    name_calls,
    name_float_mod,
    name_interval_calls,
    restore_own_calls,
    sql_tokens,
    take_overriding,
    without_brackets,
)
from nestling.ir.reading import Gap, GapKind
from nestling.ir.statements.operators import Rules
from nestling.planner.sql.dialect import Dialect
from nestling.planner.sql.gaps import StatementGap
from nestling.planner.sql.postgresql.array_queries import with_array_queries
from nestling.planner.sql.postgresql.interval_text import as_written, keep_whole
from nestling.planner.sql.postgresql.make_interval import with_intervals
from nestling.planner.sql.precedence import refuse_other_order
from nestling.planner.sql.time_formats import AS_WRITTEN, restore_formats

LONGEST_BYTES = 100_000
"""Statements people write are far shorter; those machines write beyond this belong into a table of their own."""

_STATEMENTS = (exp.Select, exp.SetOperation, exp.Subquery, exp.Values, exp.Insert, exp.Update, exp.Delete)
_LIST_ENDS = frozenset(
    {
        TokenType.FROM, TokenType.WHERE, TokenType.GROUP_BY, TokenType.HAVING, TokenType.ORDER_BY, TokenType.LIMIT,
        TokenType.UNION, TokenType.INTERSECT, TokenType.EXCEPT, TokenType.WINDOW, TokenType.SEMICOLON, TokenType.OFFSET,
    }
)  # fmt: skip


_TRANSACTION = "; to run several statements in a transaction, use `store.transaction(work)` of a Store"
_NESTED = "; MongoDB has no nested transactions: remove it, and `store.transaction(work)` fails as a whole"
_INSTEAD = {
    "TRUNCATE": "; `DELETE FROM` does that",
    **dict.fromkeys(("SAVEPOINT", "RELEASE"), _NESTED),
    **dict.fromkeys(("BEGIN", "START", "COMMIT", "ROLLBACK"), _TRANSACTION),
}
"""What to write for a statement that is refused."""
_OF_TABLES = (
    "change the tables in the source and design again; `nestling plan` and `nestling migrate` then move the data"
)
_OF_THE_ENGINE = "remove it: it concerns the SQL database itself and neither reads nor changes rows"
_MOVES = {
    **dict.fromkeys(("CREATE", "ALTER", "DROP", "RENAME", "COMMENT"), _OF_TABLES),
    **dict.fromkeys(("PRAGMA", "ATTACH", "DETACH", "VACUUM", "ANALYZE", "REINDEX", "OPTIMIZE"), _OF_THE_ENGINE),
    **dict.fromkeys(("SET", "RESET", "SHOW", "USE", "GRANT", "REVOKE"), _OF_THE_ENGINE),
}
"""What to do about a statement that no other SQL says."""
_OPERANDS = frozenset(
    {
        TokenType.R_PAREN, TokenType.VAR, TokenType.IDENTIFIER, TokenType.NUMBER, TokenType.STRING, TokenType.NULL, TokenType.END,
        TokenType.PLACEHOLDER, TokenType.CURRENT_DATE, TokenType.CURRENT_TIMESTAMP, TokenType.TRUE, TokenType.FALSE,
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Parsed:
    """A statement's tree, the texts of its result's items as written, and whether it is a REPLACE INTO.

    The items are those of the (first) SELECT, or of RETURNING. `numbers_too`: it gives numbers only the database gives
    otherwise, OVERRIDING SYSTEM VALUE.
    """

    tree: exp.Expr
    items: tuple[str, ...]
    replaces: bool = False
    numbers_too: bool = False


def parse(sql: str, dialect: Dialect, constants: Mapping[str, ConstantValue] = MappingProxyType({})) -> Parsed:
    """Parse one statement; raises WorkloadError (syntax, length, several statements) or a gap (DDL and the like).

    `constants` stand in place of the parameters of these names.
    """
    if len(sql.encode()) > LONGEST_BYTES:
        what = f"the statement has {len(sql.encode())} bytes; at most {LONGEST_BYTES} are allowed"
        raise WorkloadError(Problem(what=what, next_move="move its constants to parameters or a table"))
    sql, replaces = as_insert(sql) if dialect.lenient else (sql, False)
    found, tokens = sqlglot.Dialect.get_or_raise(dialect.grammar), list[Token]()
    try:
        with _quiet():
            tokens = with_constants(sql_tokens(sql, found), constants)
            numbers_too = take_overriding(tokens, dialect.grammar)
            _name_functions(tokens, dialect)
            if dialect.grammar == "postgres":
                keep_whole(tokens)
            trees = [tree for tree in found.parser().parse(tokens, sql) if tree is not None]
    except UNREADABLE as error:
        raise _unread(error, tokens) from None
    if len(trees) != 1:
        what = "there is no statement" if not trees else f"there are {len(trees)} statements where one is expected"
        raise WorkloadError(Problem(what=what, next_move="give one statement"))
    if not isinstance(trees[0], _STATEMENTS):
        if said := misspelt(sql.lstrip()):
            raise WorkloadError(Problem(what=f"the statement cannot be read: {said}", where=_place(tokens[0])))
        raise _refused(tokens)
    if dialect.lenient and any(not each.expressions for each in trees[0].find_all(exp.Select)):
        raise WorkloadError(Problem("the statement cannot be read: a SELECT has no columns", where="1:1"))
    if dialect.is_sqlite:
        _refuse_signs(tokens)
    tree = _with_functions(as_written(trees[0]), dialect)
    refuse_other_order(tree, dialect)
    items = _items(tokens, sql, _list_start(tokens, tree))
    return Parsed(with_array_queries(with_intervals(tree, dialect), dialect), items, replaces, numbers_too)


def _refused(tokens: Sequence[Token]) -> StatementGap:
    """The gap of a statement of another kind, with what to do instead where that is known."""
    words = [token.text.upper() for token in tokens] or [""]
    instead = _NESTED if words[0] == "ROLLBACK" and "TO" in words else _INSTEAD.get(words[0], "")
    return StatementGap(Gap(GapKind.NOTIMPL, f"{words[0]} statement{instead}", "1:1", move=_MOVES.get(words[0], "")))


def _name_functions(tokens: Sequence[Token], dialect: Dialect) -> None:
    """Give functions names of which sqlglot makes no others."""
    if dialect.is_sqlite:
        name_float_mod(tokens)
        return
    if dialect.rules is Rules.MYSQL:
        name_interval_calls(tokens)
    name_calls(tokens, AS_WRITTEN | OWN_CALLS[dialect.grammar])


def _with_functions(tree: exp.Expr, dialect: Dialect) -> exp.Expr:
    """The tree with these functions under their own names."""
    restore_own_calls(tree)
    without_brackets(tree)
    return tree if dialect.is_sqlite else restore_formats(tree, dialect.rules, dialect.grammar)


def _refuse_signs(tokens: Sequence[Token]) -> None:
    """In SQLite a plus in front of a column takes its affinity away; sqlglot drops it without a trace."""
    for before, token, after in zip(tokens, tokens[1:], tokens[2:], strict=False):
        is_sign = token.token_type is TokenType.PLUS and before.token_type not in _OPERANDS
        if is_sign and after.token_type is not TokenType.NUMBER:
            raise StatementGap(Gap(GapKind.NOTIMPL, "a plus sign in front of a value", f"{token.line}:{token.col}"))


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep sqlglot's own warnings to itself: what it cannot parse is raised as a gap."""
    logger = logging.getLogger("sqlglot")
    before, logger.disabled = logger.disabled, True
    try:
        yield
    finally:
        logger.disabled = before


def _unread(error: Exception, tokens: Sequence[Token]) -> StatementGap | WorkloadError:
    """What sqlglot does not read: a clause or a statement that databases have, or a mistake."""
    if (clause := not_parsed(tokens)) is not None:
        construct, token = clause
        return StatementGap(Gap(GapKind.NOTIMPL, construct, _place(token)))
    return _refused(tokens) if tokens and tokens[0].text.upper() == "RELEASE" else _syntax(error, tokens)


def _place(token: Token) -> str:
    """Where a word begins."""
    return f"{token.line}:{token.col - len(token.text) + 1}"


def _syntax(error: Exception, tokens: Sequence[Token]) -> WorkloadError:
    places = getattr(error, "errors", None) or [{}]
    place = f"{places[0]['line']}:{places[0]['col']}" if places[0].get("line") else ""
    if tokens and misspelt_first(error):
        place = _place(tokens[0])
    return WorkloadError(Problem(what=f"the statement cannot be read: {syntax_words(error)}", where=place))


def _items(tokens: Sequence[Token], sql: str, start: int) -> tuple[str, ...]:
    """The items of the list behind `start`, cut from the text at the commas of its own depth: SQLite names columns by them."""
    items: list[str] = []
    depth, first = 0, None
    for index in range(start + 1, len(tokens) + 1):
        token = tokens[index] if index < len(tokens) else None
        kind = token.token_type if token is not None else TokenType.SEMICOLON
        depth += (kind is TokenType.L_PAREN) - (kind is TokenType.R_PAREN)
        ends = depth < 0 or (depth == 0 and kind in _LIST_ENDS) or token is None
        if first is not None and (ends or (depth == 0 and kind is TokenType.COMMA)):
            items.append(sql[first : tokens[index - 1].end + 1])
            first = None
        elif first is None and token is not None and kind not in (TokenType.DISTINCT, TokenType.ALL, TokenType.COMMA):
            first = token.start
        if ends:
            break
    return tuple(items)


def _list_start(tokens: Sequence[Token], tree: exp.Expr) -> int:
    """The place of the word before the list that names the result's columns."""
    if isinstance(tree, exp.DML):
        places = [index for index, token in enumerate(tokens) if token.token_type is TokenType.RETURNING]
        return places[-1] if places else len(tokens)
    return _first_select(tokens)


def _first_select(tokens: Sequence[Token]) -> int:
    """The place of the SELECT that names the result's columns: outside WITH's parentheses where there is one."""
    depth, fallback = 0, None
    for index, token in enumerate(tokens):
        depth += (token.token_type is TokenType.L_PAREN) - (token.token_type is TokenType.R_PAREN)
        if token.token_type is TokenType.SELECT:
            if depth == 0:
                return index
            fallback = index if fallback is None else fallback
    return len(tokens) if fallback is None else fallback
