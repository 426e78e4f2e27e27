"""`nestling design`: decide the document schema."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from nestling.cli import DIFFERENT, FINE
from nestling.cli.parts import options

if TYPE_CHECKING:
    from nestling.cost import Profile
    from nestling.ir.proposal import Proposal
    from nestling.ir.reading import Reading
    from nestling.pipeline import Redesign, Watch
    from nestling.sources.mongo import LiveDatabase
    from nestling.strategies import Thresholds


@click.command(
    "design",
    short_help="Decide what to embed, what to reference, which indexes.",
    epilog="\b\nExample:\n  nestling design sqlite:///shop.db --workload workload.sql -o design.yaml",
)
@options.source
@options.milliseconds
@click.option(
    "--strategy", default="optimal", show_default=True, metavar="NAME", help="optimal, tree, embedded or normalized."
)
@click.option(
    "--profile",
    "profile_file",
    type=options.READABLE,
    metavar="FILE",
    help="What work costs on your server, as measured by `nestling calibrate`. Default: the built-in profile.",
)
@options.cache
@click.option(
    "--time-limit",
    type=options.FiniteRange(0.1, 86400),
    default=60.0,
    show_default=True,
    metavar="S",
    help="Seconds to search for a design and then, in what remains, to weigh alternatives. When time runs out, the best design "
    "so far is given, with its gap to the bound.",
)
@click.option(
    "--budget",
    "budgets",
    multiple=True,
    metavar="storage=SIZE",
    help="The most that data and indexes may take, such as storage=500MB.",
)
@click.option("--pareto", "trade", is_flag=True, help="Also show what more storage buys.")
@click.option(
    "--short-names", is_flag=True, help="Store attributes under their initials; the design file maps them back."
)
@click.option(
    "--threshold",
    "thresholds",
    multiple=True,
    metavar="NAME=N",
    help="Change a threshold of the decision tree, such as few=30; may be given several times.",
)
@options.looking(120.0)
@options.no_values
@options.output_file("the design")
@options.as_json
def command(
    source: str,
    workload: Path | None,
    dialect: str,
    milliseconds: bool,
    strategy: str,
    profile_file: Path | None,
    cache_bytes: float | None,
    time_limit: float,
    budgets: tuple[str, ...],
    trade: bool,
    short_names: bool,
    thresholds: tuple[str, ...],
    budget_seconds: float,
    rest: float,
    no_values: bool,
    output: Path | None,
    as_json: bool,
) -> int:
    """Decide the document schema for a SOURCE: what to embed, what to reference, what to copy, which indexes.

    optimal is the design with the lowest cost for the workload, proved; tree follows the published decision tree and rules,
    embedded embeds all it may, normalized embeds nothing. For a MongoDB (mongodb://host/database) the current design is read and
    priced too, and the changes to it are listed, largest saving first; without --workload, the workload is what the server has
    recorded.

    Like the file of `nestling inspect`, the design file holds values of the data. With --no-values they are used to decide, but
    not written. If the file is there and holds a design with other collections, that is kept beside it, as `design.yaml.bak`.
    A MongoDB's current design is written beside it, too, as `design.today.yaml`: `nestling plan` and `nestling migrate` take
    both.

    Exits 1 when a table could not be read and is not in the model, or when statements of the workload were left out, read only
    in part, or not converted. The design is still made. Other gaps are listed.
    """
    from nestling.cli.parts import design_tables, sources, text, weighing
    from nestling.cli.parts.former_designs import former_place
    from nestling.cli.parts.progress import progress
    from nestling.cost import read_profile
    from nestling.ir.reading import lost_tables
    from nestling.ir.words.proposal_rows import lacking_line
    from nestling.pipeline import pareto
    from nestling.pipeline.cache import with_cache
    from nestling.pipeline.designing import with_short_names
    from nestling.strategies import check_strategy

    for place in places_written(source, output):
        text.check_place(place)
        if place.is_file():
            text.check_place(former_place(place))
    check_strategy(strategy)
    chosen, storage = weighing.thresholds_of(thresholds), weighing.storage_of(budgets)
    weighing.check_weighing(strategy, storage, trade=trade)
    profile = with_cache(read_profile(profile_file) if profile_file is not None else None, cache_bytes)
    sources.check_source(source, milliseconds=milliseconds)
    search = partial(_decided, strategy, chosen, profile, time_limit, storage)
    with progress(enabled=not as_json, noun="collection") as watch:
        reading, found = sources.read_source(
            source, workload, dialect, milliseconds=milliseconds, seconds=budget_seconds, rest=rest, watch=watch
        )
        sources.check_entities(reading, source)
        weighing.check_budget(reading, storage)
        if short_names:
            reading = with_short_names(reading)
        _follow_search(watch, strategy)
        proposal, made = search(reading, found)
        points = pareto(reading, thresholds=chosen, profile=profile, limit_seconds=time_limit) if trade else None
    today = None if found is None else _to_write(found.in_place, no_values=no_values)
    proposal = _to_write(proposal, no_values=no_values)
    code = DIFFERENT if lost_tables(proposal.gaps) or lacking_line(proposal) else FINE
    if output is not None:
        _write(output, proposal)
        if today is not None:
            _write(today_place(output), today, whatever=True)
    if as_json:
        text.print_json(design_tables.design_json(proposal, made, points))
    else:
        design_tables.show_all(proposal, made, points)
    if made is not None and made.warning:
        text.say(f"WARNING: {made.warning}")
    if not as_json:
        _say_next(source, output, proposal, reading, workload)
    return code


def _decided(
    strategy: str,
    thresholds: Thresholds,
    profile: Profile | None,
    seconds: float,
    storage: int | None,
    reading: Reading,
    found: LiveDatabase | None,
) -> tuple[Proposal, Redesign | None]:
    """Return the proposal, and for a live MongoDB also the changes to make."""
    from nestling.pipeline import design, redesign, with_unconverted

    made = None
    if found is not None:
        found = replace(found, reading=reading)
        made = redesign(
            found, strategy, thresholds, profile=profile, limit_seconds=seconds, storage_budget_bytes=storage
        )
        proposal = made.proposal
    else:
        proposal = design(
            reading, strategy, thresholds, profile=profile, limit_seconds=seconds, storage_budget_bytes=storage
        )
    return with_unconverted(proposal, reading, profile), made


def _follow_search(watch: Watch | None, strategy: str) -> None:
    """Report that the source has been read, and what comes next."""
    from nestling.ir.proposal import OPTIMAL

    if watch is not None:
        watch("searching for the lowest cost" if strategy == OPTIMAL else "designing", 0, None)


def _to_write(proposal: Proposal, *, no_values: bool) -> Proposal:
    """The proposal as it is written to its file."""
    from nestling.ir.statistics import without_values

    return replace(proposal, statistics=without_values(proposal.statistics)) if no_values else proposal


def today_place(output: Path) -> Path:
    """Where the current design of a MongoDB is written, beside a better one: `design.today.yaml`."""
    return output.with_name(f"{output.stem}.today{output.suffix}")


def places_written(source: str, output: Path | None) -> tuple[Path, ...]:
    """The files that designs are written to."""
    from nestling.pipeline import is_mongodb

    if output is None:
        return ()
    return (output, today_place(output)) if is_mongodb(source) else (output,)


def _write(output: Path, proposal: Proposal, *, whatever: bool = False) -> None:
    """Write a design to a file; another one that was there is kept, and `whatever` else it was, as nobody named the file."""
    from nestling.cli.parts import text
    from nestling.cli.parts.former_designs import keep_former
    from nestling.ir.text import write_proposal

    kept = keep_former(output, proposal.design, whatever=whatever)
    text.write_result(output, write_proposal(proposal))
    if kept is not None:
        text.say(f"Kept the former design as {kept}")


def _say_next(source: str, output: Path | None, proposal: Proposal, reading: Reading, workload: Path | None) -> None:
    """Say what would improve the design, where it was written, and what to do with it."""
    from nestling.cli.parts import text
    from nestling.emitters.design_summary import lacking
    from nestling.pipeline import is_mongodb
    from nestling.sources.front import has_rows

    for each in lacking(proposal):
        text.say(f"better: {each}")
    if output is None:
        text.say("Next: keep it with -o design.yaml")
        return
    file = text.argument(output)
    commands = [f"nestling explain {file}"]
    places = (source, reading.origin)  # the second is where the model of a file is from
    if live := next((text.argument(address) for address in places if is_mongodb(address)), None):
        ways, today = ("plan", "migrate"), today_place(output)
        is_live = live == text.argument(source)
        text.say(f"Wrote {output}{f', and the current design to {today}' if is_live else ''}")
        commands += [] if is_live else [f"nestling inspect {live} --design-out {text.argument(today)}"]
        pair = f"--from-design {text.argument(today)} --to-design {file}"
        text.say_next(*commands, *(f"nestling {way} {pair} {live}" for way in ways))
        return
    text.say(f"Wrote {output}")
    if rows := next((text.argument(address) for address in places if has_rows(address)), None):
        text.say_next(*commands, f"nestling load {file} --from {rows} --to mongodb://…")
        return
    example = "sqlite:///your.db" if proposal.dialect == "sqlite" else f"{proposal.dialect}://…"
    empty = f"nestling load {file} --to mongodb://…  # empty; --from {example} loads rows"
    statements = workload or (source if reading.workload.statements else None)
    asked = "" if statements is None else f" --workload {text.argument(statements)}"
    text.say_next(*commands, empty, f"nestling emit {file} --as python{asked} -o code")
