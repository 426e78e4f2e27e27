"""How large documents are: what is always in them, and what further structures add when they are chosen.

A read skips arrays that it does not use: their bytes count only for statements that take rows out of them. A statement that
changes a document writes it whole, and the server checks every field with the collection's validator.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

from nestling.ir.candidate import CopiedAttribute, Lineage
from nestling.ir.design_problem import Load
from nestling.ir.paths.work import Work
from nestling.ir.paths.work_of import fetch_by_index, rewrite, scan
from nestling.ir.situation import Situation
from nestling.planner.known.busy_parents import longer
from nestling.planner.options.sizes.sizes import Sizes
from nestling.planner.options.structures.buckets import bucket_bytes, filled
from nestling.planner.options.structures.pairs import added_bytes, present
from nestling.planner.options.structures.places import Home, Places
from nestling.planner.options.structures.splits import cold_bytes

VALUE_BYTES = 16.0
"""A computed value with its name."""
ID_BYTES = 12.0
"""An id in a list of them."""


@dataclass(frozen=True, slots=True)
class Extra:
    """What structures put into documents that are read or written: the loads that count it, each with the work of one unit."""

    loads: tuple[tuple[str, Work], ...] = ()


@dataclass(frozen=True, slots=True)
class AddedPart:
    """What a structure adds to one document of a root: bytes, fields, and the array they are in, "" for the root's own fields.

    An array is identified by the relationship by which its elements belong to the root.
    """

    structure: str
    bytes: float
    fields: float
    array: str = ""


class DocumentSizes:
    """Bytes of root documents, and the work of reading so many of them."""

    def __init__(self, situation: Situation, places: Places, sizes: Sizes) -> None:
        self.situation, self.places, self.sizes = situation, places, sizes
        self._levels: dict[str, int] = {}
        self._longer: dict[str, float] = {}
        self._parts: dict[str, tuple[AddedPart, ...]] = {}
        self._arrays: dict[str, tuple[str, ...]] = {}

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
            self._levels[home.id] = sum(
                not entity(link.child).is_superkey(link.child_attributes) for link in home.links
            )
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

    def fields(self, home: Home) -> float | None:
        """Fields of a document with nothing in it but the root row; None of a bucket: a usual number for its size."""
        return None if home.bucket is not None else self.sizes.fields(home.root)

    def reads(self, home: Home, documents: float) -> tuple[Work, Extra]:
        """The work of fetching so many of these documents by an index, and what further structures in them add."""
        return fetch_by_index(documents, self.base(home)), self.further(home, read=documents)

    def scans(self, home: Home, count: float) -> tuple[Work, Extra]:
        """Reading so many documents one after the other."""
        return scan(count, self.base(home)), self.further(home, read=count)

    def further(self, home: Home, *, read: float = 0.0, rewritten: float = 0.0, computed: bool = False) -> Extra:
        """What structures add to so many documents that are read for the home's rows, and to so many that are written whole.

        `computed`: these are built again, not changed in place (`work_of.rewrite`).
        """
        if home.bucket is not None:
            return Extra()
        arrays = self.arrays(home.root)
        asked, loads = ("", self.array(home)), list[tuple[str, Work]]()
        for array in arrays:
            work = Work(read_bytes=read if array in asked else 0.0, rewritten_bytes=rewritten)
            loads += [(_bytes_name(home.root, array), work)] if any(work) else []
        if rewritten and arrays:
            loads.append((_fields_name(home.root), rewrite(0.0, fields=rewritten, computed=computed)))
        return Extra(tuple(loads))

    def array_read(self, home: Home, documents: float) -> Extra:
        """The array of a home's rows in so many documents, of which the fields beside it have been read."""
        if all(part.array != self.array(home) for part in self.parts(home.root)) or not self.array(home):
            return Extra()
        return Extra(((_bytes_name(home.root, self.array(home)), Work(read_bytes=documents)),))

    def array(self, home: Home) -> str:
        """The outermost array a home's rows lie in; "" where they lie in none."""
        if not home.links or home.bucket is not None:
            return ""
        outermost = home.links[-1]
        is_one = self.situation.model.entity(outermost.child).is_superkey(outermost.child_attributes)
        return "" if is_one else outermost.name

    def loads(self) -> Iterator[Load]:
        """Bytes and fields that structures add to one document of each entity that has a collection."""
        for entity in self.situation.model.entities:
            parts = self.parts(entity.name)
            for array in self.arrays(entity.name):
                amounts = tuple((part.structure, part.bytes) for part in parts if part.array == array)
                yield Load(_bytes_name(entity.name, array), amounts)
            if parts:
                yield Load(_fields_name(entity.name), tuple((part.structure, part.fields) for part in parts))

    def arrays(self, root: str) -> tuple[str, ...]:
        """The outermost arrays that structures add to a document of the root, "" where some are in none."""
        if root not in self._arrays:
            self._arrays[root] = tuple(dict.fromkeys(part.array for part in self.parts(root)))
        return self._arrays[root]

    def parts(self, root: str) -> tuple[AddedPart, ...]:
        """What each structure adds to one document of the root."""
        if root not in self._parts:
            model, sizes = self.situation.model, self.sizes
            found = [
                AddedPart(
                    home.id,
                    home.per_root * self.inside_bytes(home),
                    home.per_root * (len(self.inside_names(home)) or 1),
                    self.array(home),
                )
                for home in self.places.inside[root]
            ]
            for link in self.situation.parents[root]:
                names = model.entity(link.parent).attribute_names
                copied = [name for name in names if name not in link.parent_attributes]
                whole = sizes.bytes_of(link.parent, copied) - sizes.bytes_of(link.parent, ())
                absorbed = self.places.absorbed[link.parent]
                found += [
                    AddedPart(name, whole, len(copied)) for name, each in absorbed if each.relationship == link.name
                ]
            for link in self.situation.children[root]:
                for name, few in self.places.first_children[link.name]:
                    rows, width = few.kept(sizes.children(link)), len(few.attributes)
                    found.append(AddedPart(name, rows * sizes.bytes_of(link.child, few.attributes), rows * width))
                for name, lineage in self.places.lineages[link.name]:
                    values = sizes.on_the_way(link) * len(lineage.attributes)
                    found.append(AddedPart(name, self.lineage_bytes(lineage), values))
                found += [AddedPart(name, VALUE_BYTES, 1.0) for name, _ in self.places.aggregates[link.name]]
                ids = sizes.children(link)
                found += [AddedPart(name, ID_BYTES * ids, ids) for name, _ in self.places.mirrors[link.name]]
            for copies in self.places.copied[root].values():
                found += [AddedPart(name, self.copied_bytes(copy), 1.0) for name, copy in copies]
            for name, cold in self.places.cold[root]:
                found.append(AddedPart(name, -cold_bytes(sizes, cold), -len(cold.attributes)))
            for name, paired in self.places.paired[root]:
                found.append(AddedPart(name, added_bytes(sizes, paired), present(sizes, paired)))
            self._parts[root] = tuple(found)
        return self._parts[root]

    def inside_bytes(self, home: Home) -> float:
        """Bytes of one row inside its parent."""
        return self.sizes.bytes_of(home.entity, self.inside_names(home))

    def inside_names(self, home: Home) -> list[str]:
        """The attributes of a row inside its parent: where it lies says its foreign key."""
        implied = home.links[0].child_attributes if home.links else ()
        names = self.situation.model.entity(home.entity).attribute_names
        return [name for name in names if name not in implied]

    def lineage_bytes(self, lineage: Lineage) -> float:
        """Bytes of what one row keeps of those above it."""
        link = self.situation.model.relationship(lineage.relationship)
        return self.sizes.on_the_way(link) * self.sizes.bytes_of(link.parent, lineage.attributes)

    def copied_bytes(self, copy: CopiedAttribute) -> float:
        """Bytes of one copied value with its name."""
        source = copy.path[-1].target(self.situation.model)
        return self.sizes.bytes_of(source, (copy.attribute,)) - self.sizes.bytes_of(source, ())


def _bytes_name(root: str, array: str) -> str:
    """The load that counts the bytes in an array of a root's documents, or those beside their arrays."""
    return f"bytes of {root}.{array}" if array else f"bytes of {root}"


def _fields_name(root: str) -> str:
    """The load that counts the fields of a root's documents."""
    return f"fields of {root}"
