"""The steps of a write: its rows at home, what keys and foreign keys ask, and whether all that is one command."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from nestling.ir.design_problem import Charge, Mode, StatementStep
from nestling.ir.paths.work import Work
from nestling.ir.workload import Access, Statement, StatementKind
from nestling.planner.options.modes import Modes
from nestling.planner.options.structures.archives import moved_entries, written_apart
from nestling.planner.options.structures.pairs import list_entries
from nestling.planner.options.structures.splits import charges_of_write
from nestling.planner.options.writes.asked_first import asked_first
from nestling.planner.options.writes.built_indexes import built_indexes
from nestling.planner.options.writes.changes import Changes
from nestling.planner.options.writes.index_entries import entries_across, entries_written
from nestling.planner.options.writes.inserted_rows import InsertedRows, inserted_rows
from nestling.planner.options.writes.inserts import Inserts
from nestling.planner.options.writes.key_checks import Guards
from nestling.planner.options.writes.one_command import OneCommand
from nestling.planner.options.writes.transactions import Together
from nestling.planner.options.writes.upkeep import UpkeepCosts


@dataclass(frozen=True, slots=True)
class Writes:
    """Steps of writes over one set of candidates; what follows elsewhere is in `upkeep`."""

    modes: Modes
    guards: Guards
    inserts: Inserts
    changes: Changes
    together: Together
    upkeep: UpkeepCosts

    def steps(self, statement: Statement) -> Iterator[StatementStep | Charge]:
        """The steps of each entity written, what its indexes cost, and what is kept right."""
        one = OneCommand.of(self.modes, statement)
        if one is not None:
            yield from one.request()
        commands = list[StatementStep | Charge]()
        for position, access in enumerate(statement.accesses):
            if access.kind.writes:
                new = inserted_rows(statement, access, self.modes.situation, self.modes.sizes)
                rows = new.count if access.kind is StatementKind.INSERT else self.changes.rows(statement, access)
                modes = (
                    *self._at_home(statement, access, new),
                    *(one.written(access, rows) if one is not None else ()),
                )
                yield StatementStep(statement.name, f"{position}: {access.kind} {access.entity}", modes)
                asked = (
                    *self.guards.keys(statement, access, position, rows),
                    *self.guards.parents(statement, access, position, new),
                )
                yield from one.besides(asked) if one is not None else asked
                yield from self.changes.children(statement, access, position)
                yield from self._kept_apart(statement, access, rows)
                yield from built_indexes(self.modes, statement, access, position, rows)
                kept = self.upkeep.of(statement, access, rows)
                yield from kept.costs
                archives = (name for name, _ in self.modes.places.archives[access.entity])
                at_once = (*kept.at_once, *archives)
                several = tuple(self.together.steps(statement, access, position, at_once))
                commands += one.besides(several, without=at_once) if one is not None else several
                if one is None:
                    always = any(isinstance(each, Charge) for each in commands)
                    yield from asked_first(self.modes, statement, new, together=always)
        yield from dict.fromkeys(commands)  # one transaction is enough

    def _at_home(self, statement: Statement, access: Access, new: InsertedRows) -> Iterator[Mode]:
        for home in self.modes.places.homes[access.entity]:
            apart = tuple(written_apart(self.modes, access, home))
            if access.kind is StatementKind.INSERT:
                found = self.inserts.inserted(access, home, new)
            else:
                found = self.changes.changed(statement, access, home)
            yield from (replace(mode, also=(*mode.also, *apart)) for mode in found)

    def _is_direct(self, statement: Statement, access: Access) -> bool:
        """Whether one command changes the rows where they are documents of their own."""
        own = (home for home in self.modes.places.homes[access.entity] if home.own)
        return access.kind is StatementKind.UPDATE and any(
            self.changes.is_direct(statement, access, home) for home in own
        )

    def _kept_apart(self, statement: Statement, access: Access, rows: float) -> Iterator[Charge]:
        """Second documents and index entries."""
        parts = self.modes.places.cold[access.entity]
        direct = bool(parts) and self._is_direct(statement, access)
        for name, more in charges_of_write(self.modes.sizes, parts, access, rows, direct=direct):
            yield Charge(statement.name, f"the rest in {name}", (name,), self.modes.price_of(more, access.entity))
        for name, paired in self.modes.places.paired[access.entity]:
            needed = list_entries(self.modes.sizes, paired, access, rows)
            if needed.index_writes:
                yield Charge(statement.name, f"entries of {name}", (name,), self.modes.price(needed))
        below = (link.child for link in self.modes.situation.children[access.entity])
        across = dict(each for entity in (access.entity, *below) for each in self.modes.places.across[entity])
        for name, index in self.modes.places.with_entries(access.entity):
            if name not in across and (entries := entries_written(self.modes, access, index)) > 0:
                price = self.modes.price(Work(index_writes=entries * rows))
                yield Charge(statement.name, f"entries of {name}", (name,), price)
                yield from moved_entries(self.modes, statement, access, name)
        for name, joint in across.items():
            if (entries := entries_across(self.modes, access, joint)) > 0:
                price = self.modes.price(Work(index_writes=entries * rows))
                yield Charge(statement.name, f"entries of {name}", (name,), price)
