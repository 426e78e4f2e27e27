"""What a proof says in sentences, and its numbers as people read them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from nestling.ir.proof import YARDSTICKS, Interval, OtherAnswer, Proof, RivalFigures, SourceComparison
from nestling.ir.quantity_words import agreeing, counted, duration, first_of, short

_MOST_NAMES = 3
"""Statements named of those that one reason keeps from being compared."""


def labels(proof: Proof) -> dict[str, str]:
    """By name of a design, a short label: the part before a colon, with a number in place of the rest."""
    found: dict[str, str] = {}
    numbers: dict[str, int] = {}
    for each in proof.designs:
        kind, colon, _ = each.name.partition(": ")
        if colon:
            numbers[kind] = numbers.get(kind, 0) + 1
        found[each.name] = f"{kind} {numbers[kind]}" if colon else kind
    return found


def difference(name: str) -> str:
    """What a design's name says it differs in; empty when nothing."""
    return name.partition(": ")[2]


def disqualified(proof: Proof) -> Iterator[str]:
    """Why designs do not count: a reason once, behind all the designs it is true of."""
    names, found = labels(proof), dict[str, list[str]]()
    for each in proof.designs:
        if each.disqualified:
            told = f" ({difference(each.name)})" if difference(each.name) else ""
            found.setdefault(each.disqualified, []).append(f"{names[each.name]}{told}")
    return (f"{', '.join(designs)}: {reason}" for reason, designs in found.items())


def verdict(proof: Proof) -> str:
    """The outcome in one line."""
    advised = proof.design(proof.advised)
    if advised is not None and proof.source.differences and not proof.setting.rounds and not advised.disqualified:
        return f"Nothing was measured; {beside_source(proof.source)}; {_unproved(proof.setting.left_out)}"
    if advised is None or not advised.counts or advised.throughput is None:
        return f"The chosen design does not count: {advised.disqualified if advised else 'it is missing'}"
    parts = [
        f"the chosen design answers {rate(advised.throughput)} statements/s",
        *_beside_yardsticks(proof),
        _place(proof),
    ]
    out = [labels(proof)[each.name] for each in proof.designs if each.disqualified]
    equal = "all answers equal" if proof.missing else "all answers and rows equal"
    parts.append(f"DISQUALIFIED: {', '.join(out)}" if out else f"{equal} to one another{_but_for(proof)}")
    parts.append(beside_source(proof.source))
    parts.append("NOT ALL MEASURED" if proof.missing and not out else "")
    parts.append(_unproved(proof.setting.left_out))
    text = "; ".join(part for part in parts if part)
    return text[0].upper() + text[1:]


def _but_for(proof: Proof) -> str:
    """The statements whose answers differ between designs, where SQL leaves a choice."""
    names = ", ".join(f"`{name}`" for name in proof.choices)
    return f", but for {names}, where SQL leaves a choice" if names else ""


def beside_source(found: SourceComparison) -> str:
    """What was compared with the source, and of what it is not known."""
    if found.why_not:
        return f"not compared with a source: {found.why_not}"
    parts = []
    if found.reads:
        answers = f"{counted(found.answers, 'answer')} of {counted(found.reads, 'read')}"
        parts.append(f"{answers} equal to the source's ({found.product})")
    if found.choices:
        parts.append(f"{counted(len(found.choices), 'read')} answered differently where SQL leaves a choice")
    if found.differences:
        parts.append(f"ANOTHER ANSWER THAN THE SOURCE'S ({found.product}): {', '.join(_names(found))}")
    if left := len(found.not_compared):
        parts.append(f"{counted(left, 'read').upper()} NOT COMPARED WITH THE SOURCE")
    return ", ".join(parts)


def _names(found: SourceComparison) -> Iterator[str]:
    yield from (f"`{each.statement}`" for each in found.differences)


def other_answer(each: OtherAnswer, product: str) -> str:
    """One read in full: its values, what the source answers, what the designs answer."""
    values = ", ".join(f"{name} = {value!r:.80}" for name, value in each.values)
    asked = f"`{each.statement}`" + (f" with {values}" if values else "")
    if each.everywhere:
        told = f"all designs gave {each.found}. This is a bug in the conversion, not in a design; the statement is not measured"
    else:
        told = f"{', '.join(each.designs)} gave {each.found}"
    return f"{asked}: the source ({product}) gives {each.expected}; {told}"


def source_notes(proof: Proof) -> Iterator[str]:
    """What the comparison leaves open."""
    for name in proof.refused:
        yield (
            f"`{name}` was refused every time by a constraint of the source, so only the refusal was measured. Give it values"
            " that the constraint allows (`-- params: {…}`)"
        )
    for name, why in proof.source.choices:
        yield f"`{name}` gives another answer than the source; SQL leaves a choice, so equality cannot be shown: {why}"
    for why in dict.fromkeys(why for _, why in proof.source.not_compared):
        names = [f"`{name}`" for name, reason in proof.source.not_compared if reason == why]
        are = agreeing(len(names), "is", "are")
        yield f"{first_of(names, _MOST_NAMES)} {are} not compared with the source: {why}"
    if any(one.writes for each in proof.designs for one in each.statements):
        yield "the effects of writes are compared only between the designs, not with a source"


