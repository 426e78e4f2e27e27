"""`nestling verify`: whether every row of the source is in MongoDB, and equal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from nestling.cli import DIFFERENT, FINE
from nestling.cli.parts import options

if TYPE_CHECKING:
    from nestling.executors.difference import RowDifference
    from nestling.executors.verify import VerifyReport

_MOST_LEFT_OUT = 6
"""Tables and columns named of a longer list."""
MOST_ALIKE = 5
"""Differences shown of one attribute of an entity."""


@click.command(
    "verify",
    short_help="Compare every row in MongoDB with its source.",
    epilog="\b\nExample:\n  nestling verify design.yaml --from sqlite:///shop.db --to mongodb://localhost/shop",
)
@options.design_file
@options.from_sql
@options.loaded_mongodb("--to")
@options.as_argument
@options.long_decimals
@options.as_json
def command(design: Path, source: str, target: str, long_decimals: str, as_json: bool) -> int:
    """Read every row back from MongoDB and compare it with its source. Writes nothing.

    Exits 1 when something differs, and names the entity, the key and the attribute.
    """
    from nestling.cli.parts import text
    from nestling.cli.parts.progress import progress
    from nestling.pipeline import opened, reach_rows, read_proposal, verify

    proposal, policy = read_proposal(design), options.policy(long_decimals)
    reach_rows(proposal, source)
    with opened(target, proposal.design.model.name) as (server, database):
        text.say(f"Using {server.text()}, database {database.name}")
        with progress(enabled=not as_json) as watch:
            report = verify(proposal, source, database, policy=policy, watch=watch)
    if as_json:
        text.print_json(verify_json(report))
    else:
        show(report)
    return FINE if report.equal else DIFFERENT


def verify_json(report: VerifyReport) -> dict[str, object]:
    """The documented shape: equal, entities, differences, left_out."""
    return {
        "equal": report.equal,
        "left_out": list(report.left_out),
        "entities": {name: v._asdict() for name, v in report.entities.items()},
        "differences": [
            {
                "entity": each.entity,
                "kind": str(each.kind),
                "key": list(each.key),
                "attribute": each.attribute,
                "expected": each.expected,
                "found": each.found,
            }
            for each in report.differences
        ],
    }


def say_left_out(names: Sequence[str]) -> None:
    """Which tables and columns of the source the design does not hold."""
    from nestling.cli.parts.text import say
    from nestling.ir.quantity_words import first_of

    if names:
        listed = first_of([f"`{name}`" for name in names], _MOST_LEFT_OUT)
        say(f"note: the source also has {listed}, not in this design: neither loaded nor compared")
        say("  → inspect and design the source again, and load with that design")


def show(report: VerifyReport) -> None:
    """Print the verdict, the differences, and what could not be compared."""
    _show(report)
    say_left_out(report.left_out)


def _show(report: VerifyReport) -> None:
    from nestling.cli.parts.table import table
    from nestling.cli.parts.text import counted, say

    rows = sum(verdict.rows for verdict in report.entities.values())
    entities = counted(len(report.entities), "entity")
    if report.equal:
        click.echo(f"Verified: {counted(rows, 'row')} of {entities} read back equal ({report.seconds:.1f} s).")
        return
    if rows and all((v.differing, v.extra) == (v.rows, 0) for v in report.entities.values()) and _are_missing(report):
        click.echo(f"NOT equal: MongoDB holds none of {counted(rows, 'row')}.")
        say("Was it loaded into this database? If not, give the right one: --to mongodb://host/database")
        return
    columns = ("entity", "rows", "differing or missing", "not in the source")
    unequal = [
        (name, v.rows, v.differing or None, v.extra or None) for name, v in report.entities.items() if not v.equal
    ]
    table("Entities that differ", columns, unequal, right=(1, 2, 3))
    click.echo()
    shown = list(_first_of_each(report.differences))
    cells = [(d.entity, ", ".join(map(_shown, d.key)), d.kind, d.attribute, *_told_apart(d)) for d in shown]
    table("Differences", ("entity", "key", "row is", "attribute", "source has", "MongoDB has"), cells)
    listed = f"{counted(len(shown), 'difference')} listed"
    more = f", {len(report.differences)} with --json" if len(shown) < len(report.differences) else ""
    click.echo(f"\nNOT equal: {_unequal(report, rows)}; {listed}{more}.")


def _unequal(report: VerifyReport, rows: int) -> str:
    """Say how many rows of the source differ, and how many extra rows there are."""
    from nestling.cli.parts.text import counted
    from nestling.ir.quantity_words import agreeing

    differing, extra = (
        sum(each) for each in zip(*((v.differing, v.extra) for v in report.entities.values()), strict=True)
    )
    if not differing:
        return f"MongoDB has {counted(extra, 'row')} more than the {rows:,} of the source"
    are = agreeing(differing, "differs or is missing", "differ or are missing")
    said = f"{differing:,} of {counted(rows, 'row')} of the source {are}"
    return f"{said}, and MongoDB has {counted(extra, 'row')} that the source does not" if extra else said


def _told_apart(difference: RowDifference) -> tuple[str, str]:
    """Both values with all their digits, and with their types where they look the same."""
    values = (difference.expected, difference.found)
    expected, found = ("NULL" if value is None else _shown(value) for value in values)
    if expected == found:
        expected, found = (f"{value} ({type(value).__name__})" for value in values)
    return expected, found


def _shown(value: object) -> str:
    """The value as text; a string with invisible characters or edges is written as Python writes it."""
    text = str(value)
    is_seen = not isinstance(value, str) or (text.isprintable() and text == text.strip() and text)
    return text if is_seen else repr(text)


def _first_of_each(differences: Iterable[RowDifference]) -> Iterator[RowDifference]:
    """Yield only the first few of similar differences: in one attribute, or rows that are all missing."""
    seen: Counter[tuple[object, ...]] = Counter()
    for each in differences:
        alike = (each.entity, each.kind, each.attribute)
        seen[alike] += 1
        if seen[alike] <= MOST_ALIKE:
            yield each


def _are_missing(report: VerifyReport) -> bool:
    return all(each.kind == "missing" for each in report.differences)
