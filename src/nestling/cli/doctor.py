"""`nestling doctor`: what is wrong with the schema of a live MongoDB."""

from __future__ import annotations

from math import isnan, nan
from pathlib import Path
from typing import TYPE_CHECKING

import click

from nestling.cli import DIFFERENT, FINE
from nestling.cli.parts import options
from nestling.ir.text.text_given import text_given

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from nestling.doctor.report import Accepted, Report
    from nestling.doctor.reports.merged_findings import Alike
    from nestling.ir.facts import Facts
    from nestling.ir.finding import Severity

SHOWN_ALIKE = 5
"""Findings of one rule in one collection that the terminal shows; the reports hold all."""
INCOMPLETE = "incomplete"
"""A value of `--fail-on` besides the severities: time ran out."""


def _thresholds(context: click.Context, option: click.Parameter, given: tuple[str, ...]) -> dict[str, float]:
    """`rule.name=number` options as a map."""
    found = {}
    for text in given:
        name, _, value = text.partition("=")
        found[name.strip()] = _number(value)
        if isnan(found[name.strip()]):
            raise click.BadParameter(f"{text!r} is not RULE.NAME=NUMBER", context, option)
    return found


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return nan


@click.command(
    "doctor",
    short_help="Find what is wrong with the schema of a live MongoDB.",
    epilog="\b\nExample:\n  nestling doctor mongodb://localhost/shop --save facts.json --html report.html",
)
@click.argument("uri", required=False)
@click.option("--facts", "facts_file", type=options.READABLE, help="Report on a saved facts file, without a server.")
@click.option("--save", type=options.RESULT_FILE, metavar="FILE", help="Write the facts to this file.")
@click.option("--since", type=options.READABLE, help="Facts saved earlier: shows what grows, and how fast.")
@click.option("--rule", "rules", multiple=True, metavar="RULE", help="Only this rule; may be given several times.")
@click.option("--explain", is_flag=True, help="Explain what the rules look for, and stop.")
@click.option(
    "--threshold",
    "thresholds",
    multiple=True,
    metavar="RULE.NAME=NUMBER",
    callback=_thresholds,
    help="Your own threshold; may be given several times.",
)
@click.option("--as", "office", type=click.Choice(("atlas", "compass", "sources")), help="Whose thresholds to use.")
@click.option(
    "--config",
    "config_file",
    type=options.READABLE,
    help="YAML of {as, fail_on, thresholds, ignore}; command-line options take precedence.",
)
@click.option(
    "--captured",
    type=options.READABLE,
    multiple=True,
    help="Also consider statements from this server log or recording.",
)
@click.option("--ignore", type=options.READABLE, help="YAML list of {rule, where, reason}: findings to ignore.")
@click.option("--baseline", type=options.READABLE, help="An earlier --json report: its findings are ignored.")
@click.option(
    "--fail-on",
    type=click.Choice(("error", "warning", "info", "never", "incomplete")),
    multiple=True,
    help="Exit 1 at this severity or above. Default: warning. `incomplete`: also when there was no time to look at everything.",
)
@click.option(
    "--sample",
    type=click.IntRange(1, 1_000_000),
    default=10_000,
    show_default=True,
    help="Documents to read per collection; smaller collections are read whole.",
)
@click.option("--whole", is_flag=True, help="Also measure every document of large collections, on the server.")
@options.looking(60.0)
@click.option("--sarif", type=options.RESULT_FILE, metavar="FILE", help="Write a SARIF 2.1 report.")
@click.option("--html", type=options.RESULT_FILE, metavar="FILE", help="Write an HTML report.")
@click.option("--markdown", type=options.RESULT_FILE, metavar="FILE", help="Write a Markdown report.")
@options.as_json
def command(
    uri: str | None,
    facts_file: Path | None,
    save: Path | None,
    since: Path | None,
    rules: tuple[str, ...],
    explain: bool,
    thresholds: dict[str, float],
    office: str | None,
    config_file: Path | None,
    captured: tuple[Path, ...],
    ignore: Path | None,
    baseline: Path | None,
    fail_on: tuple[str, ...],
    budget_seconds: float,
    sample: int,
    whole: bool,
    rest: float,
    sarif: Path | None,
    html: Path | None,
    markdown: Path | None,
    as_json: bool,
) -> int:
    """Look at a live MongoDB and list what is wrong: the number, the threshold it passes and its source, the cost, the remedy.

    Only reads. Looks at the URI's database, or at all databases if it names none. Facts and reports hold names, types, counts
    and sizes, but no values of your documents. Exits 1 when something is found.
    """
    from nestling import pipeline
    from nestling.cli.parts import text
    from nestling.cli.parts.progress import progress
    from nestling.doctor import limits, rule
    from nestling.doctor.config import Config, read_config
    from nestling.doctor.growth import growth_notes
    from nestling.doctor.report import report, without_finding
    from nestling.doctor.reports import json_value

    for name in rules:
        rule(name)
    config = read_config(text_given(config_file), str(config_file)) if config_file is not None else Config()
    thresholds = {**config.thresholds, **thresholds}
    limits(thresholds)
    if explain:
        return _explain(rules, as_json=as_json)
    earlier = _facts(since) if since is not None else None
    ignored = (*config.accepted, *_accepted(ignore))
    accepted = (*ignored, *_in_baseline(baseline))
    text.check_place(save, renews=(since, facts_file))
    for path in (sarif, html, markdown):
        text.check_place(path)
    seen = pipeline.capture(list(map(str, captured))) if captured else None
    if facts_file is not None:
        facts = _facts(facts_file)
    else:
        with progress(enabled=not as_json, noun="collection") as watch:
            facts = pipeline.facts_of(
                _named(uri), seconds=budget_seconds, documents=sample, whole=whole, rest=rest, watch=watch
            )
    if seen is not None:
        facts = pipeline.facts_with(facts, seen)
    found = pipeline.diagnose(
        facts, earlier=earlier, rules=rules, thresholds=thresholds, office=office or config.office
    )
    made = report(facts, found, accepted)
    looked_for = [each for each in ignored if not rules or any(each.is_of(name) for name in rules)]
    _write(made, save=save, sarif=sarif, html=html, markdown=markdown)
    if as_json:
        text.print_json(json_value(made))
    else:
        show(made)
        text.notices(
            (), (*growth_notes(earlier, facts), *without_finding(looked_for, made), *pipeline.price_notes(facts))
        )
    least = next((each for each in reversed(fail_on) if each != INCOMPLETE), config.fail_on or "warning")
    is_cut = INCOMPLETE in fail_on and made.cut_short > 0
    return DIFFERENT if is_cut or made.fails_on(_severity(least)) else FINE


