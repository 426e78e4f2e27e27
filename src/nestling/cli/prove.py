"""`nestling prove`: rival designs, measured on a real server."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from nestling.cli import DIFFERENT, FINE
from nestling.cli.parts import options

if TYPE_CHECKING:
    from nestling.ir.proof import Proof
    from nestling.ir.words.proof_words import Bought
    from nestling.pipeline.proving import Effort


@click.command(
    "prove",
    short_help="Measure rival designs on a real server.",
    epilog="\b\nExample:\n  nestling prove sqlite:///shop.db --workload workload.sql --html report.html",
)
@options.source
@options.milliseconds
@options.to_server
@click.option(
    "--quick",
    is_flag=True,
    help="Measure only the chosen design and the three by rule, in about a minute for twenty statements.",
)
@click.option(
    "--design",
    "designs",
    type=options.READABLE,
    multiple=True,
    metavar="FILE",
    help="A design file to measure as well, such as an expert's; may be given several times.",
)
@click.option(
    "--scale",
    type=options.FiniteRange(0.001, 100_000),
    metavar="TIMES",
    help=(
        "Measure with generated rows, TIMES as many as the source has; for a model file or a MongoDB, rows are always "
        "generated."
    ),
)
@click.option(
    "--random",
    "random_designs",
    type=click.IntRange(0, 200),
    default=0,
    help="Measure this many random valid designs as well.",
)
@click.option(
    "--seconds",
    type=options.FiniteRange(1, 86_400),
    help="How long to measure; longer if --rounds take longer, since each round runs every statement on every design. Loading, "
    "comparing answers and --open-seconds are extra.",
)
@click.option("--rounds", type=click.IntRange(2, 1_000), help="Number of rounds to measure.")
@click.option(
    "--clients", type=click.IntRange(1, 256), default=1, show_default=True, help="Number of concurrent clients."
)
@click.option(
    "--open-seconds",
    type=options.FiniteRange(0, 3_600),
    help="Seconds to run each design at the stated rates; 0 skips this.",
)
@click.option(
    "--cache-ratio",
    type=options.FiniteRange(0.01, 1_000),
    metavar="RATIO",
    help="Bytes of data per byte of the server's cache, such as 0.2 or 5; only with nestling's own server.",
)
@options.cache
@click.option(
    "--seed", type=int, default=0, show_default=True, help="The same seed draws the same values in the same order."
)
@click.option("--html", type=options.RESULT_FILE, metavar="FILE", help="Write a report with plots.")
@options.as_json
def command(
    source: str,
    workload: Path | None,
    dialect: str,
    milliseconds: bool,
    target: str | None,
    quick: bool,
    designs: tuple[Path, ...],
    scale: float | None,
    random_designs: int,
    seconds: float | None,
    rounds: int | None,
    clients: int,
    open_seconds: float | None,
    cache_ratio: float | None,
    cache_bytes: float | None,
    seed: int,
    html: Path | None,
    as_json: bool,
) -> int:
    """Load the chosen design and its rivals into a MongoDB, run the workload on each, and show how fast each is.

    The chosen design is the one that `nestling design` makes from the same input; for a design file, the design in it.

    The rivals are the normalized, embedded and tree designs, the chosen one with single decisions made differently, and those
    given by --design. All answers are compared with one another, and answers to reads also with the SQL source's own: a design
    that answers wrongly is disqualified. Works in databases of its own, which it drops, and only reads the source. Exits 1 when
    an answer is wrong, a design was disqualified, the chosen one is beaten, or a statement of the workload was left out.
    """
    from nestling.cli.parts import text
    from nestling.cli.parts.progress import progress
    from nestling.emitters.proof import html as page
    from nestling.emitters.proof import proof_json
    from nestling.pipeline import inspect, is_mongodb, read_proposal
    from nestling.pipeline.cache import with_cache
    from nestling.pipeline.proving import FULL, QUICK, measured_server, prove_source

    text.check_place(html)
    effort = _effort(QUICK if quick else FULL, seconds, rounds, clients, open_seconds, cache_ratio, seed)
    if is_mongodb(source):
        options.check_milliseconds(milliseconds=milliseconds)
    for file in designs:
        read_proposal(file)
    reading = inspect(source, workload=workload, dialect=dialect, milliseconds=milliseconds)
    with measured_server(target) as on, progress(enabled=not as_json) as watch:
        proof = prove_source(
            reading,
            source,
            on,
            files=designs,
            random=random_designs,
            variants=not quick,
            scale=scale,
            profile=with_cache(None, cache_bytes),
            effort=effort,
            watch=watch,
        )
    if as_json:
        text.print_json(proof_json(proof))
    else:
        show(proof)
    if html is not None:  # last, so that what was measured is shown whatever becomes of the file
        text.write_result(html, page(proof))
        if not as_json:
            text.say(f"Wrote {html}")
    return code(proof)


def _effort(
    usual: Effort,
    seconds: float | None,
    rounds: int | None,
    clients: int,
    open_seconds: float | None,
    cache_ratio: float | None,
    seed: int,
) -> Effort:
    import math
    from dataclasses import replace

    return replace(
        usual,
        seconds=usual.seconds if seconds is None else seconds,
        within_seconds=usual.within_seconds if seconds is None else math.inf,
        rounds=usual.rounds if rounds is None else rounds,
        open_seconds=usual.open_seconds if open_seconds is None else open_seconds,
        clients=clients,
        cache_ratio=cache_ratio,
        seed=seed,
    )


def code(proof: Proof) -> int:
    """Return 0 if every statement was measured, all answers are equal and nothing beats the chosen design, or else 1."""
    is_whole = not proof.missing and not proof.setting.left_out
    return FINE if proof.equal and proof.is_best and is_whole else DIFFERENT


def show(proof: Proof) -> None:
    """Print the designs, the chosen design's statements, what its decisions gain, and the verdict."""
    from nestling.cli.parts.text import say
    from nestling.ir.words.proof_words import disqualified, other_answer, source_notes, verdict

    show_designs(proof)
    _structures(proof)
    _statements(proof)
    _copies(proof)
    _decisions(proof)
    for each in disqualified(proof):
        click.echo(f"\nDISQUALIFIED: {each}")
    if proof.missing:
        click.echo(f"\nNOT ALL MEASURED: {proof.missing}")
    for other in proof.source.differences:
        click.echo(f"\nWRONG: {other_answer(other, proof.source.product)}")
    for note in (*proof.notes, *source_notes(proof)):
        say(f"note: {note}")
    click.echo(f"\n{verdict(proof)}.")


