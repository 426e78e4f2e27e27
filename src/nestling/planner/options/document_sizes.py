"""How large documents are: what is always in them, and what further structures put there when they are chosen."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

from nestling.ir.candidate import CopiedAttribute, Lineage
from nestling.ir.options import Load
from nestling.ir.situation import Situation
from nestling.ir.work import NO_WORK, Work
from nestling.ir.work_of import fetch_by_index, scan
from nestling.planner.busy_parents import longer
from nestling.planner.options.buckets import bucket_bytes, filled
from nestling.planner.options.matching import tells_one
from nestling.planner.options.pairs import added_bytes
from nestling.planner.options.places import Home, Places
from nestling.planner.options.sizes import Sizes
from nestling.planner.options.splits import cold_bytes


def load_name(root: str) -> str:
    """The load that counts the bytes of an entity's documents."""
    return f"bytes of {root}"


VALUE_BYTES = 16.0
"""A computed value with its name."""


@dataclass(frozen=True, slots=True)
class Extra:
    """What structures put into documents that are read or written: the load that counts their bytes, the work of one byte."""

    load: str = ""
    per_byte: Work = NO_WORK


class Documents:
    """Bytes of root documents, and the work of reading so many of them."""

    def __init__(self, situation: Situation, places: Places, sizes: Sizes) -> None:
        self.situation, self.places, self.sizes = situation, places, sizes
        self._levels: dict[str, int] = {}
        self._longer: dict[str, float] = {}
        self._weights: dict[str, tuple[tuple[str, float], ...]] = {}

    def count(self, home: Home) -> float:
        """Documents of the collection the home is in."""
        if home.bucket is not None:
            return max(self.sizes.rows(home.entity) / self.filled(home), 1.0)
        return self.sizes.rows(home.root)

    def filled(self, home: Home) -> float:
        """Rows in one bucket on average."""
        assert home.bucket is not None
        return filled(self.situation, self.sizes, home.bucket)

    def per_document(self, home: Home) -> float:
        """Rows of the entity in one of these documents."""
        return self.filled(home) if home.bucket is not None else max(home.per_root, 1e-6) if home.links else 1.0

    def levels(self, home: Home) -> int:
        """The arrays rows of a home are unwound from, one in another."""
        if not home.links:
            return 0 if home.own else 1
        if home.id not in self._levels:
            entity = self.situation.model.entity
            self._levels[home.id] = sum(not tells_one(entity(link.child), link.child_attributes) for link in home.links)
        return self._levels[home.id]

    def longer(self, home: Home) -> float:
        """How much longer the arrays of a home are where one of their elements is than on average."""
        if home.id not in self._longer:
            known = self.situation.statistics.relationship
            self._longer[home.id] = prod(longer(known(link.name)) for link in home.links)
        return self._longer[home.id]

    def base(self, home: Home) -> float:
        """Bytes of a document with nothing in it but the root row; what is embedded comes on top, by its load."""
        if home.bucket is not None:
            return bucket_bytes(self.sizes, home.bucket, self.filled(home))
        return self.sizes.row_bytes(home.root)

    def reads(self, home: Home, documents: float) -> tuple[Work, Extra]:
        """Fetching so many of these documents by an index, and what further structures in them add."""
        return fetch_by_index(documents, self.base(home)), self.further(home, Work(read_bytes=documents))

    def scans(self, home: Home, count: float) -> tuple[Work, Extra]:
        """Reading so many documents one after the other."""
        return scan(count, self.base(home)), self.further(home, Work(read_bytes=count))

    def further(self, home: Home, per_byte: Work) -> Extra:
        """`per_byte` for every byte that structures add to one document."""
        if home.bucket is not None or not self.weights(home.root):
            return Extra()
        return Extra(load_name(home.root), per_byte)

    def loads(self) -> Iterator[Load]:
        """Bytes that structures add to one document of each entity that has a collection."""
        for entity in self.situation.model.entities:
            if weights := self.weights(entity.name):
                yield Load(load_name(entity.name), weights)

    def weights(self, root: str) -> tuple[tuple[str, float], ...]:
        """What each structure adds to one document of the root, in bytes."""
        if root not in self._weights:
            found = [(home.id, home.per_root * self.inside_bytes(home)) for home in self.places.inside[root]]
            for link in self.situation.parents[root]:
                names = self.situation.model.entity(link.parent).attribute_names
                copied = [name for name in names if name not in link.parent_attributes]
                whole = self.sizes.bytes_of(link.parent, copied) - self.sizes.bytes_of(link.parent, ())
                absorbed = self.places.absorbed[link.parent]
                found += [(name, whole) for name, part in absorbed if part.relationship == link.name]
            for link in self.situation.children[root]:
                for name, newest in self.places.newest[link.name]:
                    rows = newest.kept(self.sizes.children(link))
                    found.append((name, rows * self.sizes.bytes_of(link.child, newest.attributes)))
                found += [(name, self.lineage_bytes(part)) for name, part in self.places.lineages[link.name]]
                found += [(name, VALUE_BYTES) for name, _ in self.places.aggregates[link.name]]
                found += [(name, 12 * self.sizes.children(link)) for name, _ in self.places.mirrors[link.name]]
            for copies in self.places.copied[root].values():
                found += [(name, self.copied_bytes(copy)) for name, copy in copies]
            found += [(name, -cold_bytes(self.sizes, cold)) for name, cold in self.places.cold[root]]
            found += [(name, added_bytes(self.sizes, paired)) for name, paired in self.places.paired[root]]
            self._weights[root] = tuple(found)
        return self._weights[root]

    def inside_bytes(self, home: Home) -> float:
        """Bytes of one row inside its parent: where it lies says its foreign key."""
        implied = home.links[0].child_attributes if home.links else ()
        names = self.situation.model.entity(home.entity).attribute_names
        return self.sizes.bytes_of(home.entity, [name for name in names if name not in implied])

    def lineage_bytes(self, lineage: Lineage) -> float:
        """Bytes of what one row keeps of those above it."""
        link = self.situation.model.relationship(lineage.relationship)
        return self.sizes.on_the_way(link) * self.sizes.bytes_of(link.parent, lineage.attributes)

    def copied_bytes(self, copy: CopiedAttribute) -> float:
        """Bytes of one copied value with its name."""
        source = copy.path[-1].target(self.situation.model)
        return self.sizes.bytes_of(source, (copy.attribute,)) - self.sizes.bytes_of(source, ())
