"""What split attributes cost: reads that need both documents, and writes.

A write of several commands reads whole rows, so that it looks for their second documents; a change that one command says looks
for none.
"""

from __future__ import annotations

from collections.abc import Iterator

from nestling.ir.candidate import Cold
from nestling.ir.paths import work_of
from nestling.ir.paths.work import NO_WORK, Work
from nestling.ir.workload import Access, StatementKind
from nestling.planner.options.sizes.sizes import Sizes


def cold_bytes(sizes: Sizes, cold: Cold) -> float:
    """Bytes that are no longer in the entity's own document."""
    return sizes.bytes_of(cold.entity, cold.attributes) - sizes.bytes_of(cold.entity, ())


def read_too(sizes: Sizes, cold: Cold, access: Access, rows: float) -> Work | None:
    """The second documents of so many rows, when the access needs them; None when it does not."""
    asked = {*access.attributes, *(each.attribute for each in access.filters)}
    if not asked & set(cold.attributes):
        return None
    return work_of.lookup(rows, 1.0, cold_bytes(sizes, cold))


def written_too(sizes: Sizes, cold: Cold, access: Access, rows: float, *, direct: bool) -> Work:
    """The second document of each row that is written: found, changed or removed together with the first.

    `direct`: one command changes rows, where nothing of their second documents changes.
    """
    size = cold_bytes(sizes, cold)
    found = work_of.lookup(rows, 1.0, size)
    match access.kind:
        case StatementKind.INSERT:
            return work_of.request() * 2 + work_of.insert(rows, size, 0) + work_of.transaction()
        case StatementKind.DELETE:
            return found + work_of.request() + work_of.delete(rows, 0) + work_of.transaction()
        case StatementKind.UPDATE if set(access.attributes) & set(cold.attributes):
            return found + work_of.request() + work_of.update(rows, size) + work_of.transaction()
        case _:
            return NO_WORK if direct else found


def charges_of_write(
    sizes: Sizes, parts: list[tuple[str, Cold]], access: Access, rows: float, *, direct: bool
) -> Iterator[tuple[str, Work]]:
    """What a write costs more for each such structure."""
    for name, cold in parts:
        yield name, written_too(sizes, cold, access, rows, direct=direct)
