"""What a statement does with each of its parameters: the attribute it is compared with, stored in, or added to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from nestling.ir.bindings import Joined, ParameterRole, ParameterUse, ParameterUses
from nestling.ir.model import Model
from nestling.ir.paths.row_steps import ColumnId
from nestling.ir.statements import algebra as a
from nestling.ir.statements.expression import (
    Arithmetic,
    Column,
    Compare,
    Expression,
    InList,
    InSubquery,
    Like,
    Parameter,
)
from nestling.ir.statements.operands import bare, operands
from nestling.ir.statements.operators import ABOVE, BELOW, Comparison
from nestling.ir.statements.write import Assignment, Delete, Insert, Update, Write
from nestling.planner.reads.traverse import expressions, inputs, subqueries
from nestling.planner.writes.insert import written_rows

_TURNED = {ParameterRole.LOWER: ParameterRole.UPPER, ParameterRole.UPPER: ParameterRole.LOWER}


def parameter_uses(statement: a.Query | Write, model: Model) -> ParameterUses:
    """The uses of a statement's parameters, in the order they are met, and which of its rows belong together."""
    known = _Known(model)
    match statement:
        case a.Query(relation=relation):
            known.relation(relation)
        case Insert():
            known.relation(statement.source)
            known.inserted(statement)
        case Update(target=target, assignments=assignments, predicate=predicate):
            known.changed(target, predicate)
            known.assigned(target, assignments)
        case Delete(target=target, predicate=predicate):
            known.changed(target, predicate)
    joined = tuple(known.joined())
    return ParameterUses(tuple(known.uses), joined, tuple(known.rows.items()), isinstance(statement, Delete))


@dataclass(slots=True)
class _Known:
    """What has been met so far: where columns come from, which are equal, and the uses."""

    model: Model
    rows: dict[str, str] = field(default_factory=dict)
    origins: dict[ColumnId, ColumnId] = field(default_factory=dict)
    equal: list[tuple[ColumnId, ColumnId]] = field(default_factory=list)
    uses: list[ParameterUse] = field(default_factory=list)

    def relation(self, relation: a.Relation) -> None:
        """Everything in a relation, from the bottom up."""
        for below in inputs(relation):
            self.relation(below)
        self.names(relation)
        for expression in expressions(relation):
            self.expression(expression)

    def expression(self, expression: Expression) -> None:
        """Everything in an expression, its subqueries first."""
        for inner in subqueries(expression):
            self.relation(inner.relation)
        self.predicate(expression)

    def names(self, relation: a.Relation) -> None:
        """Where the columns come from that a relation makes."""
        match relation:
            case a.Scan(entity=entity, alias=alias, columns=columns):
                self.rows[alias] = entity
                self.origins |= {(alias, column.name): (alias, column.name) for column in columns}
            case a.Project(alias=alias, outputs=named) | a.GroupBy(alias=alias, keys=named):
                for each in named:
                    if (origin := self.origin(each.expression)) is not None:
                        self.origins[alias, each.name] = origin
            case a.SetOperation(alias=alias, columns=columns, left=left):
                for column, below in zip(columns, left.columns, strict=True):
                    if (origin := self.origin(below)) is not None:
                        self.origins[alias, column.name] = origin
            case _:
                pass

    def origin(self, expression: Expression) -> ColumnId | None:
        """The attribute of a row an expression is, None when it is something else."""
        inner = bare(expression)
        return self.origins.get((inner.alias, inner.name)) if isinstance(inner, Column) else None

    def predicate(self, expression: Expression) -> None:
        """The uses in an expression, those in subqueries' relations not included."""
        match expression:
            case Compare(operator=operator, left=left, right=right):
                self.compared(operator, left, right)
            case InList(operand=operand, items=items, given=given):
                for item in items:
                    self.use(ParameterRole.EQUAL if given is None else ParameterRole.LISTED, item, operand)
            case Like(operand=operand, pattern=pattern):
                self.use(ParameterRole.PATTERN, pattern, operand)
            case InSubquery(operands=inner, relation=relation, operator=operator):
                for mine, column in zip(inner, relation.columns, strict=True):
                    self.compared(operator, mine, column)
            case Arithmetic(left=left, right=right):
                self.use(ParameterRole.AMOUNT, right, left)
                self.use(ParameterRole.AMOUNT, left, right)
            case _:
                pass
        for each in operands(expression):
            self.predicate(each)

    def compared(self, operator: Comparison, left: Expression, right: Expression) -> None:
        if operator in (Comparison.EQUAL, Comparison.SAME):
            self.same(left, right)
        role = (
            ParameterRole.LOWER
            if operator in ABOVE
            else ParameterRole.UPPER
            if operator in BELOW
            else ParameterRole.EQUAL
        )
        self.use(role, right, left)
        self.use(_TURNED.get(role, role), left, right)

    def same(self, left: Expression, right: Expression) -> None:
        one, other = self.origin(left), self.origin(right)
        if one is not None and other is not None:
            self.equal.append((one, other))

    def use(self, role: ParameterRole, parameter: Expression, beside: Expression) -> None:
        """A use, when these are a parameter and an attribute."""
        inner, origin = bare(parameter), self.origin(beside)
        if isinstance(inner, Parameter) and origin is not None:
            row, attribute = origin
            self.uses.append(ParameterUse(inner.name, role, row, self.rows[row], attribute))

    def changed(self, target: a.Scan, predicate: Expression | None) -> None:
        """The rows a write looks for."""
        self.relation(target)
        if predicate is not None:
            self.expression(predicate)

    def inserted(self, insert: Insert) -> None:
        """Each row of values is a row of its own."""
        role = ParameterRole.INSERTED if insert.conflict is None else ParameterRole.UPSERTED
        for number, cells in enumerate(written_rows(insert.source, insert.attributes) or ()):
            for attribute, cell in cells.items():
                if isinstance(inner := bare(cell), Parameter):
                    row = f"{insert.alias} {number}"
                    self.uses.append(ParameterUse(inner.name, role, row, insert.entity, attribute))

    def assigned(self, target: a.Scan, assignments: Iterable[Assignment]) -> None:
        """A new value is of another row than the one it is given to."""
        for each in assignments:
            inner = bare(each.expression)
            if isinstance(inner, Parameter):
                row = f"{target.alias}, new {each.attribute}"
                self.uses.append(ParameterUse(inner.name, ParameterRole.ASSIGNED, row, target.entity, each.attribute))
            else:
                self.expression(inner)

    def joined(self) -> Iterator[Joined]:
        """The relationships whose attributes are all compared between two rows."""
        pairs = {*self.equal, *((other, one) for one, other in self.equal)}
        for link in self.model.relationships:
            for child in (row for row, entity in self.rows.items() if entity == link.child):
                for parent in (row for row, entity in self.rows.items() if entity == link.parent and row != child):
                    between = zip(link.child_attributes, link.parent_attributes, strict=True)
                    if all(((child, mine), (parent, theirs)) in pairs for mine, theirs in between):
                        yield Joined(child, link.name, parent)
