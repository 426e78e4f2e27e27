"""An explanation laid out for a terminal: a block for each decision, then other structures, chosen or not."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from textwrap import wrap
from typing import NamedTuple

from nestling.emitters.explanation.explanation import BuiltIndex, Explained, Explanation, StoredEntity
from nestling.emitters.explanation.flip_words import flip_text
from nestling.emitters.explanation.weighed_words import (
    kept_text,
    not_kept,
    rate_and_share,
    rejected_text,
    without_it,
)
from nestling.ir.proposal import UNCHECKED, Costs, Flip, Weighed
from nestling.ir.quantity_words import agreeing, short
from nestling.ir.rules import RULES
from nestling.ir.words.proposal_rows import EQUAL, STAYS_WORD, UNTRIED, UNUSED, cost_line
from nestling.ir.words.statement_costs import COLUMNS, NUMBERS, TITLE, statement_cost_rows
from nestling.ir.words.work_words import work_rate

WIDTH = 80
MOST_FLIPS = 3
"""Flips shown of one decision, the nearest."""
FAR_FLIP_FACTOR = 100.0
"""A flip point further away than this factor is shown only if there is no nearer one."""
MOST_REJECTED = 5
"""Most rejected structures of one pattern that are shown, closest to being chosen first."""
FACTORS = "A7"
"""The rule the seven factors are."""
_BRACKETS = re.compile(r"\([^()]*\)")
_CODE = re.compile(r"\b(?:A\d+|rule-\d)\b")
BUILT_BESIDES = "Also built, for keys, references and upkeep"
UNIT = "Costs are milliseconds of server and client work in each second: 1,000 ms/s keep one processor core busy."


class UnbrokenLine(NamedTuple):
    """A line yet to be wrapped: the first part follows `head`, the others are indented by `indent`."""

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
    """The explanation as text, one block per decision. `lacking_first`: begin with what is not taken into account."""
    lacking = listed("Not taken into account", explained.gaps)
    blocks = lacking if lacking_first else []
    blocks += head(explained)
    blocks += [list(_lines(each)) for each in explained.decisions]
    blocks += [list(_stored(each)) for each in explained.stored]
    blocks += _besides(explained.weighed, explained.costs)
    blocks += [list(built(explained.built_besides))] if explained.built_besides else []
    blocks += [] if lacking_first else lacking
    blocks += listed("Good to know", explained.notes)
    blocks += legend(cited(explained.decisions))
    return joined(blocks, width)


def cited(decisions: Iterable[Explained]) -> set[str]:
    """The rules that the lines of some decisions cite by their ids."""
    told: set[str] = set()
    for each in decisions:
        told.update(step.rule for step in each.steps)
        told.update((FACTORS,) if each.factors else ())
        steps, factors = (step.text for step in each.steps), (factor.evidence for factor in each.factors)
        others = (rejected_text(other, each.choice) for other in each.alternatives)
        for text in (*steps, *factors, *others):
            told.update(code for within in _BRACKETS.findall(text) for code in _CODE.findall(within))
    return told


def legend(ids: Container[str]) -> list[list[UnbrokenLine]]:
    """The meaning of the rule codes that occur; an id that is a word explains itself."""
    titles = [f"{each.id} {each.title}" for each in RULES if each.id in ids and each.id[-1].isdigit()]
    return [wrapped(f"Rules: {', '.join(titles)} (docs/rules.md).", "")] if titles else []


def joined(blocks: Iterable[Iterable[UnbrokenLine]], width: int) -> str:
    """The blocks as text, an empty line between them."""
    return "\n\n".join("\n".join(row for line in block for row in line.rows(width)) for block in blocks) + "\n"


def listed(title: str, lines: Sequence[str]) -> list[list[UnbrokenLine]]:
    """A block with these items, if there are any."""
    items = [each for line in lines for each in wrapped(line, "  - ")]
    return [[UnbrokenLine(f"{title}:"), *items]] if items else []


def head(explained: Explanation) -> list[list[UnbrokenLine]]:
    """The cost of the workload, or why it is unknown; for the whole design also the most expensive statements."""
    if explained.costs is None:
        return [[UnbrokenLine(explained.lacking)]] if explained.lacking else []
    whole = [UnbrokenLine(cost_line(explained.costs, explained.about, explained.lacking)), UnbrokenLine(UNIT)]
    return [whole, *([] if explained.about else _costly(explained.costs))]


def _costly(costs: Costs) -> list[list[UnbrokenLine]]:
    """The costs of the statements, highest first, if their rates are known."""
    rows = [*statement_cost_rows(costs)]
    widths = [max((len(row[place]) for row in rows), default=0) for place in range(len(COLUMNS))]
    cells = ([row[0].ljust(widths[0]), *(row[place].rjust(widths[place]) for place in NUMBERS)] for row in rows)
    return [[UnbrokenLine(f"{TITLE}:"), *(UnbrokenLine("   ".join(each), "  ", 4) for each in cells)]] if rows else []


def _lines(each: Explained) -> Iterator[UnbrokenLine]:
    yield from wrapped(f"{each.relationship}: {each.choice} ({each.subject})", "", indent=2)
    for step in each.steps:
        yield from wrapped(f"{step.text}{number(step.number, step.text)}", f"  {step.rule:<10}")
    for place, flip in enumerate(near(each.flips)):
        yield from wrapped(flip_text(flip), "            " if place else "  turns     ")
    if each.factors:
        yield UnbrokenLine(f"factors ({FACTORS})", "  ", 2)
    for factor in each.factors:
        yield from wrapped(factor.evidence, f"    {factor.name:<15}{factor.leans:<13}")
    for other in each.alternatives:
        yield from wrapped(rejected_text(other, each.choice), "  rejected  ")


def near(flips: Sequence[Flip]) -> Sequence[Flip]:
    """The nearest flip, and the next ones unless they are far."""
    return [
        flip
        for place, flip in enumerate(flips[:MOST_FLIPS])
        if not place or 1 / FAR_FLIP_FACTOR <= flip.at / flip.now <= FAR_FLIP_FACTOR
    ]


def _besides(weighed: Sequence[Weighed], costs: Costs | None) -> Iterator[list[UnbrokenLine]]:
    """The lines about other structures: those that are used, and those considered but not used."""
    kept, others = kept_and_not(weighed)
    useless = [each.structure for each in others if each.gain == 0]
    rejected = [each for each in others if each.gain]
    impossible = [each for each in others if each.gain is None and each.because]
    unweighed = sum(each.gain is None and not each.because for each in others)
    if kept:
        lines = [
            line for place, each in enumerate(kept) for line in _weighed_lines(each, costs, _same(each, kept[:place]))
        ]
        yield [UnbrokenLine("Kept besides"), *lines]
    shown = _nearest(rejected)
    lines = [line for each in shown for line in _rejected(each, costs)]
    if len(rejected) > len(shown):
        more = len(rejected) - len(shown)
        cost = agreeing(more, "costs more than others of its kind", "cost more than others of their kind")
        lines += wrapped(f"… and {more} that {cost} (--json lists all)", "  ")
    for each in impossible:
        lines += wrapped(f"{each.structure} ({each.pattern}): rejected, as {each.because}", "  ", indent=4)
    if useless:
        lines += wrapped(f"of no use in this design: {', '.join(useless)}", "  ", indent=4)
    if unweighed:
        were, them = agreeing(unweighed, "was", "were"), agreeing(unweighed, "it", "them")
        lines += wrapped(f"… and {unweighed} that {were} not weighed one by one (--json lists {them})", "  ")
    if lines:
        yield [UnbrokenLine("Considered, not kept"), *lines]


def kept_and_not(weighed: Sequence[Weighed]) -> tuple[list[Weighed], list[Weighed]]:
    """Split the structures into chosen ones and others."""
    return [each for each in weighed if each.chosen], [each for each in weighed if not each.chosen]


def _stored(each: StoredEntity) -> Iterator[UnbrokenLine]:
    """The lines about an entity without a decision: where it is stored, and its indexes."""
    yield from wrapped(f"{each.entity}: collection {each.collection}", "", indent=2)
    yield from wrapped(each.kind, "  stored    ")
    for index in each.indexes:
        told = f"on {index.fields}{' (unique)' if index.unique else ''}"
        yield from wrapped(f"{told}: {'; '.join(index.reasons)}", "  index     ")
    if not each.indexes:
        yield from wrapped("none besides the server's own", "  index     ")


def built(indexes: Sequence[BuiltIndex]) -> Iterator[UnbrokenLine]:
    """The indexes that are built whatever the costs, with their purposes."""
    yield UnbrokenLine(BUILT_BESIDES)
    for each in indexes:
        told = f"index of `{each.collection}` on {each.fields}{' (unique)' if each.unique else ''}"
        yield from wrapped(f"{told}: {'; '.join(each.reasons)}", "  ", indent=4)


def _nearest(rejected: Sequence[Weighed]) -> list[Weighed]:
    """For each pattern, the few structures that came nearest to being kept."""
    of = Counter[str]()
    shown = []
    for each in rejected:
        of[each.pattern] += 1
        if of[each.pattern] <= MOST_REJECTED:
            shown.append(each)
    return shown


def _same(each: Weighed, before: Sequence[Weighed]) -> Weighed | None:
    """A structure whose saving is this one's, too: the best design without either of them is the same."""
    alike = (one for one in before if (one.gain, one.instead) == (each.gain, each.instead))
    return next(alike, None) if each.gain and each.gain > 0 and each.instead else None


