"""Prints a design: its tables, the changes from today's, and what more storage would gain."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nestling.ir.migration import DesignMoves
    from nestling.ir.proposal import Proposal
    from nestling.optimizer.pareto import ParetoPoint
    from nestling.pipeline import Redesign
    from nestling.pipeline.measured_today import MeasuredCommand


def design_json(proposal: Proposal, made: Redesign | None, points: Sequence[ParetoPoint] | None) -> dict[str, object]:
    """The design as JSON, with the changes to today's design and the storage trade-off if asked for."""
    from nestling.emitters.proposal_json import proposal_json

    whole = proposal_json(proposal)
    if points is not None:
        whole["pareto"] = [{"storage_bytes": point.amount, "cost": point.solution.cost} for point in points]
    return whole | (changes_json(made) if made is not None else {})


def show_all(proposal: Proposal, made: Redesign | None, points: Sequence[ParetoPoint] | None) -> None:
    """Print everything about a newly made design, notices last."""
    from textwrap import wrap

    from nestling.cli.parts import text
    from nestling.ir.situation import is_outgrown

    warnings = [each for each in proposal.notes if is_outgrown(each)]
    for each in warnings:
        click.echo("\n".join(wrap(f"Warning: {each}", text.console().width - 1)) + "\n")
    show(proposal, changes=made is not None and bool(made.changes))
    if made is not None:
        show_changes(made)
    if points:
        show_pareto(points)
    told = (*warnings, *(made.outgrown if made is not None else ()))
    text.notices(proposal.gaps, [each for each in proposal.notes if each not in told])


def show(proposal: Proposal, *, changes: bool = False) -> None:
    """The collections, the decisions and what is kept besides as tables, and the cost in one line.

    `changes`: what to change in today's design is shown below, with savings over another design than the best other one.
    """
    from textwrap import wrap

    from nestling.cli.parts.table import table
    from nestling.cli.parts.text import console
    from nestling.ir.words.proposal_rows import (
        KEPT_COLUMNS,
        KEPT_OVER,
        besides_line,
        collection_rows,
        cost_line,
        decision_rows,
        kept_over_rows,
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
    if kept := list(kept_over_rows(proposal) if changes else kept_rows(proposal)):
        click.echo()
        table("Kept besides", KEPT_OVER if changes else KEPT_COLUMNS, kept)
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
    """Today's cost (seconds per second; null if not priced), why today's design will not last, and the changes to make."""
    from dataclasses import asdict

    changes = [{"gone": list(each.gone), "come": list(each.come), "gain": each.gain} for each in made.changes]
    return {
        "today": {"cost": made.today, "outgrown": list(made.outgrown)},
        "changes": changes,
        "moves": _moves_json(made.moves),
        "measured": [asdict(each) for each in made.measured],
        "warning": made.warning,
    }


def _moves_json(moves: DesignMoves) -> dict[str, object]:
    """All that a migration would do, in the words of `plan`."""
    built, besides, dropped = (
        [f"{collection}: {words}" for collection, words in each] for each in (moves.built, moves.besides, moves.dropped)
    )
    indexes = {"built": [*built, *besides], "besides": besides, "not_needed": dropped}
    return {"collections": list(moves.anew), "left": list(moves.left), "indexes": indexes}


def show_changes(made: Redesign) -> None:
    """Print why today's design will not last, if so, and the changes to make, largest gain first."""
    from textwrap import wrap

    from nestling.cli.parts.table import table
    from nestling.cli.parts.text import console, hanging
    from nestling.emitters.design_summary import change_rows, in_turn_line, moves_lines, today_line

    click.echo()
    for each in made.outgrown:
        click.echo("\n".join(wrap(each, console().width - 1)))
    click.echo("\n" * bool(made.outgrown), nl=False)
    if made.changes:
        table("To change from today's design", ("saves", "instead of", "have"), change_rows(made.changes), right=(0,))
        if in_turn := in_turn_line(made.changes, lasts=not made.outgrown):
            click.echo("\n".join(wrap(in_turn, console().width - 1)))
    costs = made.proposal.costs
    said = today_line(made.today, made.better, changes=len(made.changes), lasts=not made.outgrown)
    if made.warning and not made.changes:
        said = "no changes to suggest from what is known"
    elif made.changes and costs is not None and made.today is None:
        said = "today's design was not priced: the cost model knows no way to answer the whole workload with it"
    if made.moves and not made.changes:
        said += ", except for what follows"
    click.echo("\n".join(wrap(said, console().width - 1)))
    if made.moves:
        click.echo("\neverything `nestling migrate` would do between the two designs:")
        for each in moves_lines(made.moves):
            click.echo(hanging(f"  {each}", console().width))
    if made.measured and made.today is not None:
        _show_measured(made.measured, made.today)


def _show_measured(measured: Sequence[MeasuredCommand], whole: float) -> None:
    """Print the measured times of today's commands beside the predicted ones, and those that are far apart."""
    from textwrap import wrap

    from nestling.cli.parts.table import table
    from nestling.cli.parts.text import console
    from nestling.emitters.design_summary import measured_line, measured_rows
    from nestling.pipeline.measured_today import REPORTED_FACTOR, far_apart

    totals = [sum(getattr(each, of) * each.rate_per_second for each in measured) for of in _SECONDS]
    apart = far_apart(measured, whole)
    said = measured_line(len(measured), *totals, apart=len(apart), times=REPORTED_FACTOR)
    click.echo("\n".join(wrap(said, console().width - 1)))
    if apart:
        click.echo()
        columns = ("statements of a command", "measured", "cost model")
        rows = measured_rows((each.statements, each.measured_seconds, each.predicted_seconds) for each in apart)
        table("Far from what was measured: do not rely on savings for these", columns, rows, right=(1, 2))


_SECONDS = ("measured_seconds", "predicted_seconds")


def show_pareto(points: Sequence[ParetoPoint]) -> None:
    """Cost against storage, from the smallest design to the cheapest."""
    from nestling.cli.parts.table import table
    from nestling.ir.words.work_words import work_rate

    click.echo()
    rows = [(_megabytes(point.amount), work_rate(point.solution.cost)) for point in points]
    table("What storage buys (data and indexes, before compression)", ("storage", "cost"), rows, right=(0, 1))


def _megabytes(amount: float) -> str:
    """The amount in MB with at least four digits, because the designs may differ by little."""
    number = amount / 1e6
    return f"{number:,.0f} MB" if number >= 1000 else f"{number:,.4g} MB"
