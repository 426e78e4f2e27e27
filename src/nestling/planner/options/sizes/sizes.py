"""How many rows and bytes: from the statistics, with stated guesses where nothing is known.

The share of rows that meets a condition follows from the values that its statement compares with, if the distribution of the
attribute's values is known. For a foreign key every parent counts alike, so that a design with children inside their parents
is measured by the same rows; if parents are known to keep getting children, busy ones are asked for more often
(`planner/known/busy_parents.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import prod
from typing import assert_never

from nestling.ir.distribution import equal_to_any
from nestling.ir.model import Cardinality, Relationship
from nestling.ir.situation import Situation
from nestling.ir.situation.shares import share_of
from nestling.ir.statements.clause import Clause
from nestling.ir.storage.bounds import ELEMENT_BYTES, FRAMING_BYTES, UNKNOWN_BYTES
from nestling.ir.storage.collations import is_collated
from nestling.ir.storage.names import stored_name
from nestling.ir.workload import Access, AttributeFilter, Operator, Statement
from nestling.planner.known.array_elements import ArrayElements, elements_of
from nestling.planner.known.busy_parents import busier
from nestling.planner.known.distinct import distinct_of, rows_of
from nestling.planner.known.selectivity import RANGE, UNKNOWN
from nestling.planner.known.tree_walks import rows_on_the_way
from nestling.planner.options.statements.limited_rows import LimitedRows
from nestling.planner.options.statements.statement_facts import ConditionFacts, TableUse, statement_facts
from nestling.planner.work.stream import Condition, Use

UNKNOWN_CHILDREN = 10.0
"""Children of one parent where nothing is known."""
CONDITION_WEIGHT = 2.0
"""Values looked at for a condition: the attribute's, and whether it is true."""
IN_VALUES = 5.0
"""Values an IN is taken to list."""


