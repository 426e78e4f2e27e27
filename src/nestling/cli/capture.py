"""`nestling capture`: what applications ask of a MongoDB, as a workload."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from nestling.cli import DIFFERENT, FINE
from nestling.cli.parts import options
from nestling.cli.parts.kept_inputs import ADDRESS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nestling.ir.capture import Capture
    from nestling.ir.proposal import Proposal
    from nestling.sources.capture.sql.workload import CapturedWorkload

MOST_SHOWN = 40
LONGEST_SHAPE = 100


@click.command(
    "capture",
    short_help="Make a workload file from the statements a MongoDB receives.",
    epilog="\b\nExample:\n  nestling capture mongodb://localhost/shop mongod.log --design design.yaml -o workload.sql",
)
@click.argument("sources", type=ADDRESS, nargs=-1, required=True, metavar="SOURCE...")
@click.option(
    "--design",
    type=options.READABLE,
    help="The design the documents follow: the statements are written as SQL over its model.",
)
@options.output_file("the statements, a workload file to edit,")
@click.option(
    "--save",
    type=options.RESULT_FILE,
    metavar="FILE",
    help="Write the capture to this file: shapes and totals, no values.",
)
@options.as_json
def command(
    sources: tuple[str, ...], design: Path | None, output: Path | None, save: Path | None, as_json: bool
) -> int:
    """Collect the statements that applications send to a MongoDB: their shapes, without values, and their rates.

    A SOURCE is a live MongoDB (its profiler, its latest log of slow operations, $queryStats), a server's JSON log, or a recording
    of `nestling.recorder`. With --design they become SQL over the model, with rates; what SQL cannot express is listed.
    Only reads. Exits 1 when statements cannot be expressed.
    """
    from nestling import pipeline
    from nestling.cli.parts import text
    from nestling.cli.parts.progress import progress
    from nestling.ir.capture import capture_text

    if output is not None and design is None:
        raise click.UsageError("a workload file needs a model: add --design design.yaml")
    for path in (output, save):
        text.check_place(path)
    proposal = pipeline.read_proposal(design) if design is not None else None
    with progress(enabled=not as_json, noun="source") as watch:
        found = pipeline.capture(sources, watch=watch)
    _refuse_blind(found)
    said = pipeline.captured_workload(found, proposal.design, proposal.statistics) if proposal is not None else None
    code = DIFFERENT if said is not None and said.not_expressed else FINE
    if save is not None:
        text.write_result(save, capture_text(found))
        text.say(f"Wrote {save}")
    if output is not None and said is not None:
        text.write_result(output, said.text())
        text.say(f"Wrote {output}")
    if as_json:
        text.print_json(capture_json(found, said))
        return code
    show(found, said)
    if output is not None and design is not None and proposal is not None:
        source = _to_design_from(sources, design, proposal)
        text.say_next(f"nestling design {source} --workload {text.argument(output)} -o again.yaml")
    return code


def _to_design_from(sources: Sequence[str], design: Path, proposal: Proposal) -> str:
    """The live database, where today's design is weighed, too; the file of a design that is no live database's."""
    from nestling.cli.parts import text
    from nestling.ir.proposal import IN_PLACE
    from nestling.pipeline import is_mongodb

    if live := next(filter(is_mongodb, sources), None):
        return text.argument(live)
    return "mongodb://…" if proposal.strategy == IN_PLACE else text.argument(design)


def _refuse_blind(found: Capture) -> None:
    """Raise `PermissionDenied` if nothing was seen and the user may not look: that does not mean that nothing was asked."""
    from nestling.common.errors import PermissionDenied, Problem
    from nestling.ir.facts import NO_RIGHT

    refused = [each.what for each in found.skipped if each.why == NO_RIGHT]
    if found.seen or not any(what.startswith("the profiler of ") for what in refused):
        return
    move = "give the user the role `dbAdmin` on the database (profiler), or `clusterMonitor` (log and `$queryStats`)"
    what = f"the user may not see which statements the server received: {', '.join(refused)}"
    raise PermissionDenied(Problem(what, next_move=move))


def capture_json(found: Capture, said: CapturedWorkload | None) -> dict[str, Any]:
    """The capture as JSON values."""
    made: dict[str, Any] = {
        "window_seconds": found.window_seconds,
        "shapes": [
            {
                "database": seen.shape.database,
                "collection": seen.shape.collection,
                "operation": seen.shape.operation,
                "clauses": seen.shape.clauses,
                "rate_per_second": found.rate(seen),
                "count": seen.count,
                "seconds": seen.seconds,
                "documents_examined": seen.documents_examined,
                "returned": seen.returned,
                "written": seen.written,
            }
            for seen in found.seen
        ],
        "joins": [
            {
                "first": each.first.namespace,
                "path": each.path,
                "second": each.second.namespace,
                "field": each.field,
                "share": each.share,
            }
            for each in found.follows
        ],
        "skipped": [{"what": each.what, "why": each.why} for each in found.skipped],
    }
    if said is not None:
        made["statements"] = [
            {
                "name": each.name,
                "sql": each.sql,
                "rate_per_second": each.rate_per_second,
                "params": dict(each.samples),
                "quantiles": dict(each.quantiles),
                "measured_seconds": each.measured_seconds,
                "asked_with": each.asked_with,
                "seen": each.origin,
                "notes": list(each.notes),
            }
            for each in said.statements
        ]
        made["left_out"] = said.left_out
        made["gaps"] = [asdict(each) for each in said.gaps]
    return made


def show(found: Capture, said: CapturedWorkload | None) -> None:
    """The shapes as a table, or the statements they became."""
    from nestling.cli.parts import text
    from nestling.cli.parts.table import table
    from nestling.ir.facts.skipped import together
    from nestling.ir.quantity_words import cut
    from nestling.ir.rate import full_rate
    from nestling.ir.workload import LEAST_WINDOW_SECONDS

    def rate(number: float) -> str:
        return full_rate(float(f"{number:.3g}")) if number else "0"

    if not found.seen:
        click.echo(f"No statements in {found.window_seconds:,.0f} s, or nothing recorded them.")
        text.say(
            "Next: run db.setProfilingLevel(2) so that the server records statements, and capture again after a while"
        )
    if said is not None and found.seen:
        rows = [(each.name, rate(each.rate_per_second), " ".join(each.sql.split())) for each in said.statements]
        table("Statements", ("statement", "rate", "SQL"), rows, right=(1,))
        short = "these rates come from only {:,.1f} s and do not show how the data grows: capture for an hour or more"
        notes = (short.format(found.window_seconds),) if found.window_seconds < LEAST_WINDOW_SECONDS else ()
        text.notices(said.gaps, notes)
        return
    shapes = sorted(found.seen, key=lambda seen: -seen.count)[:MOST_SHOWN]
    each_row = [
        (rate(found.rate(seen)), seen.shape.namespace, str(seen.shape.operation), cut(seen.shape.text, LONGEST_SHAPE))
        for seen in shapes
    ]
    if each_row:
        title = f"Captured within {found.window_seconds:,.0f} s"
        table(title, ("rate", "collection", "operation", "shape"), each_row, right=(0,))
    for follow in found.follows:
        click.echo(
            f"\nThe application joins {follow.first.namespace} with {follow.second.namespace} by {follow.field} "
            f"({follow.share:.0%} of the time)."
        )
    for skipped in together(found.skipped):
        click.echo(f"\nNot looked at: {skipped.what}: {skipped.why}")
