"""Designs and proposals in short: rows of the tables people read, and the cost in a sentence."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil

from nestling.ir.design import Design
from nestling.ir.design_problem import CHANGE
from nestling.ir.indexes.any_case import finds_any_case
from nestling.ir.indexes.planned_index import PlannedIndex
from nestling.ir.indexes.planned_indexes import planned_indexes
from nestling.ir.proposal import Choice, Costs, Decision, Proposal, Weighed
from nestling.ir.quantity_words import agreeing, count, counted, first_of, short
from nestling.ir.statements.unconverted_gaps import statements_in
from nestling.ir.words.purposes import purpose
from nestling.ir.words.work_words import work_rate

SERVER_CORES = 128
"""Processor cores of a large server: the seconds of work it does in a second."""

PROVED = 1e-6
"""A gap below it counts as none."""
_MOST_DEARER = 3
_MOST_NAMES = 8
_MOST_INSTEAD = 3
EQUAL = "tie"
"""What a structure saves that could be left out without loss, because something else would then do its work as well."""
STAYS_WORD = "stays"
"""What stands for the saving of a structure that is there only since it was there."""
STAYS_MEANS = f"{STAYS_WORD}: it exists today, and removing it would save less than the {CHANGE}"
UNUSED = "no statement of the workload"
"""Whom a structure serves that none of them uses."""
NOT_WEIGHED = "not weighed"
"""What stands for a saving there was no time to find; a note of the proposal says so, too."""
UNTRIED = "not tried in time, raise --time-limit"
"""What to say of something that turned out cheaper than what was chosen, once this was weighed."""
BESIDES = "+"
"""What marks an index that a design does not name and that is built all the same."""


def collection_rows(design: Design) -> Iterator[tuple[str, str, str, str]]:
    """(collection, what its documents are, the entities embedded in them, its indexes) for every physical collection.

    The indexes are those that are built, `BESIDES` before what the design does not name.
    """
    planned = planned_indexes(design)
    for store in design.stores:
        roots = [root.entity for root in store.roots]
        held = [name for name, places in design.places.items() if any(p.store is store for p in places)]
        what = ", ".join(roots) if purpose(store) == f"home of `{roots[0]}`" else purpose(store).replace("`", "")
        indexes = "; ".join(_index_cell(design, index) for index in planned if index.collection == store.name)
        yield store.name, what, ", ".join(name for name in held if name not in roots), indexes


def _index_cell(design: Design, index: PlannedIndex) -> str:
    kinds = [*(["unique"] if index.unique else []), *(["partial"] if index.partial else [])]
    kinds += ["ignoring case"] if finds_any_case(design, index) else []
    told = f" ({', '.join(kinds)})" if kinds else ""
    return f"{'' if index.named else BESIDES}{index.fields}{told}"


def besides_line(design: Design) -> str:
    """What the mark means, where a row has it; else nothing."""
    if all(index.named for index in planned_indexes(design)):
        return ""
    return f"{BESIDES} also built, for keys, references and upkeep: `nestling explain` shows what each is for"


def decision_rows(proposal: Proposal) -> Iterator[tuple[str, str, str]]:
    """(relationship, choice, the reason that decided) for every decision."""
    for made in proposal.decisions:
        yield made.relationship, str(made.choice), _because(made)


KEPT_COLUMNS = ("structure", "pattern", "saves", "for")
"""The columns of `kept_rows`."""
KEPT_OVER = ("structure", "pattern", "saves", "instead of", "for")
"""The columns of `kept_over_rows`."""


def kept_rows(proposal: Proposal) -> Iterator[tuple[str, str, str, str]]:
    """(structure, pattern, what it saves, the statements it is for) for every copy, computed value and index chosen by cost."""
    for structure, pattern, saves, _, motives in kept_over_rows(proposal):
        yield structure, pattern, saves, motives


def kept_over_rows(proposal: Proposal) -> Iterator[tuple[str, str, str, str, str]]:
    """(structure, pattern, saving, what the best design without it has instead, statements) for every structure chosen by cost.

    The saving is over that best design.
    """
    for each in proposal.weighed:
        if each.chosen:
            instead = first_of(each.instead, _MOST_INSTEAD)
            yield each.structure, each.pattern, saving(each), instead, ", ".join(each.motives) or UNUSED


def saving(kept: Weighed) -> str:
    """What a chosen structure saves, in words; of one that stays though it saves nothing, what it costs."""
    if kept.gain is None:
        return NOT_WEIGHED
    if kept.stays:
        return f"{STAYS_WORD}: costs {work_rate(-kept.gain)}" if kept.gain else STAYS_WORD
    if kept.gain < 0:
        return f"would save {work_rate(-kept.gain)} if removed: {UNTRIED}"
    return work_rate(kept.gain) if kept.gain else EQUAL


def stays_line(proposal: Proposal) -> str:
    """Why structures stay that save nothing, where some do; else nothing."""
    if not any(each.stays for each in proposal.weighed):
        return ""
    return STAYS_MEANS


def lacking_line(proposal: Proposal) -> str:
    """Which statements of the workload the decision leaves out, weighs in part, or does not convert, and whether it is about
    another design by now; else nothing.
    """
    weighed = proposal.priced
    every = len({*weighed, *proposal.left_out}) if weighed else 0
    unconverted = tuple(name for gap in proposal.gaps for name in statements_in(gap))
    parts = (
        (proposal.left_out, every, "left out of this decision"),
        (proposal.in_part, 0, "weighed only with the parts that could be read"),
        (unconverted, 0, "weighed, but not converted"),
    )
    changed = [CHANGED_BY_HAND] if proposal.is_changed else []
    return " ".join([*changed, *(_lacking(names, every, what) for names, every, what in parts if names)])


CHANGED_BY_HAND = (
    "But the design in this file was changed afterwards: its costs and reasons are those of the design before the change."
    " `nestling prove` measures this one."
)


def _lacking(names: tuple[str, ...], every: int, what: str) -> str:
    """`2 of 6 statements are left out: a, b`, without `of` where nobody knows how many there are."""
    number = len(names)
    shown = first_of([f"`{name}`" for name in names], _MOST_NAMES)
    of = f"{count(number)} of {counted(every, 'statement')}" if every else counted(number, "statement")
    return f"{of} {agreeing(number)} {what}: {shown}."


def cost_line(costs: Costs, statement: str = "", lacking: str = "") -> str:
    """What the design costs and how sure that is, whether a server can do so much at all, and what one statement costs.

    `lacking` is what `lacking_line` says of the proposal: it stands beside the proof, which does not hold for it.
    """
    beyond = f" That keeps {costs.with_dearer:,.0f} processor cores busy, more than a server has: check the rates."
    busy = beyond if costs.with_dearer > SERVER_CORES else ""
    total = f"The workload costs {work_rate(costs.cost)} by the cost model ({costs.profile})"
    if costs.threshold:
        total += f", {work_rate(costs.threshold)} of it the {CHANGE}"
    but = f" {_dearer_words(costs)}" if costs.dearer else ""
    once = dict(costs.statements).get(statement)
    one = f" `{statement}` costs {short(once * 1e3)} ms each time." if once is not None else ""
    if really := next((each for each in costs.dearer if each.statement == statement), None):
        one = (
            f" `{statement}` costs {short(really.seconds * 1e3)} ms each time; the savings shown for it were"
            " estimated for a different query."
        )
    but += f" {lacking}" if lacking else ""
    search = f" (search: {ceil(costs.seconds * 10) / 10:.1f} s)" if costs.seconds else ""
    if costs.gap < PROVED:
        proved = "the least of the estimates" if costs.dearer else "proved least"
        return f"{total}, {proved}{search}.{but}{busy}{one}"
    least = f"at most {costs.gap:.2%} above the least possible"
    return f"{total}: the best found{search}, {least}.{but}{busy}{one}"


def _dearer_words(costs: Costs) -> str:
    """For how many statements a cost does not hold, what the dearest of them really cost, and what all do then."""
    estimated = dict(costs.statements)
    ranked = sorted(costs.dearer, key=lambda each: -each.work)
    told = [
        f"`{each.statement}` {short(each.seconds * 1e3)} ms each time, {work_rate(each.work)}"
        f" (estimated: {short(estimated[each.statement] * 1e3)} ms)"
        for each in ranked
    ]
    whose = (
        f"{counted(len(ranked), 'statement')}, whose {'query costs' if len(ranked) == 1 else 'queries cost'} far more"
    )
    whole = f"With this the workload costs {work_rate(costs.with_dearer)}."
    return f"This does not hold for {whose}: {first_of(told, _MOST_DEARER)}. {whole}"


def _because(made: Decision) -> str:
    """Why it was not embedded; where it was, the number that let it be; the rule that says so in brackets."""
    reasons = [reason for reason in made.reasons if reason.rule != "A7"]
    costed = next((reason for reason in reasons if reason.rule == "cost"), None)
    if costed is not None:
        refused = next((other.text for other in made.alternatives), None) if costed.number is None else None
        return refused or costed.text
    against = next((other.text for other in made.alternatives if other.choice is Choice.EMBED), None)
    if made.choice is not Choice.EMBED and against is not None:
        said = next((reason for reason in reasons if reason.text == against), None)
        return f"{against} ({said.rule})" if said is not None else against
    if made.choice is Choice.EMBED:
        reasons = [reason for reason in reasons if reason.number is not None][:1] or reasons
    return f"{reasons[-1].text.removeprefix('cardinality? ')} ({reasons[-1].rule})" if reasons else ""