def show_designs(proof: Proof) -> None:
    """A row for each design, the fastest first."""
    from nestling.cli.parts.table import table
    from nestling.ir.quantity_words import counted, size
    from nestling.ir.words.proof_words import labels, milliseconds, rate, ratio, spread

    names, rows = labels(proof), []
    for each in sorted(proof.designs, key=lambda each: -(each.throughput or 0.0)):
        opened = each.opened
        rows.append(
            (
                names[each.name] + (" ✗" if each.disqualified else ""),
                rate(each.throughput) if each.throughput else "",
                spread(each.interval),
                ratio(each, proof) if each.name != proof.advised else "1",
                milliseconds(opened.latency.p99) if opened else "",
                size(each.space.disk_bytes) if each.space else "",
                size(each.upkeep.journal_bytes_per_write) if each.upkeep and each.upkeep.writes else "",
                milliseconds(each.predicted),
            )
        )
    made = proof.setting
    title = (
        f"{made.reading}: {counted(made.rows, 'row')} on {made.server};"
        f" {counted(made.rounds, 'round')}, {made.seconds:.0f} s in all; ms"
    )
    columns = ("design", "a second", "95 %", "times as long", "p99 open", "disk", "journal/write", "predicted")
    table(title, columns, rows, right=(1, 2, 3, 4, 5, 6, 7))


def _structures(proof: Proof) -> None:
    from nestling.cli.parts.table import table
    from nestling.ir.words.proof_words import STRUCTURES, structure_rows

    click.echo("")
    table("What each design stores", STRUCTURES, list(structure_rows(proof)))


def _statements(proof: Proof) -> None:
    from nestling.cli.parts.table import table
    from nestling.ir.proof import YARDSTICKS
    from nestling.ir.words.proof_words import milliseconds, rate

    advised = proof.design(proof.advised)
    if advised is None or not any(one.latency for one in advised.statements):
        return
    beside = [each for name in YARDSTICKS if (each := proof.design(name)) is not None]
    rows = []
    for place, one in enumerate(advised.statements):
        found = one.latency
        quantiles = map(milliseconds, (found.p50, found.p95, found.p99)) if found else ("", "", "")
        others = [each.statements[place].latency for each in beside]
        rows.append(
            (
                one.name,
                rate(one.rate_per_second),
                *quantiles,
                milliseconds(one.predicted),
                *(milliseconds(other.p50) if other else "" for other in others),
            )
        )
    columns = ["statement", "rate/s", "p50", "p95", "p99", "predicted"]
    columns += [each.name for each in beside]
    click.echo("")
    table("Statement by statement: the chosen design, and the p50 of others; ms", columns, rows, right=range(1, 9))


def _copies(proof: Proof) -> None:
    from nestling.cli.parts.table import table
    from nestling.ir.words.proof_words import COPIES_READ, copies_read

    rows = list(copies_read(proof))
    if rows:
        click.echo("")
        title = "Copies: how far behind their source they were when read"
        table(title, COPIES_READ, rows, right=range(4, 9))


def _decisions(proof: Proof) -> None:
    from nestling.cli.parts.table import table
    from nestling.ir.words.proof_words import bought, ratio

    rows = [(each.decision, ratio(each.figures, proof), _outcome(each)) for each in bought(proof)]
    if rows:
        click.echo("")
        table(
            "What each decision buys: times as long without it",
            ("taken the other way", "times", ""),
            rows,
            right=(1,),
        )


def _outcome(each: Bought) -> str:
    if not each.certain:
        return "no difference beyond the noise"
    return "pays" if (each.figures.times or 0.0) > 1 else "costs"
