"""A recursive query as a walk from row to row of one table, with the outputs for each row that it meets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from nestling.ir.statements import algebra as a
from nestling.ir.statements.expression import Arithmetic, Column, Expression, Literal
from nestling.ir.statements.operands import columns_of
from nestling.ir.statements.operators import ArithmeticOperator
from nestling.ir.types import INTEGER


@dataclass(frozen=True, slots=True)
class JoinWalk:
    """A step from `start` (a column of the last rows) to the rows of `scan` whose column `to` equals it."""

    outputs: tuple[Expression, ...]
    working: a.Working
    scan: a.Scan
    start: Column
    to: Column

    @property
    def by(self) -> Column:
        """The output in the position of `start`, with which the walk continues."""
        by = self.outputs[[column.name for column in self.working.columns].index(self.start.name)]
        assert isinstance(by, Column)
        return by


def depth_of(walk: JoinWalk) -> Column:
    """The column that counts the steps to a row."""
    return Column("", f"depth of {walk.scan.alias}", INTEGER, nullable=False)


def from_beginning(output: Expression, walk: JoinWalk, at: Mapping[str, Expression], steps: Expression) -> Expression:
    """An output of the step after so many steps."""
    match output:
        case Column(alias=alias, name=name) if alias == walk.working.alias:
            return at[name]
        case Arithmetic(
            operator=ArithmeticOperator.ADD, left=Column(alias=alias, name=name), right=Literal() as more
        ) if alias == walk.working.alias:
            return replace(output, left=at[name], right=Arithmetic(ArithmeticOperator.MULTIPLY, steps, more, more.type))
        case _:
            return output


def is_told_by_row(output: Expression, walk: JoinWalk) -> bool:
    """Whether the output depends only on the row met."""
    return all(column.alias == walk.scan.alias for column in columns_of(output))
