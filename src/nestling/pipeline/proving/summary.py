"""From what was measured to a proof."""

from __future__ import annotations

from collections.abc import Mapping

from nestling.executors.drive import bootstrap, latency
from nestling.executors.drive.examined import mean
from nestling.ir.proof import ADVISED, Proof, RivalFigures, Setting, Space, StatementFigures, Upkeep
from nestling.ir.workload import Workload
from nestling.pipeline.proving.contender import TWIN, Contender

ABLATION = "ablation: "


def summary(
    contenders: list[Contender], workload: Workload, setting: Setting, notes: tuple[str, ...], missing: str
) -> Proof:
    """All figures; the twin becomes the noise floor."""
    weights = {each.name: each.weights(workload)[: setting.rounds] for each in contenders}
    figures = tuple(
        _figures(each, weights, workload, setting) for each in contenders if each.name != TWIN or each.disqualified
    )
    noise = _noise(_ratios(weights.get(TWIN, []), weights[ADVISED]), setting)
    return Proof(setting, figures, noise, notes=notes, missing=missing)


def _noise(ratios: list[float], setting: Setting) -> float:
    """How far from 1 the ratio of the twins may be."""
    if not ratios:
        return 0.0
    _, interval = bootstrap(ratios, seed=setting.seed)
    return max(abs(interval.low - 1), abs(interval.high - 1))


def _ratios(one: list[float], other: list[float]) -> list[float]:
    """How much longer the mix takes on one than on the other, round by round."""
    return [left / right for left, right in zip(one, other, strict=False)]


def _figures(each: Contender, weights: Mapping[str, list[float]], workload: Workload, setting: Setting) -> RivalFigures:
    throughput = interval = times = times_interval = None
    if own := weights[each.name]:
        throughput, interval = bootstrap([setting.clients / weight for weight in own], seed=setting.seed)
    if ratios := _ratios(own, weights[ADVISED]):
        times, times_interval = bootstrap(ratios, seed=setting.seed)
    return RivalFigures(
        each.name,
        disqualified=each.disqualified,
        throughput=throughput,
        interval=interval,
        times=times,
        times_interval=times_interval,
        predicted=_predicted(each, workload),
        space=_space(each),
        upkeep=Upkeep(each.writes, each.counted.journal_bytes, each.counted.committed, each.counted.aborted),
        load_seconds=each.load_seconds,
        opened=each.opened,
        statements=_statements(each, workload),
        reverses=each.name.removeprefix(ABLATION) if each.name.startswith(ABLATION) else "",
    )


def _predicted(each: Contender, workload: Workload) -> float | None:
    """Seconds of the mix's average statement by the cost model; None where it does not know one of them."""
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
        )
        for one in workload.statements
    )
