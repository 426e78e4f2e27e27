"""The rows of every entity, each a function of its number."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import combinations

from nestling.ir.model import Attribute, Cardinality, Entity, Model, Relationship
from nestling.ir.statistics import AttributeStatistics, Statistics
from nestling.ir.storage.bounds import largest_fan_out
from nestling.ir.types import TIMES, TypeName
from nestling.sources.generated.generated_table import GeneratedTable, NthValue
from nestling.sources.generated.kept import kept
from nestling.sources.generated.kept_rows import keeping
from nestling.sources.generated.knots import Knot, Strand
from nestling.sources.generated.links import GeneratedLink, link, linked_rows, nullable_attributes, pair
from nestling.sources.generated.nth_values import LAST_DAY, Maker, maker
from nestling.sources.generated.overlaps import follows, given_columns, is_late, tied_foreign_keys
from nestling.sources.generated.permutations import permutation, salt, scattered
from nestling.sources.generated.spread import spread

_UNIT = float(1 << 64)
UNKNOWN_SHARE = 0.1
"""Assumed share of distinct values of an attribute without statistics."""
TRIES = 6
"""Further instants looked at when the first is before the parent's."""
MOST_DAYS = 1_000
"""Different days a date has when nothing is known of it."""


def tables(model: Model, known: Statistics, seed: int) -> Mapping[str, GeneratedTable]:
    """The tables of a model by entity."""
    rows = {entity.name: _rows(known, entity.name) for entity in model.entities}
    while too_many := {each.name: over for each in model.entities if (over := _too_many(each, model, known, rows))}:
        rows.update({name: rows[name] - over for name, over in too_many.items()})
    found = {entity.name: GeneratedTable(entity, rows[entity.name]) for entity in model.entities}
    for table in found.values():
        _Filling(model, known, seed, rows, found, table).fill()
        table.kept = keeping(table.entity, _fixed(table.entity, model))
    return found


def _too_many(entity: Entity, model: Model, known: Statistics, rows: dict[str, int]) -> int:
    """How many rows of an entity exceed what its foreign keys can distinguish: pairs of parents, or parents of a 1:1."""
    both = paired_relationships(entity, model, known, rows)
    most = [(both[0], rows[both[0].parent] * rows[both[1].parent])] if both is not None else []
    single = (each for each in model.parents_of(entity.name) if each.cardinality is Cardinality.ONE_TO_ONE)
    most += [(each, rows[each.parent]) for each in single if not each.is_self]
    return max(0, *(linked_rows(each, model, known, rows) - limit for each, limit in most), 0)


def _fixed(entity: Entity, model: Model) -> frozenset[str]:
    """The attributes in keys: those that make rows unique, and those that others refer to."""
    groups = [entity.key, *entity.uniques]
    groups += [link.child_attributes for link in model.parents_of(entity.name)]
    groups += [link.parent_attributes for link in model.children_of(entity.name)]
    return frozenset(name for group in groups for name in group)


def paired_relationships(
    entity: Entity, model: Model, known: Statistics, rows: Mapping[str, int]
) -> tuple[Relationship, Relationship] | None:
    """Two relationships whose foreign keys make rows unique, by the key or another unique group of only foreign keys.

    The one with the larger share comes first: the larger a fan-out is relative to the number of possible partners, the harder
    it is to find different ones. If there are more than two, the pair with the most combinations is chosen.
    """

    def largest_share(link: Relationship) -> float:
        return (largest_fan_out(known.relationship(link.name)) or 0.0) / max(1, rows[link.parent])

    def pairs(both: tuple[Relationship, Relationship]) -> int:
        return rows[both[0].parent] * rows[both[1].parent]

    for group in filter(None, (entity.key, *entity.uniques)):
        inside = [each for each in model.parents_of(entity.name) if set(each.child_attributes) <= set(group)]
        if {name for each in inside for name in each.child_attributes} != set(group):
            continue
        apart = [
            (one, other)
            for one, other in combinations(sorted(inside, key=largest_share, reverse=True), 2)
            if set(one.child_attributes).isdisjoint(other.child_attributes)
        ]
        if apart and pairs(best := max(apart, key=pairs)):
            return best
    return None


def _rows(known: Statistics, entity: str) -> int:
    count = known.entity(entity).count
    return max(0, round(count.value)) if count is not None else 0