def _named(uri: str | None) -> str:
    found = options.named_mongodb(uri)
    if not found.startswith(("mongodb://", "mongodb+srv://")):
        raise click.UsageError("the doctor looks at a live MongoDB: give mongodb://host/database")
    return found


def _severity(fail_on: str) -> Severity | None:
    from nestling.ir.finding import Severity

    return None if fail_on == "never" else Severity(fail_on)


def _explain(rules: tuple[str, ...], *, as_json: bool) -> int:
    from nestling.cli.parts import text
    from nestling.doctor import explanation, rule, rule_names

    names = rules or rule_names()
    if as_json:
        text.print_json({"rules": {name: _explained(name) for name in names}})
        return FINE
    parts = []
    for name in names:
        told = [f"  {name}.{each.name}: {each.text}; {_offices(each.values)}" for each in rule(name).thresholds]
        parts.append(
            "\n".join([f"{name} ({rule(name).severity})", "", explanation(name), *(("", *told) if told else ())])
        )
    text.page("\n\n\n".join(parts))
    return FINE


def _explained(name: str) -> dict[str, object]:
    """The documented shape: title, severity, text, thresholds."""
    from nestling.doctor import explanation, rule

    told = rule(name)
    thresholds = {
        each.name: {"text": each.text, "unit": each.unit, "values": dict(each.values)} for each in told.thresholds
    }
    return {
        "title": told.title,
        "severity": str(told.severity),
        "text": explanation(name),
        "thresholds": thresholds,
    }


