"""A proof as plain data, in its documented shape."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from nestling.ir.proof import Interval, Latency, Proof, RivalFigures, SourceComparison, StatementFigures
from nestling.ir.words.proof_words import source_notes, verdict


def proof_json(proof: Proof) -> dict[str, Any]:
    """`designs` by name, `best`, `advised`, `regret`, `noise`, `equal`, `source`, and how it was measured; times are seconds."""
    return {
        "designs": {each.name: _design(each) for each in proof.designs},
        "best": proof.best,
        "advised": proof.advised,
        "regret": proof.regret,
        "is_best": proof.is_best,
        "noise": proof.noise,
        "equal": proof.equal,
        "verdict": verdict(proof),
        "setting": asdict(proof.setting),
        "notes": [*proof.notes, *source_notes(proof)],
        "missing": proof.missing,
        "source": _source(proof.source),
    }


def _source(found: SourceComparison) -> dict[str, Any]:
    return {
        "product": found.product or None,
        "answers": found.answers,
        "reads": found.reads,
        "choices": dict(found.choices),
        "not_compared": dict(found.not_compared),
        "differences": [
            {**asdict(each), "values": {name: _value(value) for name, value in each.values}}
            for each in found.differences
        ],
        "why_not": found.why_not or None,
    }


def _value(value: object) -> object:
    """A parameter's value; values that JSON lacks become texts."""
    if isinstance(value, list | tuple):
        return [_value(item) for item in value]
    return value if isinstance(value, str | int | float | None) else str(value)


def _design(each: RivalFigures) -> dict[str, Any]:
    space, upkeep, opened = each.space, each.upkeep, each.opened
    return {
        "throughput": each.throughput,
        "interval": _interval(each.interval),
        "times": each.times,
        "times_interval": _interval(each.times_interval),
        "predicted": each.predicted,
        "bytes": space.disk_bytes if space else None,
        "index_bytes": space.index_bytes if space else None,
        "cached_bytes": space.cache_bytes if space else None,
        "load_seconds": each.load_seconds,
        "disqualified": each.disqualified or None,
        "reverses": each.reverses or None,
        "structures": list(each.structures),
        "upkeep": asdict(upkeep) if upkeep else None,
        "open_loop": None
        if opened is None
        else {"asked": opened.asked, "reached": opened.reached, "kept_up": opened.kept_up} | _latency(opened.latency),
        "copies": {
            one.copy: {name: value for name, value in asdict(one).items() if name != "copy"} for one in each.copies
        },
        "statements": {one.name: _statement(one) for one in each.statements},
    }


def _statement(one: StatementFigures) -> dict[str, Any]:
    return {
        **_latency(one.latency),
        "predicted": one.predicted,
        "rate": one.rate_per_second,
        "open_loop": _latency(one.opened) if one.opened else None,
        "examined": asdict(one.examined) if one.examined else None,
        "compared": one.compared,
        "stale": one.stale,
        "choices": one.choices,
        "asked": one.asked,
        "refused": one.refused,
    }


def _latency(latency: Latency | None) -> dict[str, Any]:
    if latency is None:
        return {"p50": None, "p95": None, "p99": None, "mean": None, "runs": 0}
    return asdict(latency)


def _interval(interval: Interval | None) -> list[float] | None:
    return [interval.low, interval.high] if interval else None
