"""The time and new ids that a replayed execution is given, because a server would make other ones each time.

Designs that are sent the same execution would otherwise store other values, and there would be nothing to compare.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import blake2b
from typing import assert_never
from uuid import UUID

from bson import ObjectId

from nestling.ir.nested_values import with_leaves
from nestling.ir.paths.write_path import IdForm, NewId
from nestling.ir.programs.compiled import CompiledRead, ServerTime, bind
from nestling.ir.programs.filling import bind_write
from nestling.ir.programs.program import (
    CompiledWrite,
    ForEach,
    GivenRows,
    ProgramStep,
    ReadRows,
    RefuseRows,
    UpdateDocument,
    WriteCommand,
)


@dataclass(frozen=True, slots=True)
class StandIns:
    """The moment an execution takes for the server's, and what its new ids are made from: as often as it runs, the same."""

    moment: datetime
    seed: str

    def bind(self, read: CompiledRead, values: Mapping[str, object]) -> CompiledRead:
        """The read with values in place of its parameters, at the moment; errors as of `bind`."""
        return bind(self._read(read), values)

    def takes_time(self, read: CompiledRead) -> bool:
        """Whether the read asks for the server's time."""
        return self._read(read) != read

    def bind_write(self, write: CompiledWrite, values: Mapping[str, object]) -> CompiledWrite:
        """The write with values in place of its parameters and new ids, at the moment; errors as of `bind_write`."""
        made = {each.name: self._id(each) for each in write.new_ids}
        steps = tuple(self._step(step) for step in write.steps)
        numbers = tuple(
            each if each.count is None else replace(each, count=replace(each.count, read=self._read(each.count.read)))
            for each in write.new_numbers
        )
        open_write = replace(write, steps=steps, parameters=(*write.parameters, *made), new_ids=(), new_numbers=numbers)
        return bind_write(open_write, {**values, **made})

    def _id(self, new: NewId) -> UUID | str | ObjectId:
        found = blake2b(f"{self.seed} {new.name}".encode(), digest_size=16).digest()
        match new.form:
            case IdForm.UUID:
                return UUID(bytes=found, version=4)
            case IdForm.TEXT:
                return str(UUID(bytes=found, version=4))
            case IdForm.OBJECT_ID:
                return ObjectId(found[:12])
            case _:
                assert_never(new.form)

    def _step(self, step: ProgramStep) -> ProgramStep:
        match step:
            case ReadRows(read=read):
                return replace(step, read=self._read(read))
            case ForEach(steps=steps):
                return replace(step, steps=tuple(map(self._step, steps)))
            case WriteCommand(update=update, otherwise=otherwise):
                return replace(step, update=self._update(update), otherwise=tuple(map(self._step, otherwise)))
            case GivenRows() | RefuseRows():
                return step
            case _:
                assert_never(step)

    def _update(self, update: UpdateDocument | None) -> UpdateDocument | None:
        """The update, stages as stages: what else is a tuple is one no more."""
        if isinstance(update, tuple):
            return tuple(with_leaves(update, self._put))
        return update if update is None else {name: with_leaves(inner, self._put) for name, inner in update.items()}

    def _read(self, read: CompiledRead) -> CompiledRead:
        return replace(
            read,
            filter=with_leaves(read.filter, self._put),
            projection=with_leaves(read.projection, self._put),
            pipeline=tuple(with_leaves(read.pipeline, self._put)),
        )

    def _put(self, leaf: object) -> object:
        return self.moment if isinstance(leaf, ServerTime) else leaf