@dataclass(frozen=True, slots=True)
class _Filling:
    """The data from which one table's cells are generated."""

    model: Model
    known: Statistics
    seed: int
    rows: dict[str, int]
    tables: Mapping[str, GeneratedTable]
    table: GeneratedTable

    def fill(self) -> None:
        """Foreign keys first, then what makes rows unique, then the rest."""
        entity, cells = self.table.entity, self.table.cells
        links = {each.relationship.name: each for each in self.links()}
        knots = [
            self.knot(group, links)
            for group in tied_foreign_keys([each.relationship for each in links.values()], self.model)
        ]
        resolved = {name: each for knot in knots for name, each in knot.links().items()}
        self.table.links = tuple(resolved.get(name, each) for name, each in links.items())
        for knot in knots:
            cells.update(knot.cells())
        for each in self.table.links:
            names = zip(each.relationship.child_attributes, each.relationship.parent_attributes, strict=True)
            for mine, theirs in names if each.relationship.name not in resolved else ():
                cells[mine] = _referring(each, self.tables[each.relationship.parent], theirs)
        sure = links.keys() - resolved.keys() | {knot.first() for knot in knots}
        for attribute, place in self.numbered(
            [each for each in self.table.links if each.relationship.name in sure]
        ).items():
            distinct = self.table.rows if place is None else max(1, round(self.most_children(place)))
            cells.setdefault(attribute, _numbered(self.made(entity.attribute(attribute), distinct), place))
        dated = False
        for each_attribute in entity.attributes:
            if each_attribute.name not in cells:
                cells[each_attribute.name] = self.plain(each_attribute, follows=not dated)
                dated = dated or each_attribute.type.name in TIMES

    def made(self, attribute: Attribute, distinct: int) -> Maker:
        """The function from 0 to `distinct` - 1 to its values, all of which are allowed."""
        known = self.numbers(attribute.name)
        return kept(maker(attribute, known, distinct, self.seed, self.table.entity.name), attribute, distinct)

    def numbers(self, attribute: str) -> AttributeStatistics:
        return self.known.entity(self.table.entity.name).attribute(attribute)

    def links(self) -> Iterator[GeneratedLink]:
        """The relationships that decide foreign keys, widest first, without those implied by others."""
        found = sorted(self.model.parents_of(self.table.entity.name), key=lambda each: -len(each.child_attributes))
        both = self.both()
        if both is not None:
            yield from pair(*both, self.model, self.known, self.rows, self.seed)
        decided = [*(both or ())]
        for each in found:
            if each not in decided and not any(follows(each, other, self.model) for other in decided):
                decided.append(each)
                yield link(each, self.model, self.known, self.rows, self.seed)

    def both(self) -> tuple[Relationship, Relationship] | None:
        """The pair that makes rows unique, unless a foreign key of both together decides it."""
        both = paired_relationships(self.table.entity, self.model, self.known, self.rows)
        names = {name for each in both or () for name in each.child_attributes}
        wider = (each for each in self.model.parents_of(self.table.entity.name) if each not in (both or ()))
        return None if any(names <= set(each.child_attributes) for each in wider) else both

    def knot(self, group: Sequence[Relationship], links: Mapping[str, GeneratedLink]) -> Knot:
        """The foreign keys of a group, in the order they are followed in."""
        entity, both = self.table.entity, self.both() or ()

        def order(each: Relationship) -> tuple[bool, bool, bool, int, int]:
            single, width = each.cardinality is Cardinality.ONE_TO_ONE, len(each.child_attributes)
            in_key = set(each.child_attributes) <= set(entity.key)
            return each not in both, not single, not in_key, width if single else -width, self.rows[each.parent]

        strands = {False: list[Strand](), True: list[Strand]()}
        for each in sorted(group, key=order):
            nullable = nullable_attributes(each, self.model)
            strand = Strand(links[each.name], self.tables[each.parent], nullable)
            strands[is_late(each, self.model)].append(strand)
        plain = {
            name: self.plain(entity.attribute(name), follows=False) for each in group for name in each.child_attributes
        }
        given = given_columns(group, self.model)
        return Knot(self.table, strands[False], strands[True], given=given, plain=plain, seed=self.seed)

    def numbered(self, links: Sequence[GeneratedLink]) -> dict[str, GeneratedLink | None]:
        """Attributes that make rows unique: by the row's number, or by its position among the children of a parent in its key.

        Only positions along `links` are distinguished.
        """
        entity = self.table.entity
        decided = set(self.table.cells)
        found: dict[str, GeneratedLink | None] = {}
        among_some = [each.attributes for each in entity.partial_uniques]
        for group in (entity.key, *entity.uniques, *among_some):
            own = [name for name in group if name not in decided]
            if own and not any(name in found for name in group):
                inside = [each for each in links if set(each.relationship.child_attributes) <= set(group)]
                often = self.distinct(entity.attribute(own[-1])) * 2 <= self.table.rows
                found[own[-1]] = inside[0] if inside and often else None
        return found

    def most_children(self, above: GeneratedLink) -> float:
        """The number of positions among the children of one parent."""
        known = largest_fan_out(self.known.relationship(above.relationship.name))
        return known if known is not None else self.table.rows

    def plain(self, attribute: Attribute, *, follows: bool) -> NthValue:
        """Distinct values, each at least once, with their distribution and share of NULL if known."""
        entity, rows = self.table.entity.name, self.table.rows
        numbers = self.numbers(attribute.name)
        distinct = self.distinct(attribute)
        make = self.made(attribute, distinct)
        order = permutation(rows, self.seed, entity, attribute.name)
        key = salt(self.seed, entity, attribute.name)
        nulls = numbers.null_share.value if numbers.null_share is not None and attribute.nullable else 0.0
        first_null = rows - round(nulls * rows)
        before = self.before(attribute) if follows and distinct * 2 > rows else None

        lying = spread(numbers.values, attribute, distinct, make)

        def cell(number: int) -> object:
            place = order(number)
            if place >= first_null:
                return None
            if lying is not None:
                shares = ((place + 0.5) / first_null, *(scattered(number, key + each) / _UNIT for each in range(TRIES)))
                return _not_before(before(number) if before is not None else None, map(lying, shares))
            value = make(place if place < distinct else scattered(number, key) % distinct)
            return value if before is None else _after(before(number), value, scattered(number, key + 2) / _UNIT)

        return cell

    def distinct(self, attribute: Attribute) -> int:
        """The number of distinct values."""
        known, rows = self.numbers(attribute.name).distinct, self.table.rows
        if known is None:
            guess = max(1, round(rows * UNKNOWN_SHARE))
            return min(guess, MOST_DAYS) if attribute.type.name is TypeName.DATE else guess
        return max(1, min(rows, round(known.value)))

    def before(self, attribute: Attribute) -> NthValue | None:
        """When the parent of a row is from: its children come later."""
        if attribute.type.name not in TIMES or not self.table.links:
            return None
        above = self.table.links[0]
        parent = self.tables[above.relationship.parent]
        dates = [each for each in parent.entity.attributes if each.type == attribute.type]
        if not dates or above.relationship.is_self:
            return None
        return _referring(above, parent, dates[0].name)


