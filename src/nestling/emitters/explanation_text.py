"""An explanation laid out for a terminal of 80 columns: a block for each decision, then what is kept besides and what is not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap

from nestling.emitters.explanation import Explained, Explanation
from nestling.emitters.flip_words import flip_text
from nestling.emitters.summary import cost_line
from nestling.ir.durations import work_rate
from nestling.ir.proposal import Costs, Weighed

WIDTH = 80
MOST_FLIPS = 3
"""Flips shown of one decision, the nearest."""
MOST_REJECTED = 15
"""Structures not kept that are shown, those that came nearest."""
UNIT = "Costs are milliseconds of server and client work for each second of the workload (ms/s)."


def explanation_text(explained: Explanation) -> str:
    """The explanation in plain lines, one block per decision."""
    blocks = [_head(explained.costs)] if explained.costs is not None else []
    blocks += ["\n".join(_lines(each)) for each in explained.decisions]
    blocks += ["\n".join(block) for block in _besides(explained.weighed, explained.costs)]
    for title, lines in (("Not taken into account", explained.gaps), ("Good to know", explained.notes)):
        if lines:
            blocks.append("\n".join((f"{title}:", *(each for line in lines for each in _wrapped(line, "  - ")))))
    return "\n\n".join(blocks) + "\n"


def _head(costs: Costs) -> str:
    return "\n".join((*_wrapped(cost_line(costs), ""), *_wrapped(UNIT, "")))


def _lines(each: Explained) -> Iterator[str]:
    yield f"{each.relationship}: {each.choice} ({each.subject})"
    for step in each.steps:
        yield from _wrapped(f"{step.text}{_number(step.number, step.text)}", f"  {step.rule:<10}")
    for number, flip in enumerate(each.flips[:MOST_FLIPS]):
        yield from _wrapped(flip_text(flip), "  turns     " if not number else "            ")
    if each.factors:
        yield "  factors (A7)"
    for factor in each.factors:
        yield from _wrapped(factor.evidence, f"    {factor.name:<15}{factor.leans:<13}")
    for other in each.alternatives:
        yield from _wrapped(other.text, f"  not {other.choice}: ", indent=6)


def _besides(weighed: Sequence[Weighed], costs: Costs | None) -> Iterator[list[str]]:
    """What is kept besides the homes, and what was considered and is not."""
    kept = [each for each in weighed if each.chosen]
    rejected = [each for each in weighed if not each.chosen and each.gain is not None]
    unweighed = sum(not each.chosen and each.gain is None for each in weighed)
    if kept:
        yield ["Kept besides", *(line for each in kept for line in _kept(each, costs))]
    lines = [line for each in rejected[:MOST_REJECTED] for line in _rejected(each, costs)]
    if len(rejected) > MOST_REJECTED:
        lines.append(f"  … and {len(rejected) - MOST_REJECTED} that cost more still (--json lists all)")
    if unweighed:
        lines += _wrapped(f"… and {unweighed} that were not weighed one by one: the time for it was up", "  ")
    if lines:
        yield ["Considered, not kept", *lines]


def _kept(each: Weighed, costs: Costs | None) -> Iterator[str]:
    yield from _wrapped(f"{each.structure} ({each.pattern})", "  ", indent=6)
    if each.gain is not None:
        because = f"; without it {each.because}" if each.because else ""
        yield from _wrapped(f"{work_rate(each.gain)}{_share(each.gain, costs)}{because}", "    saves   ")
    elif each.motives:
        yield from _wrapped(", ".join(each.motives), "    serves  ")
    if each.price:
        yield from _wrapped(each.price, "    price   ")
    for flip in each.flips[:1]:
        yield from _wrapped(flip_text(flip), "    turns   ")


def _rejected(each: Weighed, costs: Costs | None) -> Iterator[str]:
    gain = each.gain or 0.0
    more = f"costs {work_rate(-gain)} more{_share(gain, costs)}" if gain < 0 else "saves nothing"
    because = f": {each.because}" if each.because else ""
    yield from _wrapped(f"{each.structure} ({each.pattern}): {more}{because}", "  ", indent=4)


def _share(seconds: float, costs: Costs | None) -> str:
    return f" ({abs(seconds) / costs.cost:.2%})" if costs is not None and costs.cost else ""


def _wrapped(text: str, head: str, *, indent: int | None = None) -> list[str]:
    """Lines of at most `WIDTH`, the first after `head`, the others under where the text began."""
    follow = " " * (len(head) if indent is None else indent)
    lines = wrap(
        text, WIDTH, initial_indent=head, subsequent_indent=follow, break_on_hyphens=False, break_long_words=False
    )
    return lines or [head.rstrip()]


def _number(number: float | None, text: str) -> str:
    """The number in brackets, unless the sentence holds it already, as a count, a share or a cost."""
    if number is None:
        return ""
    forms = [f"{number:,.0f}", f"{number:.0%}", f"{number:.1%}", f"{number:,.3g}", work_rate(number)]
    return "" if any(form in text for form in forms) else f" [{number:,.6g}]"
