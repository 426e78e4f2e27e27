"""Turns the measurements into a proof."""

from __future__ import annotations

from collections.abc import Mapping

from nestling.executors.drive import MixSeconds, latency, seconds_of_mix
from nestling.executors.drive.examined import mean
from nestling.ir.proof import (
    ADVISED,
    Proof,
    RivalFigures,
    Setting,
    SourceComparison,
    Space,
    StatementFigures,
    WritingCost,
)
from nestling.ir.words.structure_words import structures
from nestling.ir.workload import Workload
from nestling.pipeline.proving.contender import TWIN, Contender

ABLATION = "ablation: "


def summary(
    contenders: list[Contender],
    workload: Workload,
    setting: Setting,
    source: SourceComparison,
    notes: tuple[str, ...],
    missing: str,
) -> Proof:
    """All figures; the twin becomes the noise floor."""
    rates = {statement.name: statement.rate_per_second for statement in workload.statements}
    measured = {
        each.name: seconds_of_mix(each.rounds[: setting.rounds], rates, seed=setting.seed)
        for each in contenders
        if setting.rounds and len(each.rounds) >= setting.rounds
    }
    figures = tuple(
        _figures(each, measured, workload, setting) for each in contenders if each.name != TWIN or each.disqualified
    )
    return Proof(setting, figures, _noise(measured), notes=notes, missing=missing, source=source)


def _noise(measured: Mapping[str, MixSeconds]) -> float:
    """Return how far the ratio of the A/A twins may be from 1."""
    if not {TWIN, ADVISED} <= set(measured):
        return 0.0
    _, interval = measured[TWIN].times(measured[ADVISED])
    return max(abs(interval.low - 1), abs(interval.high - 1))


def _figures(each: Contender, measured: Mapping[str, MixSeconds], workload: Workload, setting: Setting) -> RivalFigures:
    throughput = interval = times = times_interval = None
    if each.name in measured:
        throughput, interval = measured[each.name].throughput(setting.clients)
    if {each.name, ADVISED} <= set(measured):
        times, times_interval = measured[each.name].times(measured[ADVISED])
    return RivalFigures(
        each.name,
        disqualified=each.disqualified,
        throughput=throughput,
        interval=interval,
        times=times,
        times_interval=times_interval,
        predicted=_predicted(each, workload),
        space=_space(each),
        upkeep=WritingCost(each.writes, each.counted.journal_bytes, each.counted.committed, each.counted.aborted),
        load_seconds=each.load_seconds,
        opened=each.opened,
        statements=_statements(each, workload),
        copies=each.copies,
        reverses=each.name.removeprefix(ABLATION) if each.name.startswith(ABLATION) else "",
        structures=structures(each.proposal.design),
    )


def _predicted(each: Contender, workload: Workload) -> float | None:
    """Return the predicted seconds of an average statement of the mix, or None if the cost model lacks one of them."""
    total = weighted = 0.0
    for statement in workload.statements:
        seconds = each.predicted.get(statement.name)
        if seconds is None:
            return None
        total += statement.rate_per_second
        weighted += statement.rate_per_second * seconds
    return weighted / total if total else None


def _space(each: Contender) -> Space | None:
    if each.space is None:
        return None
    return Space(each.space.data_bytes, each.space.index_bytes, each.cached_bytes)


def _statements(each: Contender, workload: Workload) -> tuple[StatementFigures, ...]:
    return tuple(
        StatementFigures(
            one.name,
            one.rate_per_second,
            one.kind.writes,
            latency=latency(each.seconds(one.name)),
            predicted=each.predicted.get(one.name),
            opened=latency(each.opened_seconds.get(one.name, [])),
            examined=mean(each.examined.get(one.name, [])),
            compared=each.compared[one.name],
            stale=each.stale[one.name],
            choices=each.choices[one.name],
            asked=each.asked[one.name],
            refused=each.refused[one.name],
        )
        for one in workload.statements
    )
