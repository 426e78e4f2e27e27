"""`nestling design`: decide the document schema."""

from __future__ import annotations

from dataclasses import replace
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from nestling.cli import DIFFERENT, FINE
from nestling.cli.parts import options, sizes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nestling.ir.proposal import Proposal
    from nestling.ir.reading import Reading
    from nestling.optimizer.pareto import ParetoPoint
    from nestling.pipeline import Redesign, Watch
    from nestling.pipeline.measured_today import MeasuredCommand
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
    help="What work costs on your server, as `nestling calibrate` measured it. Default: a profile that ships.",
)
@options.cache
@click.option(
    "--time-limit",
    type=click.FloatRange(0.1, 86400),
    default=60.0,
    show_default=True,
    metavar="S",
    help="Seconds to search, and to weigh alternatives in what is left of them; then the best design found so far is given, with"
    " its gap to the bound.",
)
@click.option(
    "--budget",
    "budgets",
    multiple=True,
    metavar="storage=SIZE",
    help="The most that data and indexes may take, such as storage=500MB.",
)
@click.option("--pareto", "trade", is_flag=True, help="Also show what each further byte of storage buys.")
@click.option(
    "--short-names", is_flag=True, help="Store attributes under initials; the design remembers what they mean."
)
@click.option(
    "--threshold",
    "thresholds",
    multiple=True,
    metavar="NAME=N",
    help="Change a number the decision tree asks about, such as few=30; may be given several times.",
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

    optimal is the design that costs the workload least, proved; tree follows the published decision tree and rules, embedded
    embeds all it may, normalized embeds nothing. For a MongoDB (mongodb://host/database) the present design is read and
    priced too, and the changes to it are listed, the largest saving first; without --workload, the workload is what the server
    has recorded.

    The file holds values of the data, as that of `nestling inspect` does; --no-values decides by them and leaves them out.

    Exits 1 when a table could not be read and is in no model, and when statements of the workload were left out, were read only
    in part, or are not converted. The design is made all the same. Other gaps are listed.
    """
    from nestling.cli.parts import text
    from nestling.cli.parts.progress import progress
    from nestling.cost import read_profile
    from nestling.ir.reading import lost_tables
    from nestling.ir.text import write_proposal
    from nestling.ir.words.proposal_rows import lacking_line
    from nestling.pipeline import design, in_place, inspect, is_mongodb, pareto, redesign, with_unconverted
    from nestling.pipeline.cache import with_cache
    from nestling.pipeline.designing import with_short_names
    from nestling.strategies import check_strategy

    text.check_place(output)
    check_strategy(strategy)
    chosen, storage = thresholds_of(thresholds), storage_of(budgets)
    check_weighing(strategy, storage, trade=trade)
    profile = with_cache(read_profile(profile_file) if profile_file is not None else None, cache_bytes)
    made = None
    if is_mongodb(source):
        options.check_milliseconds(milliseconds=milliseconds)
    else:
        options.check_looking()
    with progress(enabled=not as_json, noun="collection") as watch:
        found = (
            in_place(source, workload=workload, seconds=budget_seconds, rest=rest, watch=watch)
            if is_mongodb(source)
            else None
        )
        reading = (
            found.reading
            if found
            else inspect(source, workload=workload, dialect=dialect, milliseconds=milliseconds, watch=watch)
        )
        check_budget(reading, storage)
        if short_names:
            reading = with_short_names(reading)
            found = replace(found, reading=reading) if found is not None else None
        _follow_search(watch, strategy)
        if found is not None:
            made = redesign(
                found, strategy, chosen, profile=profile, limit_seconds=time_limit, storage_budget_bytes=storage
            )
            proposal = made.proposal
        else:
            proposal = design(
                reading, strategy, chosen, profile=profile, limit_seconds=time_limit, storage_budget_bytes=storage
            )
        proposal = with_unconverted(proposal, reading, profile)
        points = pareto(reading, thresholds=chosen, profile=profile, limit_seconds=time_limit) if trade else ()
    proposal = _to_write(proposal, no_values=no_values)
    code = DIFFERENT if lost_tables(proposal.gaps) or lacking_line(proposal) else FINE
    if output is not None:
        text.write_result(output, write_proposal(proposal))
    if as_json:
        from nestling.emitters.proposal_json import proposal_json

        more = {"pareto": [{"storage_bytes": p.amount, "cost": p.solution.cost} for p in points]} if trade else {}
        text.print_json(proposal_json(proposal) | more | (changes_json(made) if made is not None else {}))
        if made is not None and made.warning:
            text.say(f"WARNING: {made.warning}")
        return code
    show(proposal)
    if made is not None:
        show_changes(made)
    if points:
        show_pareto(points)
    told = made.outgrown if made is not None else ()
    text.notices(proposal.gaps, [each for each in proposal.notes if each not in told])
    if made is not None and made.warning:
        text.say(f"WARNING: {made.warning}")
    _say_next(source, output, proposal, reading, workload)
    return code


def _follow_search(watch: Watch | None, strategy: str) -> None:
    """Say that the source is read, and what comes now."""
    from nestling.ir.proposal import OPTIMAL

    if watch is not None:
        watch("looking for the least cost" if strategy == OPTIMAL else "designing", 0, None)


def _to_write(proposal: Proposal, *, no_values: bool) -> Proposal:
    """The proposal as its file has it."""
    from nestling.ir.statistics import without_values

    return replace(proposal, statistics=without_values(proposal.statistics)) if no_values else proposal


def _say_next(source: str, output: Path | None, proposal: Proposal, reading: Reading, workload: Path | None) -> None:
    """What would make the design better, where it was written, and what to do with it."""
    from nestling.cli.parts import text
    from nestling.emitters.design_summary import lacking
    from nestling.pipeline import is_mongodb
    from nestling.sources.front import has_rows

    for each in lacking(proposal):
        text.say(f"better: {each}")
    if output is None:
        text.say("Next: keep it with -o design.yaml")
        return
    text.say(f"Wrote {output}")
    file = text.argument(output)
    commands = [f"nestling explain {file}"]
    places = (source, reading.origin)  # the second is where the model of a file is from
    if live := next((text.argument(address) for address in places if is_mongodb(address)), None):
        commands += [f"nestling inspect {live} --design-out today.yaml"]
        ways = ("plan", "migrate")
        commands += [f"nestling {way} --from-design today.yaml --to-design {file} {live}" for way in ways]
        text.say_next(*commands)
        return
    if rows := next((text.argument(address) for address in places if has_rows(address)), None):
        text.say_next(*commands, f"nestling load {file} --from {rows} --to mongodb://…")
        return
    example = "sqlite:///your.db" if proposal.dialect == "sqlite" else f"{proposal.dialect}://…"
    empty = f"nestling load {file} --to mongodb://…  # empty; --from {example} loads rows"
    statements = workload or (source if reading.workload.statements else None)
    asked = "" if statements is None else f" --workload {text.argument(statements)}"
    text.say_next(*commands, empty, f"nestling emit {file} --as python{asked} -o code")


def show(proposal: Proposal) -> None:
    """The collections, the decisions and what is kept besides as tables, and the cost in one line."""
    from textwrap import wrap

    from nestling.cli.parts.table import table
    from nestling.cli.parts.text import console
    from nestling.ir.words.proposal_rows import (
        besides_line,
        collection_rows,
        cost_line,
        decision_rows,
        kept_rows,
        lacking_line,
        stays_line,
    )
    from nestling.ir.words.statement_costs import COLUMNS, NUMBERS, TITLE, statement_cost_rows

    columns: tuple[str, ...] = ("collection", "documents", "embeds", "indexes")
    table(f"{proposal.design.model.name}, by strategy {proposal.strategy}", columns, collection_rows(proposal.design))
    if besides := besides_line(proposal.design):
        click.echo("\n".join(wrap(besides, console().width - 1)))
    if proposal.decisions:
        click.echo()
        table("Decisions", ("relationship", "choice", "because"), decision_rows(proposal))
    if kept := list(kept_rows(proposal)):
        click.echo()
        table("Kept besides", ("structure", "pattern", "saves", "for"), kept)
        if stays := stays_line(proposal):
            click.echo("\n".join(wrap(stays, console().width - 1)))
    if costly := list(statement_cost_rows(proposal.costs)):
        click.echo()
        table(TITLE, COLUMNS, costly, right=NUMBERS)
    lacking = lacking_line(proposal)
    said = cost_line(proposal.costs, lacking=lacking) if proposal.costs is not None else lacking
    if said:
        click.echo("\n" + "\n".join(wrap(said, console().width - 1)))


def changes_json(made: Redesign) -> dict[str, object]:
    """What today's design costs (seconds per second; null: it was not priced), why it does not last, and what to change in it."""
    from dataclasses import asdict

    changes = [{"gone": list(each.gone), "come": list(each.come), "gain": each.gain} for each in made.changes]
    return {
        "today": {"cost": made.today, "outgrown": list(made.outgrown)},
        "changes": changes,
        "measured": [asdict(each) for each in made.measured],
        "warning": made.warning,
    }


def show_changes(made: Redesign) -> None:
    """Why today's design does not last, if it does not, and what to change in it, in order of gain."""
    from textwrap import wrap

    from nestling.cli.parts.table import table
    from nestling.cli.parts.text import console
    from nestling.emitters.design_summary import change_rows, in_turn_line, today_line

    click.echo()
    for each in made.outgrown:
        click.echo("\n".join(wrap(each, console().width - 1)))
    click.echo("\n" * bool(made.outgrown), nl=False)
    if made.changes:
        table("To change from today's design", ("saves", "instead of", "have"), change_rows(made.changes), right=(0,))
        if in_turn := in_turn_line(made.changes):
            click.echo("\n".join(wrap(in_turn, console().width - 1)))
    costs = made.proposal.costs
    said = today_line(made.today, made.better, changes=len(made.changes), lasts=not made.outgrown)
    if made.warning and not made.changes:
        said = "nothing to change that is known of"
    elif made.changes and costs is not None and made.today is None:
        said = "today's design was not priced: the costs know no way to answer the whole workload with it"
    click.echo("\n".join(wrap(said, console().width - 1)))
    if made.measured and made.today is not None:
        _show_measured(made.measured, made.today)


def _show_measured(measured: Sequence[MeasuredCommand], whole: float) -> None:
    """What today's commands were measured to take beside what the cost model says, and those it is far off for."""
    from textwrap import wrap

    from nestling.cli.parts.table import table
    from nestling.cli.parts.text import console
    from nestling.emitters.design_summary import measured_line, measured_rows
    from nestling.pipeline.measured_today import APART, far_apart

    totals = [sum(getattr(each, of) * each.rate_per_second for each in measured) for of in _SECONDS]
    apart = far_apart(measured, whole)
    said = measured_line(len(measured), *totals, apart=len(apart), times=APART)
    click.echo("\n".join(wrap(said, console().width - 1)))
    if apart:
        click.echo()
        columns = ("statements of a command", "measured", "cost model")
        rows = measured_rows((each.statements, each.measured_seconds, each.predicted_seconds) for each in apart)
        table("Far from what was measured: do not go by what a change saves for these", columns, rows, right=(1, 2))


_SECONDS = ("measured_seconds", "predicted_seconds")


def show_pareto(points: Sequence[ParetoPoint]) -> None:
    """Cost against storage, from the smallest design to the cheapest."""
    from nestling.cli.parts.table import table
    from nestling.ir.words.work_words import work_rate

    click.echo()
    rows = [(f"{point.amount / sizes.UNITS['MB']:,.4g} MB", work_rate(point.solution.cost)) for point in points]
    table("What storage buys (data and indexes, before compression)", ("storage", "cost"), rows, right=(0, 1))


def check_budget(reading: Reading, storage: int | None) -> None:
    """Raise `UsageError` for a budget that nothing would keep to."""
    if storage is None:
        return
    if not any(statement.accesses for statement in reading.workload.statements):
        raise click.UsageError("budgets need a workload, as without one no costs decide: add --workload FILE")


def check_weighing(strategy: str, storage: int | None, *, trade: bool) -> None:
    """Raise `UsageError` for what only weighing costs heeds, beside a strategy that weighs none.

    With `--pareto` (`trade`) the trade-off is priced and searched whatever the strategy.
    """
    from nestling.pipeline import OPTIMAL

    if strategy == OPTIMAL:
        return
    if storage is not None:
        raise click.UsageError(f"budgets need --strategy {OPTIMAL}, which weighs costs: {strategy} keeps to none")
    context = click.get_current_context()
    for name, option in () if trade else _OF_COSTS:
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise click.UsageError(
                f"{option} needs --strategy {OPTIMAL}, which weighs costs, or --pareto: {strategy} weighs none"
            )


_OF_COSTS = (("profile_file", "--profile"), ("cache_bytes", "--cache"), ("time_limit", "--time-limit"))
"""Parameters of pricing and searching, and their options."""


def storage_of(given: tuple[str, ...]) -> int | None:
    """`("storage=500MB",)` in bytes; raises `InputError` for anything else."""
    from nestling.common.errors import InputError, Problem

    found = None
    for text in given:
        name, _, said = text.partition("=")
        size = sizes.bytes_of(said) if name.strip().lower() == "storage" else None
        if size is None:
            raise InputError(
                Problem(what=f"`{text}` is no budget", next_move="write it as storage=500MB or storage=2GB")
            )
        found = int(size)
    return found


def thresholds_of(given: tuple[str, ...]) -> Thresholds:
    """`("few=30",)` as thresholds; raises `InputError` with everything that is wrong in them."""
    from dataclasses import fields, replace

    from nestling.common.errors import InputError, Problem, unknown
    from nestling.strategies import Thresholds

    names = [item.name for item in fields(Thresholds)]
    problems, chosen = [], dict[str, float]()
    for text in given:
        name, _, number = text.partition("=")
        if name not in names:
            problems.append(unknown("threshold", name, names))
        elif (value := _finite(number)) is None:
            problems.append(Problem(what=f"`{text}` gives no number", next_move=f"write it as {name}=30"))
        else:
            chosen[name] = int(value) if value.is_integer() else value
    if problems:
        raise InputError(*problems)
    return replace(Thresholds(), **chosen)  # type: ignore[arg-type]  # names and numbers were checked above


def _finite(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if isfinite(value) else None
