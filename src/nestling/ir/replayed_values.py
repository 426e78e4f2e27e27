"""The time and UUIDs that a replayed execution is given, because a server would make new ones each time.

Designs that are sent the same execution would otherwise store other values, and there would be nothing to compare.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import blake2b
from typing import Any, assert_never
from uuid import UUID

from nestling.ir.compiled import CompiledRead, ServerTime, bind
from nestling.ir.filling import bind_write
from nestling.ir.program import Command, CompiledWrite, ForEach, GivenRows, ProgramStep, ReadRows, RefuseRows


@dataclass(frozen=True, slots=True)
class StandIns:
    """The moment an execution takes for the server's, and what its UUIDs are made from: as often as it runs, the same."""

    moment: datetime
    seed: str

    def bind(self, read: CompiledRead, values: Mapping[str, object]) -> CompiledRead:
        """The read with values in place of its parameters, at the moment; errors as of `bind`."""
        return bind(self._read(read), values)

    def takes_time(self, read: CompiledRead) -> bool:
        """Whether the read asks for the server's time."""
        return self._read(read) != read

    def bind_write(self, write: CompiledWrite, values: Mapping[str, object]) -> CompiledWrite:
        """The write with values in place of its parameters and new UUIDs, at the moment; errors as of `bind_write`."""
        uuids = {
            each.name: str(self._uuid(each.name)) if each.as_text else self._uuid(each.name) for each in write.uuids
        }
        steps = tuple(self._step(step) for step in write.steps)
        open_write = replace(write, steps=steps, parameters=(*write.parameters, *uuids), uuids=())
        return bind_write(open_write, {**values, **uuids})

    def _uuid(self, name: str) -> UUID:
        return UUID(bytes=blake2b(f"{self.seed} {name}".encode(), digest_size=16).digest(), version=4)

    def _step(self, step: ProgramStep) -> ProgramStep:
        match step:
            case ReadRows(read=read):
                return replace(step, read=self._read(read))
            case ForEach(steps=steps):
                return replace(step, steps=tuple(map(self._step, steps)))
            case Command(update=update, otherwise=otherwise):
                return replace(step, update=self._put(update), otherwise=tuple(map(self._step, otherwise)))
            case GivenRows() | RefuseRows():
                return step
            case _:
                assert_never(step)

    def _read(self, read: CompiledRead) -> CompiledRead:
        return replace(
            read,
            filter=self._put(read.filter),
            projection=self._put(read.projection),
            pipeline=self._put(read.pipeline),
        )

    def _put(self, value: Any) -> Any:
        match value:
            case ServerTime():
                return self.moment
            case dict():
                return {name: self._put(inner) for name, inner in value.items()}
            case list():
                return [self._put(inner) for inner in value]
            case tuple():
                return tuple(map(self._put, value))
            case _:
                return value