def _offices(values: Mapping[str, float]) -> str:
    from nestling.ir.quantity_words import cell

    return ", ".join(f"{office} {cell(value)}" for office, value in values.items())


def _facts(path: Path) -> Facts:
    from nestling.ir.facts.form import read_facts

    return read_facts(text_given(path, "give a file written by `nestling doctor URI --save FILE`"), str(path))


def _accepted(ignore: Path | None) -> tuple[Accepted, ...]:
    from nestling.doctor import rule_names
    from nestling.doctor.report import read_accepted

    return read_accepted(text_given(ignore), str(ignore), rule_names()) if ignore is not None else ()


def _in_baseline(baseline: Path | None) -> tuple[Accepted, ...]:
    from nestling.doctor.report import read_baseline

    if baseline is None:
        return ()
    return read_baseline(text_given(baseline, "give a report written by `nestling doctor URI --json`"), str(baseline))


def _write(made: Report, *, save: Path | None, sarif: Path | None, html: Path | None, markdown: Path | None) -> None:
    """The files asked for."""
    from nestling import __version__
    from nestling.cli.parts import text
    from nestling.doctor import reports
    from nestling.ir.facts.form import facts_text

    written: tuple[tuple[Path | None, Callable[[], str]], ...] = (
        (save, lambda: facts_text(made.facts)),
        (sarif, lambda: reports.sarif(made, __version__)),
        (html, lambda: reports.html(made)),
        (markdown, lambda: reports.markdown(made)),
    )
    for path, content in written:
        if path is not None:
            text.write_result(path, content())
            text.say(f"Wrote {path}")


def show(made: Report) -> None:
    """Print what was examined, a table of findings, and what to do about each."""
    from nestling.cli.parts.table import table
    from nestling.doctor.reports.merged_findings import alike
    from nestling.doctor.reports.wording import late, subject, verdict
    from nestling.ir.facts.skipped import together
    from nestling.ir.quantity_words import counted

    click.echo(f"Looked at {subject(made.facts)}.")
    if late(made):
        click.echo(late(made))
    told = alike(made.findings)
    shown, hidden = _few(told)
    if shown:
        click.echo()
        rows = [(each.first.severity, each.first.rule, each.place, each.measured) for each in shown]
        table("Findings", ("severity", "rule", "where", "measured"), rows)
    for each in shown:
        _details(each)
    for (name, namespace), more in hidden.items():
        click.echo(f"\n… and {more:,} more of {name} in {namespace} (--json, --html and --markdown list all)")
    for skipped in together(made.facts.skipped):
        click.echo(f"\nNot looked at: {skipped.what}: {skipped.why}")
    said = verdict(made)
    merged = f" The table has {counted(len(shown), 'row')}, as those alike share one."
    click.echo(f"\n{said[0].upper()}{said[1:]}.{merged if len(told) < len(made.findings) else ''}")


def _few(findings: Iterable[Alike]) -> tuple[list[Alike], dict[tuple[str, str], int]]:
    """The findings to show, and how many of a rule in one collection are not shown, by rule and namespace."""
    shown: list[Alike] = []
    counts: dict[tuple[str, str], int] = {}
    for each in findings:
        key = (each.first.rule, each.first.namespace)
        counts[key] = counts.get(key, 0) + 1
        if counts[key] <= SHOWN_ALIKE:
            shown.append(each)
    return shown, {key: count - SHOWN_ALIKE for key, count in counts.items() if count > SHOWN_ALIKE}


def _details(told: Alike) -> None:
    from nestling.cli.parts.table import cell_text
    from nestling.doctor.reports.wording import cost
    from nestling.ir.printable import printable

    finding, more = told.first, len(told.findings) - 1
    of = f" in {cell_text(finding.namespace)}" if more else ""
    click.echo(f"\n{cell_text(told.place)}: {cell_text(finding.message)}{of} [{finding.rule}, {finding.confidence}]")
    click.echo(f"  costs: {printable(cost(finding))}")
    click.echo(f"  do: {printable(finding.remedy)}")
    for each in finding.commands:
        click.echo(f"    {printable(each)}")
    if more and finding.commands:
        click.echo(f"    … and likewise for {more:,} more (--json, --html and --markdown list all)")