def _weighed_lines(each: Weighed, costs: Costs | None, same: Weighed | None) -> Iterator[UnbrokenLine]:
    yield from wrapped(f"{each.structure} ({each.pattern})", "  ", indent=6)
    checked = "" if each.checked else f"; {UNCHECKED}"
    if each.stays:
        yield from wrapped(f"{kept_text(each, costs)}{checked}", f"    {STAYS_WORD}   ")
        yield from wrapped(", ".join(each.motives) or UNUSED, "    serves  ")
    elif each.gain is not None and each.gain < 0:
        yield from wrapped(f"leaving it out would save {rate_and_share(-each.gain, costs)}: {UNTRIED}", "    price   ")
    elif each.gain and same is not None:
        yield from wrapped(f"{rate_and_share(each.gain, costs)}, once for both: see {same.structure}", "    saves   ")
    elif each.gain:
        other = without_it(each)
        because = f" over {other}" if each.instead else f"; {other}" if other else ""
        yield from wrapped(f"{rate_and_share(each.gain, costs)}{because}{checked}", "    saves   ")
    elif each.gain is not None:
        other = f" – {without_it(each)}" if each.instead else ""
        yield from wrapped(f"{EQUAL}{other}; it serves {', '.join(each.motives) or UNUSED}", "    saves   ")
    elif each.motives:
        yield from wrapped(", ".join(each.motives), "    serves  ")
    if each.price:
        yield from wrapped(each.price, "    price   ")
    for flip in each.flips[:1]:
        yield from wrapped(flip_text(flip), "    better  ")


def _rejected(each: Weighed, costs: Costs | None) -> Iterator[UnbrokenLine]:
    because = f": it {each.because}" if each.because else ""
    checked = "" if each.checked else f"; {UNCHECKED}"
    yield from wrapped(f"{each.structure} ({each.pattern}): {not_kept(each, costs)}{because}{checked}", "  ", indent=4)


def wrapped(text: str, head: str, *, indent: int | None = None) -> list[UnbrokenLine]:
    """A line after `head`, continued under where the text began."""
    return [UnbrokenLine(text, head, len(head) if indent is None else indent)]


def number(value: float | None, text: str) -> str:
    """The number in brackets, unless it is 0 or the sentence contains it already, as a count, a share or a cost."""
    if not value:
        return ""
    forms = [f"{value:,.0f}", f"{value:.0%}", f"{value:.1%}", short(value), work_rate(value)]
    return "" if any(form in text for form in forms) else f" [{value:,.6g}]"