def _unproved(statements: int) -> str:
    if not statements:
        return ""
    return f"NOTHING IS PROVED OF {statements} STATEMENT{'S' * (statements > 1)} LEFT OUT"


def _beside_yardsticks(proof: Proof) -> Iterator[str]:
    """How it stands beside the yardsticks and designs from files."""
    faster = []
    for each in proof.designs:
        shown = each.name in YARDSTICKS or (":" not in each.name and not each.name.startswith("random"))
        if shown and each.counts and each.name != proof.advised and each.times is not None:
            if certain(each, proof):
                faster.append(f"{each.times:.2g}× {each.name}")
            else:
                noise = f" ({each.times:.2f}, within the noise)" if in_noise(each, proof) else ""
                faster.append(f"no clear difference to {each.name}{noise}")
    if faster:
        yield ", ".join(faster)


def _place(proof: Proof) -> str:
    regret = proof.regret
    if regret is None:
        return ""
    if proof.is_best:
        return f"no rival is faster beyond the noise (± {share(proof.noise)})"
    return f"{labels(proof)[proof.best]} is faster: regret {share(regret)} (noise ± {share(proof.noise)})"


def certain(each: RivalFigures, proof: Proof) -> bool:
    """Whether a design differs from the advised one by more than the noise and its own interval."""
    return _is_apart(each) and abs((each.times or 1.0) - 1) > proof.noise


def in_noise(each: RivalFigures, proof: Proof) -> bool:
    """Whether its own interval tells a design from the advised one, and the noise between equal ones does not."""
    return _is_apart(each) and not certain(each, proof)


def _is_apart(each: RivalFigures) -> bool:
    interval = each.times_interval
    return each.times is not None and interval is not None and (interval.low > 1 or interval.high < 1)


@dataclass(frozen=True, slots=True)
class Bought:
    """What one decision buys: how much longer the mix takes when it is taken the other way."""

    decision: str
    figures: RivalFigures
    certain: bool


def bought(proof: Proof) -> tuple[Bought, ...]:
    """Designs that differ from the advised one in one decision, those that buy most first."""
    found = [
        Bought(difference(each.name), each, certain(each, proof))
        for each in proof.designs
        if difference(each.name) and each.counts
    ]
    return tuple(sorted(found, key=lambda each: -(each.figures.times or 0.0)))


STRUCTURES = ("design", "collections")
"""The columns of `structure_rows`."""


def structure_rows(proof: Proof) -> Iterator[tuple[str, str]]:
    """For each design its collections, with what is inside, copied or in buckets in each."""
    names = labels(proof)
    yield from ((names[each.name], ", ".join(each.structures)) for each in proof.designs)


COPIES_READ = ("design", "copy", "allowed", "sync", "reads", "behind", "p95", "oldest", "too old")
"""The columns of `copies_read`."""


def copies_read(proof: Proof) -> Iterator[tuple[str, ...]]:
    """For each design and copy that may be behind: how old it was when it was read."""
    names = labels(proof)
    for each in proof.designs:
        for copy in each.copies:
            how_old = (f"{copy.behind:,}", duration(copy.p95), duration(copy.oldest), f"{copy.late:,}")
            known = how_old if copy.reads else ("", "", "", "")
            yield (
                names[each.name], copy.copy, duration(copy.allowed), "yes" if copy.synced else "NO", f"{copy.reads:,}", *known
            )  # fmt: skip


def rate(per_second: float) -> str:
    """A rate for people."""
    return short(per_second)


def milliseconds(seconds: float | None) -> str:
    """Seconds as milliseconds; nothing for None."""
    if seconds is None:
        return ""
    return short(seconds * 1e3)


def share(part: float) -> str:
    """A share in percent."""
    percent = 100 * part
    return f"{percent:.0f} %" if percent >= 10 or not percent else f"{percent:.1f} %"


def spread(interval: Interval | None) -> str:
    """An interval of rates."""
    return f"{rate(interval.low)}–{rate(interval.high)}" if interval else ""


def ratio(each: RivalFigures, proof: Proof) -> str:
    """How much longer than the advised design, with its interval, and whether that is within the noise all the same."""
    if each.times is None or each.times_interval is None:
        return ""
    noise = ", noise" if in_noise(each, proof) else ""
    return f"{each.times:.2f} ({each.times_interval.low:.2f}–{each.times_interval.high:.2f}){noise}"
