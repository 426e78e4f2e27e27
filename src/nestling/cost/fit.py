"""Coefficients from measured times: bounded least squares of time against work, in relative terms.

What is minimised is the squared relative error, measured in the middle between predicted and measured (so that twice too much
weighs like half), plus a weak pull of each coefficient towards the figure known before: a quantity the experiments hardly vary
keeps about that figure instead of whatever explains the noise. Doubt is the spread over refits on resampled experiments.

The problem has some thirty unknowns, so cyclic coordinate descent on the normal equations solves it in a fraction of a second
without a numerical library.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import sqrt
from operator import mul
from random import Random

from nestling.cost.profile import Coefficient, Identity, Profile
from nestling.ir.paths.work import NAMES, Measurement

PULL = 0.02
"""Weight of the known figures against one experiment (chosen so that one experiment on a quantity outweighs them)."""
LEAST_COEFFICIENT_SHARE = 0.1
"""No coefficient falls below this share of the known figure: nothing is free, even where noise makes it look so."""
SWEEPS = 400
STEADY = 1e-12
"""A sweep that changes no coefficient by more than this share of itself is the last."""
REWEIGHTINGS = 8
RESAMPLES = 24
SMALLEST_DOUBT = 0.05
"""No figure is surer than that: the same server measures itself differently on another day."""

_Row = Sequence[float]


def fitted(measurements: Sequence[Measurement], known: Profile, identity: Identity, *, name: str) -> Profile:
    """The profile that fits the measurements best; quantities that none of them has keep the known figures."""
    varied = [each for each in NAMES if any(getattr(m.work, each) for m in measurements)]
    rows = [[getattr(m.work, each) for each in varied] for m in measurements]
    times = [m.seconds for m in measurements]
    start = [max(known.seconds[each], 1e-12) for each in varied]
    found = solve(rows, times, start)
    doubts = _doubts(rows, times, found)
    source = f"measured on MongoDB {identity.server}, {identity.hardware}"
    fresh = {
        each: Coefficient(each, seconds, source, doubt)
        for each, seconds, doubt in zip(varied, found, doubts, strict=True)
    }
    coefficients = tuple(fresh.get(each.name, each) for each in known.coefficients)
    return replace(known, name=name, identity=identity, coefficients=coefficients, measured=True, note="")


def solve(rows: Sequence[_Row], times: Sequence[float], known: Sequence[float]) -> list[float]:
    """Coefficients, none far below the known one, whose products with the rows come closest to the times."""
    found = list(known)
    for _ in range(REWEIGHTINGS):
        weights = [
            1 / (seconds * max(_dot(row, found), seconds / 10)) for row, seconds in zip(rows, times, strict=True)
        ]
        found = _descend(rows, times, weights, known, found)
    return found


def errors(measurements: Sequence[Measurement], seconds: Mapping[str, float]) -> list[float]:
    """The q-error of each measurement under these coefficients, in their order."""
    found = []
    for each in measurements:
        predicted = sum(cost * getattr(each.work, name) for name, cost in seconds.items())
        found.append(max(predicted / each.seconds, each.seconds / predicted) if predicted > 0 else float("inf"))
    return found


def _descend(
    rows: Sequence[_Row], times: Sequence[float], weights: Sequence[float], known: Sequence[float], start: list[float]
) -> list[float]:
    """Minimise the weighted squares plus the pull, one coefficient at a time. Columns are scaled by the known figures."""
    size = len(known)
    scaled = [[value * scale for value, scale in zip(row, known, strict=True)] for row in rows]
    gram = [[0.0] * size for _ in range(size)]
    right = [0.0] * size
    for row, seconds, weight in zip(scaled, times, weights, strict=True):
        present = [(i, value) for i, value in enumerate(row) if value]
        for i, value in present:
            weighted, line = weight * value, gram[i]
            right[i] += weighted * seconds
            for j, other in present:
                line[j] += weighted * other
    found = [value / scale for value, scale in zip(start, known, strict=True)]
    for i, ratio in enumerate(found):  # ten times too much is as far away as a tenth
        pull = PULL / max(1.0, ratio) ** 2
        gram[i][i] += pull
        right[i] += pull
    for _ in range(SWEEPS):
        before = [*found]
        for i, line in enumerate(gram):
            slope = right[i] - _dot(line, found) + line[i] * found[i]
            found[i] = max(LEAST_COEFFICIENT_SHARE, slope / line[i])
        if all(abs(now - then) <= STEADY * now for now, then in zip(found, before, strict=True)):
            break
    return [value * scale for value, scale in zip(found, known, strict=True)]


def _doubts(rows: Sequence[_Row], times: Sequence[float], found: Sequence[float]) -> list[float]:
    random = Random(1)  # noqa: S311 - resampling, not secrets
    refits = []
    for _ in range(RESAMPLES):
        chosen = [random.randrange(len(rows)) for _ in rows]
        refits.append(solve([rows[i] for i in chosen], [times[i] for i in chosen], [max(f, 1e-12) for f in found]))
    doubts = []
    for place, value in enumerate(found):
        spread = sqrt(sum((refit[place] - value) ** 2 for refit in refits) / len(refits))
        doubts.append(min(1.0, max(SMALLEST_DOUBT, spread / value)) if value > 1e-11 else 1.0)
    return doubts


def _dot(one: _Row, other: _Row) -> float:
    product: float = sum(map(mul, one, other))
    return product
