"""What a statement can be refused for, each with its line and column."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from sqlglot import exp

from nestling.common.errors import Problem, WorkloadError, name_list, unknown
from nestling.ir.quantity_words import agreeing
from nestling.ir.reading import TEXTS_AND_NUMBERS, ConstantKinds, FoundGap, Gap, GapKind, constant_gap
from nestling.planner.sql.called import sql_as_written
from nestling.planner.sql.moves import move_of


class StatementGap(FoundGap):
    """A construct nothing could be made of: `gap` says which, where (`line:column`), in what text and who lacks it.

    `node`: what it is about; who raises it without one leaves that to whoever bound the innermost expression.
    """

    node: exp.Expr | None = None

    def placed(self, node: exp.Expr, grammar: str) -> StatementGap:
        """The gap with its place and text: of its own node, else of this one."""
        about = node if self.node is None else self.node
        text = self.gap.text or sql_as_written(about, grammar).strip("`")
        move = self.gap.move or move_of(about, grammar)
        gap = replace(self.gap, where=self.gap.where or position(about) or "1:1", text=text, move=move)
        return _about(about, StatementGap(gap, self.parameters, self.kinds))


def statement_gap(construct: str, node: exp.Expr | None = None, move: str = "") -> StatementGap:
    """The gap of a construct at its node; `translate` gives it the text, and says what to do about it where `move` does not."""
    return _about(node, StatementGap(Gap(GapKind.NOTIMPL, construct, position(node), move=move)))


def with_heirs(name: str, heirs: Sequence[str], table: exp.Table) -> StatementGap:
    """The gap of a table that PostgreSQL reads, or changes, together with those that inherit from it."""
    which, first = name_list(heirs), heirs[0]
    what = f"`{name}` with the rows of {which}, which {agreeing(len(heirs), 'inherits', 'inherit')} from it"
    move = f"write `FROM ONLY {name}` if its own rows are meant, and add those of {which} with UNION ALL otherwise"
    if isinstance(table.parent, exp.Update | exp.Delete):
        verb = "UPDATE ONLY" if isinstance(table.parent, exp.Update) else "DELETE FROM ONLY"
        move = f"write `{verb} {name}`, and another statement for `{first}` if its rows are meant, too"
    return statement_gap(what, table, move)


def _about(node: exp.Expr | None, gap: StatementGap) -> StatementGap:
    gap.node = node
    return gap


def no_constant(
    construct: str, node: exp.Expr, *values: exp.Expr, kinds: ConstantKinds = TEXTS_AND_NUMBERS
) -> StatementGap:
    """The gap of values that must be constants, of these kinds."""
    given = (uncast(value) for value in values)
    names = tuple(each.name for each in given if isinstance(each, exp.Placeholder | exp.Parameter) and each.name)
    return no_constant_called(construct, names, node, kinds)


def no_constant_called(
    construct: str, names: tuple[str, ...], node: exp.Expr, kinds: ConstantKinds = TEXTS_AND_NUMBERS
) -> StatementGap:
    """The gap of values that must be constants, where parameters of these names stand."""
    return _about(node, StatementGap(constant_gap(construct, names, position(node)), names, kinds))


def uncast(node: exp.Expr) -> exp.Expr:
    """The operand of a cast."""
    inner = node.unnest()
    return uncast(inner.this) if isinstance(inner, exp.Cast) else inner


def mistake(what: str, node: exp.Expr | None = None, next_move: str = "") -> WorkloadError:
    """The error of a statement that is wrong."""
    return WorkloadError(Problem(what=what, where=position(node), next_move=next_move))


def no_such(kind: str, name: str, known: Iterable[str], node: exp.Expr | None, of: str = "") -> WorkloadError:
    """The error of a name that does not exist, with those that do."""
    return WorkloadError(replace(unknown(kind, name, known, of=of), where=position(node)))


def position(node: exp.Expr | None) -> str:
    """`line:column` of the first thing under the node, or around it, that knows where it stands; the column counts from 1."""
    if isinstance(node, exp.Binary) and isinstance(node.this, exp.Expr) and (left := _own_position(node.this)):
        return left
    while node is not None:
        if found := _own_position(node):
            return found
        node = node.parent
    return ""


def _own_position(node: exp.Expr) -> str:
    for inner in node.walk():
        if "line" in inner.meta:
            width = inner.meta["end"] - inner.meta["start"]
            return f"{inner.meta['line']}:{inner.meta['col'] - width}"
    return ""
