"""A proof as plain data, in its documented shape."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from nestling.ir.proof import Interval, Latency, Proof, RivalFigures, StatementFigures
from nestling.ir.proof_words import verdict


def proof_json(proof: Proof) -> dict[str, Any]:
    """`designs` by name, `best`, `advised`, `regret`, `noise`, `equal`, and how it was measured; times are seconds."""
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
        "notes": list(proof.notes),
        "missing": proof.missing,
    }


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
    }


def _latency(latency: Latency | None) -> dict[str, Any]:
    if latency is None:
        return {"p50": None, "p95": None, "p99": None, "mean": None, "runs": 0}
    return asdict(latency)


def _interval(interval: Interval | None) -> list[float] | None:
    return [interval.low, interval.high] if interval else None
