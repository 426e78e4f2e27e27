"""Rows that keep the checks of their entity: what breaks one gets other values, of as few attributes as it takes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import date, timedelta
from decimal import Decimal
from itertools import combinations, islice, product

from nestling.ir.expression import Expression, Literal
from nestling.ir.model import Attribute, Entity
from nestling.ir.operands import operands
from nestling.ir.types import TypeName

Row = tuple[object, ...]
MOST_TRIES = 20_000
"""Rows looked at in place of one; a check that none of them keeps leaves the row as it is."""
_STEPS = (1, -1)


def keeping(entity: Entity, fixed: frozenset[str]) -> Callable[[Row], Row]:
    """The function from a row to one that keeps the checks; the `fixed` attributes stay, as other rows follow from them."""
    if not entity.checks:
        return lambda row: row
    names = entity.attribute_names
    checked = {name for check in entity.checks for name in check.columns}
    free = [place for place, name in enumerate(names) if name in checked - fixed]
    constants = tuple({value: None for check in entity.checks for value in _constants(check.condition)})

    def keeps(row: Sequence[object]) -> bool:
        known = dict(zip(names, row, strict=True))
        return all(check.lets_in(known) for check in entity.checks)

    def kept(row: Row) -> Row:
        return row if keeps(row) else next(filter(keeps, islice(others(row), MOST_TRIES)), row)

    def others(row: Row) -> Iterator[Row]:
        found = {place: list(_others(entity.attributes[place], row, entity, constants)) for place in free}
        for count in range(1, len(free) + 1):
            for places in combinations(free, count):
                for values in product(*(found[place] for place in places)):
                    yield tuple(dict(zip(places, values, strict=True)).get(at, own) for at, own in enumerate(row))

    return kept


def _constants(condition: Expression) -> Iterator[object]:
    if isinstance(condition, Literal):
        yield condition.value
    for part in operands(condition):
        yield from _constants(part)


def _others(attribute: Attribute, row: Row, entity: Entity, constants: Sequence[object]) -> Iterator[object]:
    """Other values that an attribute may have: those of others in the row, the constants, what is near either, and NULL."""
    pairs = zip(entity.attributes, row, strict=True)
    alike = [value for other, value in pairs if other.type.name is attribute.type.name and value is not None]
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
    """The values next to one, of types that have such."""
    match value:
        case bool():
            return
        case int() | float() | Decimal():
            yield from (value + step for step in _STEPS)
        case date():
            yield from (value + timedelta(days=step) for step in _STEPS if date.min.year < value.year < date.max.year)
        case _:
            return