def _referring(above: GeneratedLink, parent: GeneratedTable, attribute: str) -> NthValue:
    def cell(number: int) -> object:
        found = above.parent(number)
        return parent.cells[attribute](found[0]) if found is not None else None

    return cell


def _numbered(make: NthValue, place: GeneratedLink | None) -> NthValue:
    if place is None:
        return make

    def cell(number: int) -> object:
        found = place.parent(number)
        return make(found[1] if found is not None else number)

    return cell


def _not_before(start: object, values: Iterator[object]) -> object:
    """The first of the values, or of some more the first that does not come before `start`."""
    value = next(values)
    while isinstance(start, date) and isinstance(value, date) and value < start:
        other = next(values, None)
        if other is None:
            break
        value = other
    return value


def _after(start: object, value: object, share: float) -> object:
    """An instant between another one and the last possible one; the value itself if there is no other."""
    if isinstance(start, datetime) and isinstance(value, datetime):
        left = (LAST_DAY.replace(tzinfo=start.tzinfo) - start).total_seconds()
        return start + timedelta(seconds=int(left * share)) if left > 0 else value
    if isinstance(start, date) and isinstance(value, date) and not isinstance(start, datetime):
        return start + timedelta(days=int((LAST_DAY.date() - start).days * share)) if start < LAST_DAY.date() else value
    return value
