"""An explanation laid out for a terminal: a block for each decision, then what is kept besides and what is not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from textwrap import wrap
from typing import NamedTuple

from nestling.emitters.explanation.explanation import BuiltIndex, Explained, Explanation, StoredEntity
from nestling.emitters.explanation.flip_words import flip_text
from nestling.emitters.explanation.weighed_words import rejected_text, without_it
from nestling.ir.proposal import Costs, Flip, Weighed
from nestling.ir.quantity_words import short
from nestling.ir.words.proposal_rows import EQUAL, cost_line
from nestling.ir.words.work_words import share_text, work_rate

WIDTH = 80
MOST_FLIPS = 3
"""Flips shown of one decision, the nearest."""
FAR = 100.0
"""A flip at so many times the present quantity, or at so small a part of it, is shown only when there is no nearer one."""
MOST_REJECTED = 5
"""Structures of one pattern that are shown of those not kept, the nearest to being so."""
BUILT_BESIDES = "Built besides, for keys, references and upkeep"
UNIT = "Costs are milliseconds of server and client work in each second: 1,000 ms/s keep one processor core busy."


class _Line(NamedTuple):
    """A line yet to be broken: the first part stands after `head`, the others `indent` blanks further in."""

    text: str
    head: str = ""
    indent: int = 0

    def rows(self, width: int) -> list[str]:
        """Lines of at most `width` characters."""
        lines = wrap(
            self.text,
            width,
            initial_indent=self.head,
            subsequent_indent=" " * self.indent,
            break_on_hyphens=False,
            break_long_words=False,
        )
        return lines or [self.head.rstrip()]


def explanation_text(explained: Explanation, *, lacking_first: bool = False, width: int = WIDTH) -> str:
    """The explanation in plain lines, one block per decision. `lacking_first`: it begins with what is not taken into account."""
    lacking = _listed("Not taken into account", explained.gaps)
    blocks = lacking if lacking_first else []
    blocks += _head(explained)
    blocks += [list(_lines(each)) for each in explained.decisions]
    blocks += [list(_stored(each)) for each in explained.stored]
    blocks += _besides(explained.weighed, explained.costs)
    blocks += [list(_built(explained.built_besides))] if explained.built_besides else []
    blocks += [] if lacking_first else lacking
    blocks += _listed("Good to know", explained.notes)
    return "\n\n".join("\n".join(row for line in block for row in line.rows(width)) for block in blocks) + "\n"


def _listed(title: str, lines: Sequence[str]) -> list[list[_Line]]:
    """One block, where there is anything."""
    items = [each for line in lines for each in _wrapped(line, "  - ")]
    return [[_Line(f"{title}:"), *items]] if items else []


def _head(explained: Explanation) -> list[list[_Line]]:
    if explained.costs is None:
        return [[_Line(explained.lacking)]] if explained.lacking else []
    return [[_Line(cost_line(explained.costs, explained.about, explained.lacking)), _Line(UNIT)]]


def _lines(each: Explained) -> Iterator[_Line]:
    yield from _wrapped(f"{each.relationship}: {each.choice} ({each.subject})", "", indent=2)
    for step in each.steps:
        yield from _wrapped(f"{step.text}{_number(step.number, step.text)}", f"  {step.rule:<10}")
    for number, flip in enumerate(_near(each.flips)):
        yield from _wrapped(flip_text(flip), "            " if number else "  turns     ")
    if each.factors:
        yield _Line("factors (A7)", "  ", 2)
    for factor in each.factors:
        yield from _wrapped(factor.evidence, f"    {factor.name:<15}{factor.leans:<13}")
    for other in each.alternatives:
        yield from _wrapped(rejected_text(other, each.choice), "  rejected  ")


def _near(flips: Sequence[Flip]) -> Sequence[Flip]:
    """The nearest flip, and the next ones unless they are far."""
    return [flip for place, flip in enumerate(flips[:MOST_FLIPS]) if not place or 1 / FAR <= flip.at / flip.now <= FAR]


def _besides(weighed: Sequence[Weighed], costs: Costs | None) -> Iterator[list[_Line]]:
    """What is kept besides the homes, and what was considered and is not."""
    kept = [each for each in weighed if each.chosen]
    useless = [each.structure for each in weighed if not each.chosen and each.gain == 0]
    rejected = [each for each in weighed if not each.chosen and each.gain]
    unweighed = sum(not each.chosen and each.gain is None for each in weighed)
    if kept:
        yield [_Line("Kept besides"), *(line for each in kept for line in _kept(each, costs))]
    shown = _nearest(rejected)
    lines = [line for each in shown for line in _rejected(each, costs)]
    if len(rejected) > len(shown):
        lines += _wrapped(f"… and {len(rejected) - len(shown)} that cost more than their like (--json lists all)", "  ")
    if useless:
        lines += _wrapped(f"without use in this design: {', '.join(useless)}", "  ", indent=4)
    if unweighed:
        lines += _wrapped(f"… and {unweighed} that were not weighed one by one (--json lists them)", "  ")
    if lines:
        yield [_Line("Considered, not kept"), *lines]


def _stored(each: StoredEntity) -> Iterator[_Line]:
    """Where an entity is stored that no decision is about."""
    yield from _wrapped(f"{each.entity}: collection {each.collection}", "", indent=2)
    yield from _wrapped(each.kind, "  stored    ")
    for index in each.indexes:
        told = f"on {index.fields}{' (unique)' if index.unique else ''}"
        yield from _wrapped(f"{told}: {'; '.join(index.reasons)}", "  index     ")
    if not each.indexes:
        yield from _wrapped("none beside the server's own", "  index     ")


def _built(indexes: Sequence[BuiltIndex]) -> Iterator[_Line]:
    """The indexes that are there whatever the costs say, each with what it is for."""
    yield _Line(BUILT_BESIDES)
    for each in indexes:
        told = f"index of `{each.collection}` on {each.fields}{' (unique)' if each.unique else ''}"
        yield from _wrapped(f"{told}: {'; '.join(each.reasons)}", "  ", indent=4)


def _nearest(rejected: Sequence[Weighed]) -> list[Weighed]:
    """Of each pattern those that came nearest to being kept."""
    of = Counter[str]()
    shown = []
    for each in rejected:
        of[each.pattern] += 1
        if of[each.pattern] <= MOST_REJECTED:
            shown.append(each)
    return shown


def _kept(each: Weighed, costs: Costs | None) -> Iterator[_Line]:
    yield from _wrapped(f"{each.structure} ({each.pattern})", "  ", indent=6)
    if each.gain:
        other = without_it(each)
        because = f" over {other}" if each.instead else f"; {other}" if other else ""
        yield from _wrapped(f"{work_rate(each.gain)}{_share(each.gain, costs)}{because}", "    saves   ")
    elif each.gain is not None:
        other = f" – {without_it(each)}" if each.instead else ""
        yield from _wrapped(f"{EQUAL}{other}; it serves {', '.join(each.motives)}", "    saves   ")
    elif each.motives:
        yield from _wrapped(", ".join(each.motives), "    serves  ")
    if each.price:
        yield from _wrapped(each.price, "    price   ")
    for flip in each.flips[:1]:
        yield from _wrapped(flip_text(flip), "    better  ")


def _rejected(each: Weighed, costs: Costs | None) -> Iterator[_Line]:
    gain = each.gain or 0.0
    more = f"costs {work_rate(-gain)} more{_share(gain, costs)}"
    because = f": it {each.because}" if each.because else ""
    yield from _wrapped(f"{each.structure} ({each.pattern}): {more}{because}", "  ", indent=4)


def _share(seconds: float, costs: Costs | None) -> str:
    return f" ({share_text(abs(seconds) / costs.cost)})" if costs is not None and costs.cost else ""


def _wrapped(text: str, head: str, *, indent: int | None = None) -> list[_Line]:
    """A line after `head`, continued under where the text began."""
    return [_Line(text, head, len(head) if indent is None else indent)]


def _number(number: float | None, text: str) -> str:
    """The number in brackets, unless the sentence holds it already, as a count, a share or a cost."""
    if number is None:
        return ""
    forms = [f"{number:,.0f}", f"{number:.0%}", f"{number:.1%}", short(number), work_rate(number)]
    return "" if any(form in text for form in forms) else f" [{number:,.6g}]"
