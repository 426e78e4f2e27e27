"""Two runs of the exam beside each other: whether they agree within their own error bars."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

Figures = Mapping[str, Any]


def again(before: Sequence[Figures], now: Sequence[Figures]) -> Iterator[str]:
    """A table of what both runs measured: designs that agree, and the two regrets."""
    known = {_key(each): each for each in before}
    rows, both, equal = [], 0, 0
    for each in now:
        earlier = known.get(_key(each))
        if earlier is None:
            continue
        designs = earlier["designs"]
        pairs = [
            (designs[name], design)
            for name, design in each["designs"].items()
            if name in designs and designs[name]["cost"] == design["cost"]
        ]
        told = [agreed for one, other in pairs if (agreed := agree(one, other)) is not None]
        both, equal = both + len(told), equal + sum(told)
        regrets = " | ".join(_share(one["regret"]) for one in (earlier, each))
        noise = max(earlier["noise"], each["noise"])
        rows.append(f"| {' | '.join(_key(each))} | {sum(told)} of {len(told)} | {regrets} | {noise:.1%} |")
    yield ""
    yield "| workload | setting | designs that agree | regret before | regret now | noise, the larger |"
    yield "|---|---|---|---|---|---|"
    yield from rows
    if both:
        yield f"\n{equal} of {both} times agree within the error bars of the two runs ({equal / both:.0%}; 95 % are due)"


def agree(one: Figures, other: Figures) -> bool | None:
    """Whether two times of a design are no further apart than both error bars allow; None of one not measured twice, and of
    the advised one, which is always 1.
    """
    if not (one["times_interval"] and other["times_interval"]):
        return None
    bars = [(design["times_interval"][1] - design["times_interval"][0]) / 2 for design in (one, other)]
    if not any(bars):
        return None
    return bool(abs(one["times"] - other["times"]) <= (bars[0] ** 2 + bars[1] ** 2) ** 0.5)


def _key(each: Figures) -> tuple[str, str]:
    return each["workload"], each["setting"]


def _share(value: float | None) -> str:
    return f"{value:.1%}" if value is not None else "–"
