"""Short lines on what a design lacks and what a change saves, and a reading as plain data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict

from nestling.ir.design_problem import Change
from nestling.ir.migration import DesignMoves
from nestling.ir.model import Cardinality
from nestling.ir.noun_json import Json
from nestling.ir.proposal import Proposal
from nestling.ir.quantity_words import agreeing, count, counted, first_of, short
from nestling.ir.reading import Reading
from nestling.ir.statistics import UNKNOWN_ROWS
from nestling.ir.words.reading_rows import row_bytes, whole
from nestling.ir.words.work_words import work_rate

MOST_NAMES = 3
"""Names shown of a longer list."""


def lacking(proposal: Proposal) -> Iterator[str]:
    """Yield sentences on numbers that would improve the design, and how to add them."""
    known = {name for name, each in proposal.statistics.relationships if each.mean or each.maximum or each.p99}
    several = [link for link in proposal.design.model.relationships if link.cardinality is not Cardinality.ONE_TO_ONE]
    unknown = [link for link in several if link.name not in known]
    write = "write it into the model file that `nestling inspect SOURCE -o model.yaml` gives"
    move = f"design from the database, or {write}"
    model = proposal.design.model
    if len(model.entities) > 1 and not (model.relationships or model.many_to_many or model.hierarchies):
        told = (
            f"no relationship among {count(len(model.entities))} entities is known, so each has a collection of its own"
        )
        yield f"{told}: declare foreign keys, give a workload whose joins tell them, or {write}"
    if unknown:
        names = first_of([link.name for link in unknown], MOST_NAMES)
        counts_of_parents = [proposal.statistics.entity(link.parent).count for link in unknown]
        is_empty = all(rows is not None and not rows.value for rows in counts_of_parents)
        instead = f"their parents' tables are empty: design from a database in use, or {write}" if is_empty else move
        yield f"how many children a parent has is not known for {names}{', as ' if is_empty else ': '}{instead}"
    uncounted = [name for name, each in proposal.statistics.entities if each.count is None]
    counts = dict(proposal.statistics.entities)
    uncounted += [each.name for each in proposal.design.model.entities if each.name not in counts]
    if uncounted and proposal.costs is not None:
        assumed = (
            f"prices assume {count(UNKNOWN_ROWS)} rows each for {first_of(uncounted, MOST_NAMES)}, whose rows were"
            " not counted"
        )
        yield f"{assumed}: {move}"


def reading_json(reading: Reading) -> Json:
    """The reading as plain data: counts, keys, relationships with their fan-out, statements, gaps and notes."""
    model, statistics = reading.model, reading.statistics
    return {
        "model": model.name,
        "origin": reading.origin,
        "dialect": reading.dialect,
        "entities": {
            entity.name: {
                "rows": whole(statistics.entity(entity.name).count),
                "rows_estimated": (count := statistics.entity(entity.name).count) is not None and count.is_estimate,
                "row_bytes": row_bytes(reading, entity),
                "key": list(entity.key),
                "attributes": {a.name: {"type": str(a.type), "nullable": a.nullable} for a in entity.attributes},
            }
            for entity in model.entities
        },
        "relationships": {
            link.name: {
                "parent": link.parent,
                "child": link.child,
                "cardinality": str(link.cardinality),
                "required": link.required,
                "fan_out": _fan_out(reading, link.name),
            }
            for link in model.relationships
        }
        | {
            both.name: {"cardinality": "N:M", "through": both.through, "between": [both.left, both.right]}
            for both in model.many_to_many
        },
        "hierarchies": {
            each.name: {"supertype": each.supertype, "subtypes": [*each.subtypes]} for each in model.hierarchies
        },
        "statements": [
            {"name": each.name, "kind": str(each.kind), "rate_per_second": each.rate_per_second}
            for each in reading.workload.statements
        ],
        "gaps": [asdict(gap) for gap in reading.gaps],
        "notes": list(reading.notes),
    }


def _fan_out(reading: Reading, relationship: str) -> Json:
    known = reading.statistics.relationship(relationship)
    numbers = {"mean": known.mean, "p50": known.p50, "p95": known.p95, "p99": known.p99, "max": known.maximum}
    numbers |= {
        "dangling": known.dangling,
        "orphans": known.orphans,
        "respelled": known.respelled,
        "depth": known.depth,
    }
    found = {name: quantity.value for name, quantity in numbers.items() if quantity is not None}
    return {name: int(value) if value == int(value) else value for name, value in found.items()}


LEAST_SHARE_WITH_NUMBER = 1e-4
"""A change whose cost is below this share of the largest one in the list is shown without a number."""


def _saved(gain: float, slight: float) -> str:
    if gain >= 0:
        return work_rate(gain)
    return f"costs {work_rate(-gain)}" if -gain > slight else "nothing"


def change_rows(changes: Sequence[Change]) -> Iterator[tuple[str, str, str]]:
    """Yield (saving or cost, what is removed, what is added) for every change; `-` if nothing was priced."""
    priced = [change.gain for change in changes if change.gain is not None]
    slight = LEAST_SHARE_WITH_NUMBER * max(map(abs, priced), default=0.0)
    for change in changes:
        saved = _saved(change.gain, slight) if change.gain is not None else "-"
        yield saved, first_of(change.gone, MOST_NAMES) or "-", first_of(change.come, MOST_NAMES) or "-"


def moves_lines(moves: DesignMoves) -> Iterator[str]:
    """All that a migration would do, a line for each kind of it: how many there are, and the name of each."""
    collections = (
        ("built anew, with all indexes", [each for each in moves.anew if each in moves.left]),
        ("new", [each for each in moves.anew if each not in moves.left]),
        ("set aside", [each for each in moves.left if each not in moves.anew]),
    )
    for what, names in collections:
        if names:
            yield f"{counted(len(names), 'collection')} {what}: {', '.join(names)}"
    indexes = (
        ("built that the design names", moves.built),
        ("also built, for keys, references and upkeep", moves.besides),
        ("dropped", moves.dropped),
    )
    for what, found in indexes:
        if found:
            yield f"{counted(len(found), 'index')} {what}: {', '.join(_by_collection(found))}"


def _by_collection(indexes: Sequence[tuple[str, str]]) -> Iterator[str]:
    """`orders (customer_id; at, -total)` for each collection."""
    for name in dict.fromkeys(collection for collection, _ in indexes):
        yield f"{name} ({'; '.join(words for collection, words in indexes if collection == name)})"


def in_turn_line(changes: Sequence[Change], *, lasts: bool) -> str:
    """Which two designs a price compares, where changes are priced; `lasts`: whether today's documents will fit."""
    gains = [change.gain for change in changes if change.gain is not None]
    if not gains:
        return ""
    line = (
        "each is priced against today's design with the changes above it made and nothing else changed. The tables"
        " further up compare with the best alternative design: the runner-up of a decision, or the best design"
        " without a structure, which has what is named in its place"
    )
    if not lasts and min(gains) < 0:
        line += (
            ". Changes that cost are there because today's documents will not fit; decisions are not compared with"
            " such documents"
        )
    return line


