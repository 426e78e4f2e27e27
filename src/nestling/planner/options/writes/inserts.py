"""The ways a new row is put into its home."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from nestling.ir.design_problem import Mode
from nestling.ir.paths import work_of
from nestling.ir.workload import Access
from nestling.planner.options.modes import Modes
from nestling.planner.options.reads.reach import DocumentAccess, ways_to_one
from nestling.planner.options.structures.buckets import pushed
from nestling.planner.options.structures.overflow import paged_again
from nestling.planner.options.structures.places import Home
from nestling.planner.options.writes.inserted_rows import InsertedRows
from nestling.planner.options.writes.key_checks import Guards


@dataclass(frozen=True, slots=True)
class Inserts:
    """Modes of the step that puts a row where it belongs; the statement's request is counted elsewhere."""

    modes: Modes
    guards: Guards

    def inserted(self, access: Access, home: Home, rows: InsertedRows) -> Iterator[Mode]:
        """Into one home: documents in one request, others one by one. The first request is the statement's, or its SELECT's."""
        first = 0.0 if rows.selected else 1.0
        asked = min(rows.count, 1.0) if home.own else rows.count
        more = self.modes.price(max(asked - first, 0.0) * work_of.request())
        yield from (mode.times(rows.count, more=more) for mode in self._inserted(access, home))

    def _inserted(self, access: Access, home: Home) -> Iterator[Mode]:
        """One row."""
        situation, sizes, documents = self.modes.situation, self.modes.sizes, self.modes.documents
        if home.own:
            yield self.modes.mode(
                home.id, (home.id,), work_of.insert(1, sizes.row_bytes(access.entity), sizes.key_entries(access.entity))
            )
        elif home.bucket is not None:
            yield self.modes.mode(home.id, (home.id,), pushed(situation, sizes, home.bucket))
        elif home.overflow is not None:
            again = paged_again(situation, sizes, home)
            yield self.modes.mode(home.id, (home.id,), again, documents.further(home, read=3.0))
        else:
            yield from self._put_inside(home)

    def _put_inside(self, home: Home) -> Iterator[Mode]:
        """Into the document of the row it belongs to."""
        places, wanted = self.modes.places, home.links[0].parent_attributes
        ways = dict.fromkeys(way for above in places.homes_above(home) for way in ways_to_one(places, above, wanted))
        size, fields = self.modes.documents.base(home), self.modes.documents.fields(home)
        added = work_of.update(1, size, index_entries_changed=0.5, grows=True, fields=fields, computed=True)
        also = self.modes.documents.further(home, read=1.0, rewritten=1.0, computed=True)
        for way in ways or (DocumentAccess("by key", ()),):
            cost = self.guards.found(home, way) + added
            yield self.modes.mode(f"{home.id}, {way.text}", (home.id, *way.needs), cost, also)