class Sizes:
    """Numbers of one situation; each is looked up once."""

    def __init__(self, situation: Situation) -> None:
        self.situation = situation
        self._rows: dict[str, float] = {}
        self._children: dict[str, float] = {}
        self._distinct: dict[tuple[str, str], float] = {}
        self._busier: dict[tuple[str, str], float] = {}
        self._found: dict[Access, float] = {}
        self._statements: dict[str, ConditionFacts] = {}
        self._tables: dict[tuple[str, Access], TableUse] = {}
        self._told: dict[Access, dict[str, float]] | None = None

    def facts_of(self, statement: Statement) -> ConditionFacts:
        """What the statement's SQL says beyond its footprint."""
        if statement.name not in self._statements:
            self._statements[statement.name] = statement_facts(statement, self.situation)
        return self._statements[statement.name]

    def is_flat(self, statement: Statement) -> bool:
        """Whether all its accesses are joined row by row: it has no subquery, and comes to none."""
        return statement.is_flat and not self.facts_of(statement).early

    def table(self, statement: Statement, access: Access) -> TableUse:
        """What the statement requires of an access's rows alone: by its SQL, else by its footprint."""
        key = statement.name, access
        if key not in self._tables:
            self._tables[key] = self._table(statement, access)
        return self._tables[key]

    def _table(self, statement: Statement, access: Access) -> TableUse:
        said = self._said(statement, access)
        return said or TableUse(None, tuple(self._condition(access, each) for each in access.filters))

    def _said(self, statement: Statement, access: Access) -> TableUse | None:
        alike = [each for each in statement.accesses if each.entity == access.entity]
        tables = self.facts_of(statement).tables.get(access.entity, ())
        filtered = {each.attribute for each in access.filters}
        same = [each for each in tables if {one.path for one in each.conditions} - {""} == filtered]
        if len(same) == 1:
            return same[0]
        if access in alike and len(tables) == len(alike):
            return tables[alike.index(access)]
        return None

    def _condition(self, access: Access, asked: AttributeFilter) -> Condition:
        return Condition(asked.attribute, Use.NONE, self.share(access, asked), weight=CONDITION_WEIGHT)

    def limited(self, statement: Statement, access: Access) -> LimitedRows | None:
        """What a subquery in FROM takes of an access's rows, before more is joined to them; None where none limits them."""
        found = self.facts_of(statement).limited
        return found if found is not None and self.table(statement, access).limited else None

    def limited_together(self, statement: Statement, access: Access) -> tuple[float | None, tuple[Access, ...]]:
        """How many of an access's rows are asked for at most, and the accesses with which it is joined before that limit."""
        found = self.limited(statement, access)
        if found is None:
            return statement.limit, statement.accesses
        return found.taken, tuple(each for each in statement.accesses if self.table(statement, each).limited)

    def rows(self, entity: str) -> float:
        """Rows of an entity, at least one."""
        if entity not in self._rows:
            self._rows[entity] = max(rows_of(entity, self.situation.statistics), 1.0)
        return self._rows[entity]

    def key_entries(self, entity: str) -> int:
        """Index entries for a row's key in addition to that of `_id`, which compares texts exactly."""
        known = self.situation.model.entity(entity)
        return int(is_collated(map(known.attribute, known.key)))

    def rows_of(self, entity: str, constants: Sequence[Clause]) -> float:
        """Rows of an entity that fulfil conditions with constants, at least one; all where nothing is known of them."""
        return max(self.rows(entity) * self.share_of(entity, constants), 1.0)

    def share_of(self, entity: str, constants: Sequence[Clause]) -> float:
        """Their share, 1 where it is not known."""
        found = share_of(self.situation.statistics.entity(entity), constants)
        return 1.0 if found is None else found

    def row_bytes(self, entity: str) -> float:
        """Bytes of one row as a document of its own."""
        return self.situation.row_bytes[entity]

    def fields(self, entity: str) -> float:
        """Fields of one row as a document of its own."""
        return float(len(self.situation.model.entity(entity).attributes))

    def bytes_of(self, entity: str, attributes: Sequence[str]) -> float:
        """Bytes of these attributes of one row, with their names."""
        known = self.situation.statistics.entity(entity)
        size = ELEMENT_BYTES
        for name in attributes:
            width = known.attribute(name).average_bytes
            size += (width.value if width is not None else UNKNOWN_BYTES) + len(stored_name(name)) + FRAMING_BYTES
        return size

    def children(self, link: Relationship) -> float:
        """Children of one parent on average, over all parents."""
        if link.name not in self._children:
            known = self.situation.fan_outs[link.name].mean
            counted = self.situation.statistics.entity(link.child).count is not None
            if link.cardinality is Cardinality.ONE_TO_ONE and counted:
                known = min(self.rows(link.child) / self.rows(link.parent), 1.0)
            elif known is None:
                known = self.rows(link.child) / self.rows(link.parent) if counted else UNKNOWN_CHILDREN
            self._children[link.name] = known
        return self._children[link.name]

    def children_asked(self, link: Relationship) -> float:
        """Children of the one parent a statement asks for."""
        names = link.child_attributes
        return self.children(link) * (self.busier(link.child, names[0]) if len(names) == 1 else 1.0)

    def busier(self, entity: str, attribute: str) -> float:
        """How many more rows than on average have the value of a foreign key that is asked for."""
        if (entity, attribute) not in self._busier:
            found = busier(entity, attribute, self.situation.model, self.situation.statistics)
            self._busier[entity, attribute] = found
        return self._busier[entity, attribute]

    def on_the_way(self, link: Relationship) -> float:
        """Rows above one of a tree, which are as many as those below one."""
        return rows_on_the_way(link.name, self.situation.statistics)

    def chain(self, links: Sequence[Relationship]) -> float:
        """Rows of the innermost entity in one document of the outermost, going up these links."""
        found = 1.0
        for link in links:
            found *= self.children(link)
        return found

    def distinct(self, entity: str, attribute: str) -> float:
        """Distinct values of an attribute: known, or what keys say of them."""
        if (entity, attribute) not in self._distinct:
            found = distinct_of(entity, attribute, self.situation.model, self.situation.statistics)
            self._distinct[entity, attribute] = found
        return self._distinct[entity, attribute]

    def elements(self, entity: str, attribute: str) -> ArrayElements | None:
        """The elements of an attribute's arrays; None if its values are not arrays."""
        return elements_of(entity, attribute, self.situation.model, self.situation.statistics)

    def share(self, access: Access, condition: AttributeFilter) -> float:
        """Share of the rows of an access's entity that one of its conditions lets through."""
        entity, operator = access.entity, condition.operator
        if (said := self._constant_share(access, condition.attribute)) is not None:
            return said
        if not self._is_reference(entity, condition.attribute):
            told = self._shares_told(access).get(condition.attribute)
            if told is not None:
                return told
        match operator:
            case Operator.EQUALITY | Operator.CASED | Operator.EACH:
                return self._equal(entity, condition.attribute)
            case Operator.IN:
                return min(IN_VALUES * self._equal(entity, condition.attribute), 1.0)
            case Operator.RANGE:
                return RANGE
            case Operator.CONTAINS:
                elements = self.elements(entity, condition.attribute)
                return elements.share if elements is not None else UNKNOWN
            case Operator.PATTERN | Operator.FOLDED | Operator.OTHER:
                return UNKNOWN
            case Operator.LACKS:
                return 1 - UNKNOWN
            case _:
                assert_never(operator)

    def _constant_share(self, access: Access, attribute: str) -> float | None:
        """The share of rows for which an attribute is true, false, NULL or not NULL, where a statement asks for that."""
        named = (each for each in access.constants if each.name == attribute)
        asked = [each for each in named if each.value is None or isinstance(each.value, bool)]
        return share_of(self.situation.statistics.entity(access.entity), asked) if asked else None

    def _equal(self, entity: str, attribute: str) -> float:
        """The share of rows with one value, asked for as often as it occurs."""
        known = self.situation.statistics.entity(entity).attribute(attribute)
        if known.values is None or self._is_reference(entity, attribute):
            return min(self.busier(entity, attribute) / self.distinct(entity, attribute), 1.0)
        missing = known.null_share.value if known.null_share is not None else 0.0
        return (1 - missing) * equal_to_any(known.values, self.distinct(entity, attribute))

    def _is_reference(self, entity: str, attribute: str) -> bool:
        return any(attribute in link.child_attributes for link in self.situation.parents[entity])

    def _shares_told(self, access: Access) -> dict[str, float]:
        """By attribute, what the statements with this access let through on average, by their rates."""
        if self._told is None:
            self._told = self._all_told()
        return self._told.get(access, {})

    def found(self, access: Access, *, without: Sequence[str] = ()) -> float:
        """Rows of the entity that an access's own conditions let through, those on `without` left aside."""
        if without:
            return self._found_without(access, without)
        if access not in self._found:
            self._found[access] = self._found_without(access, ())
        return self._found[access]

    def _found_without(self, access: Access, without: Sequence[str]) -> float:
        filters = [each for each in self.alone(access) if each.attribute not in without]
        exact = {each.attribute for each in filters if each.operator is Operator.EQUALITY}
        entity = self.situation.model.entity(access.entity)
        if entity.is_superkey(exact):
            return 1.0
        rows, told = self.rows(access.entity), frozenset[str]()
        for link in self.situation.parents[access.entity]:
            if set(link.child_attributes) <= exact and self.children_asked(link) < rows:
                rows, told = self.children_asked(link), frozenset(link.child_attributes)
        for each in self.apart(access, [each for each in filters if each.attribute not in told]):
            rows *= self.share(access, each)
        if access.sides and access.either.isdisjoint(without):
            rows *= 1 - prod(1 - prod(self.share(access, each) for each in side) for side in access.any_of)
        return max(rows, min(1.0, self.rows(access.entity)))

    def alone(self, access: Access) -> tuple[AttributeFilter, ...]:
        """The conditions of an access without what is told by the sides of an OR."""
        return tuple(each for each in access.filters if each.operator.seeks or each.attribute not in access.either)

    def share_of_either(self, one: Access, other: Access) -> float:
        """The share of joined rows that an OR about both leaves; 1 where it is about one of them, or there is none."""
        if one.sides or other.sides or len(one.any_of) != len(other.any_of):
            return 1.0
        kept = 1.0
        for sides in zip(one.any_of, other.any_of, strict=True):
            told = zip((one, other), sides, strict=True)
            kept *= 1 - prod(self.share(access, each) for access, side in told for each in side)
        return 1 - kept if one.any_of else 1.0

    def apart(self, access: Access, filters: Sequence[AttributeFilter]) -> Iterable[AttributeFilter]:
        """One filter for each attribute whose share is known whatever the comparison, and one for each kind of the others."""
        known = self._shares_told(access)

        def kind(one: AttributeFilter) -> Operator | None:
            if one.attribute in known:
                return None
            return one.operator if one.operator.seeks else Operator.OTHER

        return {(each.attribute, kind(each)): each for each in filters}.values()

    def _all_told(self) -> dict[Access, dict[str, float]]:
        """The shares each access's statements tell, weighted by their rates, and what ranges keep of what is looked up."""
        weights: dict[tuple[Access, str], list[tuple[float, float]]] = {}
        for statement in self.situation.reading.workload.statements:
            for access, attribute, share in self._told_beside(statement):
                weights.setdefault((access, attribute), []).append((statement.rate_per_second, share))
            asked = {(each.entity, one.attribute) for each in statement.accesses for one in each.filters}
            for entity, attribute in asked & self.facts_of(statement).shares.keys() if asked else ():
                share = self.facts_of(statement).shares[entity, attribute]
                for access in {each for each in statement.accesses if each.entity == entity}:
                    weights.setdefault((access, attribute), []).append((statement.rate_per_second, share))
        told: dict[Access, dict[str, float]] = {}
        for (access, attribute), found in weights.items():
            rate = sum(each for each, _ in found)
            told.setdefault(access, {})[attribute] = sum(each * share for each, share in found) / rate
        return told

    def _told_beside(self, statement: Statement) -> Iterator[tuple[Access, str, float]]:
        """What ranges of which other rows give the ends keep of those a statement looks up for each of them."""
        for access in statement.accesses:
            table = self._said(statement, access) if access.ranged else None
            if table is not None:
                looked_up = table.looked_up(access, table.ranges)
                yield from ((looked_up, each.attribute, each.condition.share) for each in table.ranges)
