"""A link with what is counted along it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from nestling.executors.facts.row_hashes import HashedTable
from nestling.ir.facts.structure import Columns, Evidence, Link


def counted_link(
    table: HashedTable,
    columns: Columns,
    other: HashedTable,
    target: Columns,
    checked: int,
    resolved: int,
    evidence: Evidence,
) -> Link:
    """The link, with what was counted along it."""
    rows = list(zip(*(table.cells(steps) for steps in columns), strict=True))
    there = set(zip(*(other.cells(steps) for steps in target), strict=True))
    given = [row for row in rows if None not in row]
    counts = Counter(row for row in given if row in there)
    return Link(
        table.collection.database,
        table.collection.name,
        table.node.steps,
        columns,
        other.collection.name,
        other.node.steps,
        target,
        checked,
        resolved,
        evidence,
        sole=len(set(given)) == len(given),
        orphans=len(rows) - len(given),
        dangling=len(given) - counts.total(),
        fan_out=fan_out(sorted(counts.values()), len(there)) if table.whole and other.whole else None,
        whole=table.whole and other.whole,
    )


def fan_out(counts: Sequence[int], parents: int) -> tuple[float, float, float, float, float] | None:
    """Rows a parent has: the mean, what 50, 95 and 99 of 100 parents have at most, and the most; parents without any count."""
    if not parents:
        return None
    without = parents - len(counts)

    def quantile(share: float) -> float:
        place = min(int(share * parents), parents - 1) - without
        return float(counts[place]) if place >= 0 else 0.0

    mean = sum(counts) / parents
    return mean, quantile(0.5), quantile(0.95), quantile(0.99), float(counts[-1]) if counts else 0.0
