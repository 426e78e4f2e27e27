"""Makes rows satisfy the checks and partial unique groups of their entity, by changing as few values as possible."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from itertools import combinations, islice, product

from nestling.ir.constraints.partial_unique import PartialUnique
from nestling.ir.constraints.row_check import RowCheck, truth_of
from nestling.ir.model import Attribute, Entity
from nestling.ir.rows import Row
from nestling.ir.statements.operands import constants_of
from nestling.ir.types import TypeName

MOST_TRIES = 20_000
"""Most variants of a row that are tried; if none satisfies the check, the row is not changed."""
_STEPS = (1, -1)
_FIRST: Mapping[TypeName, object] = {
    TypeName.INTEGER: 0,
    TypeName.DATE: date(2024, 1, 1),
    TypeName.TIMESTAMP: datetime(2024, 1, 1),  # noqa: DTZ001 - it has no zone
    TypeName.TIMESTAMPTZ: datetime(2024, 1, 1, tzinfo=UTC),
}
"""A first value for a required attribute if the row has none."""


def keeping(entity: Entity, fixed: frozenset[str]) -> Callable[[Row], Row]:
    """The function from a row to one that satisfies the checks, and is unique among the rows given before.

    The `fixed` attributes do not change, because other rows depend on them.
    """
    if not entity.checks and not entity.partial_uniques:
        return lambda row: row
    names = entity.attribute_names
    kinds: tuple[RowCheck | PartialUnique, ...] = (*entity.checks, *entity.partial_uniques)
    conditions = [each.condition for each in kinds]
    said = {name for each in kinds for name in each.columns}
    free = [place for place, name in enumerate(names) if name in said - fixed]
    constants = tuple({value: None for each in conditions for value in constants_of(each)})
    seen: set[tuple[object, ...]] = set()

    def told_apart(known: Mapping[str, object]) -> list[tuple[object, ...]]:
        """The key values, in each unique group that the row belongs to, that no other row may have."""
        found = [
            (
                number,
                *(_in_lower_case(known[name]) if name in unique.lower else known[name] for name in unique.attributes),
            )
            for number, unique in enumerate(entity.partial_uniques)
            if truth_of(unique.condition, known)
        ]
        return [each for each in found if None not in each]

    def keeps(row: Row) -> bool:
        known = dict(zip(names, row, strict=True))
        return all(check.lets_in(known) for check in entity.checks) and seen.isdisjoint(told_apart(known))

    def kept(row: Row) -> Row:
        found = row if keeps(row) else next(filter(keeps, islice(others(row), MOST_TRIES)), row)
        seen.update(told_apart(dict(zip(names, found, strict=True))))
        return found

    def others(row: Row) -> Iterator[Row]:
        found = {place: list(_others(entity.attributes[place], row, entity, constants)) for place in free}
        for count in range(1, len(free) + 1):
            for places in combinations(free, count):
                for values in product(*(found[place] for place in places)):
                    yield tuple(dict(zip(places, values, strict=True)).get(at, own) for at, own in enumerate(row))

    return kept


def _in_lower_case(value: object) -> object:
    return value.lower() if isinstance(value, str) else value


def _others(attribute: Attribute, row: Row, entity: Entity, constants: Sequence[object]) -> Iterator[object]:
    """Other values to try for an attribute: those of other attributes, the constants, values near either, and NULL."""
    pairs = zip(entity.attributes, row, strict=True)
    alike = [value for other, value in pairs if other.type.name is attribute.type.name and value is not None]
    if not alike and attribute.type.name in _FIRST:
        alike = [_FIRST[attribute.type.name]]
    near = (value for each in (*alike, *_typed(constants, attribute)) for value in (each, *_beside(each)))
    for value in dict.fromkeys(near):
        if attribute.allowed is None or attribute.allowed.holds(value):  # type: ignore[arg-type]
            yield value
    if attribute.type.name is TypeName.BOOLEAN:
        yield from (True, False)
    if attribute.nullable:
        yield None


def _typed(constants: Sequence[object], attribute: Attribute) -> Iterator[object]:
    """The constants that are values of the attribute's type."""
    kind = attribute.type
    for value in constants:
        match value:
            case bool():
                continue
            case int() if kind.name is TypeName.INTEGER:
                yield value
            case int() | Decimal() | float() if kind.name is TypeName.FLOAT:
                yield float(value)
            case int() | Decimal() | float() if kind.name is TypeName.DECIMAL:
                yield round(Decimal(str(value)), kind.numbers[1]) if len(kind.numbers) > 1 else Decimal(str(value))
            case str() if kind.name is TypeName.TEXT or value in kind.values:
                yield value
            case _:
                continue


def _beside(value: object) -> Iterator[object]:
    """The neighbouring values, for types that have them."""
    match value:
        case bool():
            return
        case int() | float() | Decimal():
            yield from (value + step for step in _STEPS)
        case date():
            yield from (value + timedelta(days=step) for step in _STEPS if date.min.year < value.year < date.max.year)
        case _:
            return