def today_line(today: float | None, best: float | None, *, changes: int, lasts: bool = True) -> str:
    """The cost of today's design and of the best one; if today's will not last, that is why the other may cost more."""
    if not changes:
        return "today's design is the best known: nothing to change"
    if today is None or best is None:
        return "today's design was not priced: give a workload (--workload FILE) to see what each change saves"
    less = 1 - best / today if today > 0 else 0.0
    share = f", {abs(less):.0%} {'less' if less > 0 else 'more'}" if round(abs(less), 2) else ""
    why = "" if lasts or less >= 0 or not share else ": today's is cheaper only as long as its documents fit"
    return f"today's design costs {work_rate(today)}, this one {work_rate(best)}{share}{why}"


def measured_line(commands: int, measured: float, predicted: float, *, apart: int, times: float) -> str:
    """The server's measured seconds per second of today's commands, and the cost model's prediction."""
    both = f"the server measured {work_rate(measured)}, the cost model says {work_rate(predicted)}"
    more = f"; {count(apart)} {agreeing(apart)} more than {times:g} times apart" if apart else ""
    return f"for {counted(commands, 'command')}, {both}{more}"


def measured_rows(commands: Iterable[tuple[Sequence[str], float, float]]) -> Iterator[tuple[str, str, str]]:
    """(the statements of a command, milliseconds each time measured, by the cost model); servers measure whole milliseconds."""
    for names, measured, predicted in commands:
        yield first_of(names, MOST_NAMES), _whole_milliseconds(measured), _whole_milliseconds(predicted)


def _whole_milliseconds(seconds: float) -> str:
    return f"{short(seconds * 1e3)} ms" if seconds >= 1e-3 else "under 1 ms"
