"""Whether all rivals hold the same rows after all that was written to them."""

from __future__ import annotations

from collections.abc import Sequence

from nestling.common.errors import RebuildError
from nestling.executors.drive import homes, unlike
from nestling.executors.drive.homes import HomeFingerprints
from nestling.ir.watching import Watch
from nestling.pipeline.loading import home_queries
from nestling.pipeline.proving.contender import Contender


def compare_homes(contenders: list[Contender], watch: Watch | None) -> None:
    """Disqualify the rivals whose rows differ from those that most designs hold."""
    held: list[tuple[Contender, HomeFingerprints]] = []
    for each in contenders:
        if watch is not None:
            watch(f"comparing rows: {each.name}", 0, None)
        model, queries = each.proposal.design.model, home_queries(each.proposal.design)
        try:
            held.append((each, HomeFingerprints(each.database, queries, homes(each.database, model, queries))))
        except RebuildError as error:
            each.out(f"its rows cannot be read back: {error.problems[0].text()}")
    groups: list[list[tuple[Contender, HomeFingerprints]]] = []
    for one in held:
        model = one[0].proposal.design.model
        group = next((some for some in groups if not unlike(some[0][1], one[1], model)), None)
        if group is None:
            groups.append([one])
        else:
            group.append(one)
    _sentence(groups)


def _sentence(groups: Sequence[list[tuple[Contender, HomeFingerprints]]]) -> None:
    """All but the largest group are wrong."""
    right = max(groups, key=len, default=[])
    for group in groups:
        if group is not right:
            names = unlike(right[0][1], group[0][1], right[0][0].proposal.design.model)
            for each, _ in group:
                each.out(
                    f"after the same writes, its rows of {', '.join(names)} differ from those of the other designs"
                )
