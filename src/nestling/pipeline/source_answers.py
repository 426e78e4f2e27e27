"""Runs the application's reads on the SQL source, and compares a design's answers with the source's."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from nestling.executors.drive import AnswerShape, Likeness, StatementAnswer, likeness
from nestling.ir.milliseconds import cut_moments
from nestling.ir.model import Attribute, Model
from nestling.ir.programs.compiled import OutputColumn
from nestling.ir.value_forms.shown_values import shown_rows

if TYPE_CHECKING:
    from sqlglot import exp

    from nestling.sources.sql.statements import SqlStatements


_MARK = "nestling_parameter_"


@dataclass(frozen=True, slots=True)
class SourceAnswer:
    """Rows as the source's driver returns them. `single`: the columns whose floats are printed with six digits.

    `milliseconds`: the design stores only milliseconds of the source's finer timestamps.
    """

    rows: tuple[tuple[object, ...], ...]
    single: frozenset[int] = frozenset()
    milliseconds: bool = False

    def shown(self, columns: Sequence[OutputColumn]) -> StatementAnswer:
        """The answer in the form in which both sides are compared."""
        return StatementAnswer(shown_rows(self.rows, columns, self.single, milliseconds=self.milliseconds))

    def likeness(self, answer: StatementAnswer, columns: Sequence[OutputColumn], shape: AnswerShape) -> Likeness:
        """Whether the answer of a design is this one."""
        return likeness(self.shown(columns), self.design_shown(answer, columns), shape)

    def design_shown(self, answer: StatementAnswer, columns: Sequence[OutputColumn]) -> StatementAnswer:
        """A design's answer in that form."""
        return replace(answer, rows=shown_rows(answer.rows, columns, self.single, milliseconds=self.milliseconds))


class AskedSource:
    """A SQL database that is asked statements, read-only and all of one state of its data."""

    def __init__(self, statements: SqlStatements, model: Model) -> None:
        self._statements, self._model = statements, model
        self.product = statements.product
        self.language_orders = statements.language_orders()
        self._attributes = cache(self._attributes_compared)
        self._in_milliseconds = any(cut_moments(model))

    def answer(self, sql: str, dialect: str, values: Mapping[str, object], seconds: float) -> SourceAnswer:
        """The answer to a read; raises `TooSlow`, or the source's error."""
        found = self._statements.rows(sql, values, self._attributes(sql, dialect), seconds)
        return SourceAnswer(tuple(found.rows), found.single, self._in_milliseconds)

    def _attributes_compared(self, sql: str, dialect: str) -> Mapping[str, Attribute]:
        """The attribute each parameter is compared with."""
        from nestling.planner.sql import translate
        from nestling.planner.statements.parameters import parameter_uses

        found: dict[str, Attribute] = {}
        for use in parameter_uses(translate(sql, self._model, dialect), self._model).uses:
            entity = self._model.entity(use.entity)
            found.setdefault(use.parameter, entity.attribute(use.attribute))
        return found


@contextmanager
def opened_source(address: Path | str, model: Model) -> Iterator[AskedSource]:
    """Open the source at an address for queries. Raises its typed error if it cannot be reached."""
    from nestling.sources.front import ask_statements

    with ask_statements(address, model) as statements:
        yield AskedSource(statements, model)


def asked_text(tree: exp.Expr, grammar: str) -> str:
    """A statement as the source is asked it: with parameters written `:name`, which not every grammar does."""
    from sqlglot import exp

    def marked(node: exp.Expr) -> exp.Expr:
        return exp.column(_MARK + node.name) if isinstance(node, exp.Placeholder) else node

    return re.sub(rf"\b{_MARK}(\w+)", r":\1", tree.transform(marked).sql(dialect=grammar))
