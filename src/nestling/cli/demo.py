"""`nestling demo`: the whole chain on a bundled shop."""

from __future__ import annotations

import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from nestling.cli import DIFFERENT, FINE
from nestling.cli.parts import options

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pymongo.database import Database

    from nestling.common.server import Server
    from nestling.ir.proof import Proof
    from nestling.ir.proposal import Proposal
    from nestling.ir.reading import Reading
    from nestling.pipeline import Loaded, Watch
    from nestling.pipeline.beside_sql import SideBySide
    from nestling.pipeline.stale_copy import StaleCopy

FILES = ("shop.db", "workload.sql", "model.yaml", "design.yaml", "schema.md", "create.js", "report.html")
"""What a demo leaves in its folder."""
_UNFINISHED = ("shop.db-wal", "shop.db-journal")
"""Files that exist while somebody changes the shop: its data is then not only in its own file."""
OWN_DATABASE = "nestling_demo"
"""The demo's own database, so a second demo may replace what the first one left."""
ASKED = {
    "purchase_details": "two joins, one of them inside a document",
    "account_page": "an array inside a document",
    "category_listing": "a list with copied values",
}
"""Statements asked on both sides, and what is shown by each."""
MOST_LINES = 4
"""Lines of a converted query that are shown."""


@click.command(
    "demo",
    short_help="Take a bundled SQL shop through the whole chain.",
    epilog="\b\nExample:\n  nestling demo -o demo",
)
@click.option(
    "-o",
    "--output",
    type=options.RESULT_FOLDER,
    metavar="DIR",
    help="Keep the shop, the design and its scripts here.",
)
@click.option(
    "--replace", is_flag=True, help="Overwrite the files in DIR, including those changed since the last demo."
)
@options.to_mongodb
@click.option(
    "--strategy", default="optimal", show_default=True, metavar="NAME", help="optimal, tree, embedded or normalized."
)
@click.option("--no-prove", is_flag=True, help="Skip measuring rival designs, which takes most of the time.")
@options.as_json
def command(
    output: Path | None, replace: bool, target: str | None, strategy: str, no_prove: bool, as_json: bool
) -> int:
    """Take a bundled SQL shop through the whole chain: inspect, design, load, verify, ask, keep right, measure rivals."""
    from nestling.cli.parts.own_files import check_own
    from nestling.cli.parts.text import check_place

    if replace and output is None:
        raise click.UsageError("--replace needs a folder: add -o DIR")
    if output is not None:
        check_place(output / "shop.db")
        if not replace:
            check_own(
                output, (*FILES, *_UNFINISHED), "choose an empty folder with -o DIR, or add --replace to overwrite them"
            )
    with ExitStack() as stack:
        folder = output or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="nestling-demo-")))
        if as_json:
            return _for_machines(folder, target, strategy, measured=not no_prove)
        return _for_people(folder, target, strategy, kept=output is not None, measured=not no_prove)


def _for_machines(folder: Path, target: str | None, strategy: str, *, measured: bool) -> int:
    from nestling.cli.load import load_json
    from nestling.cli.parts.text import print_json
    from nestling.emitters.proof import proof_json
    from nestling.pipeline import LoadMode, load, opened
    from nestling.pipeline.stale_copy import spoil_and_mend

    proof: Proof | None = None
    with opened(target, OWN_DATABASE) as (server, database):
        address, reading, proposal = _designed(folder, strategy)
        mode = LoadMode.REPLACE if database.name == OWN_DATABASE else LoadMode.REFUSE
        done = load(proposal, address, database, mode=mode)
        answers = {each.name: each.equal for each in _asked(folder, reading, proposal, database)}
        mended = spoil_and_mend(proposal, database)
        if measured:
            proof = _proved(folder, reading, proposal, (server, database), None)
    kept = {"mended": mended.is_right if mended is not None else None}
    print_json(load_json(done) | {"statements": answers} | kept | ({"proof": proof_json(proof)} if proof else {}))
    return _code(done, (*answers.values(), mended is None or mended.is_right), proof)


def _for_people(folder: Path, target: str | None, strategy: str, *, kept: bool, measured: bool) -> int:
    from nestling.cli import inspect as inspect_command
    from nestling.cli.load import show as show_load
    from nestling.cli.parts import design_tables
    from nestling.cli.parts.progress import progress
    from nestling.cli.prove import show_designs
    from nestling.pipeline import LoadMode, load, opened
    from nestling.pipeline.stale_copy import spoil_and_mend

    proof: Proof | None = None
    with opened(target, OWN_DATABASE) as (server, database):
        address, reading, proposal = _designed(folder, strategy)
        _title("1. Inspect", "a relational shop, and the statements its application runs")
        inspect_command.show(reading)
        _title("2. Design", f"strategy {strategy}, decided by these numbers")
        design_tables.show(proposal)
        started = server.data_directory is not None
        _title("3. Create, load, verify", f"on {server.origin}, started for this" if started else server.text())
        mode = LoadMode.REPLACE if database.name == OWN_DATABASE else LoadMode.REFUSE
        with progress() as watch:
            done = load(proposal, address, database, mode=mode, watch=watch)
        show_load(done, address)
        _title("4. Look", "a document of the collection that embeds the most, as stored")
        _document(proposal, database)
        _title("5. Ask", "the application's SQL, converted for this design, and the SQL database's own answers")
        answers = list(_asked(folder, reading, proposal, database))
        for each in answers:
            _show_answer(each)
        mended = spoil_and_mend(proposal, database)
        if mended is not None:
            _title("6. Keep right", "a hand edit makes a copy stale; `check` finds it and repairs it")
            _show_mended(mended)
        if measured:
            _title(
                "7. Prove" if mended is not None else "6. Prove",
                "the design beside its rivals: the application's statements, run on each, answers compared with SQL's",
            )
            with progress() as watch:
                proof = _proved(folder, reading, proposal, (server, database), watch)
            show_designs(proof)
    _close(folder, kept=kept)
    if proof is not None:
        _say_verdict(folder, proof, kept=kept)
    return _code(done, (*(each.equal for each in answers), mended is None or mended.is_right), proof)


def _proved(
    folder: Path, reading: Reading, proposal: Proposal, on: tuple[Server, Database[Any]], watch: Watch | None
) -> Proof:
    """The quick proof, its report left in the folder."""
    from nestling.emitters.proof import html
    from nestling.pipeline.proving import QUICK, prove_source

    address = f"sqlite:///{folder / 'shop.db'}"
    proof = prove_source(reading, address, on, proposal=proposal, variants=False, effort=QUICK, watch=watch)
    _leave(folder / "report.html", html(proof))
    return proof


def _say_verdict(folder: Path, proof: Proof, *, kept: bool) -> None:
    from nestling.ir.words.proof_words import verdict

    if kept:
        click.echo(f"Report:          {folder / 'report.html'}")
    click.echo(f"{verdict(proof)}.")


def _code(done: Loaded, answers: Iterable[bool], proof: Proof | None) -> int:
    """The exit code. It ignores whether the chosen design is the fastest: a demo is short, and its machine may be busy."""
    verified = done.verified is not None and done.verified.equal
    proved = proof is None or (proof.equal and not proof.missing)
    return FINE if all(answers) and verified and proved else DIFFERENT


def _asked(folder: Path, reading: Reading, proposal: Proposal, database: Database[Any]) -> Iterator[SideBySide]:
    """The statements chosen, asked of both databases."""
    from nestling.pipeline.beside_sql import compare

    for name in ASKED:
        statement = reading.workload.statement(name)
        assert statement is not None, name
        yield compare(proposal, statement, folder / "shop.db", database)


def _show_answer(answer: SideBySide) -> None:
    """Print the statement, its query (shortened if long), and whether both gave the same rows."""
    from textwrap import wrap

    from nestling.cli.parts.text import console, counted

    width = console().width - 1
    click.echo(f"{answer.name}: {ASKED[answer.name]}")
    for head, text in (("  SQL    ", answer.sql), ("  MQL    ", answer.query)):
        lines = wrap(
            " ".join(text.split()),
            width,
            initial_indent=head,
            subsequent_indent=" " * len(head),
            break_on_hyphens=False,
        )
        click.echo("\n".join(lines[:MOST_LINES]) + (" …" if len(lines) > MOST_LINES else ""))
    click.echo(f"  equal  {'yes' if answer.equal else 'NO'}, {counted(answer.rows, 'row')}")


def _show_mended(mended: StaleCopy) -> None:
    """Print the edit, the check's finding, and the result of the repair."""
    from nestling.cli.check import show, verdict

    click.echo(mended.edit)
    show(mended.found, sync="nestling sync design.yaml mongodb://…")
    click.echo(verdict(mended.repaired))


def _designed(folder: Path, strategy: str) -> tuple[str, Reading, Proposal]:
    """Create the shop in the folder, design it, and keep the files. Return the address, the reading and the proposal."""
    from nestling.cli.parts.own_files import note_own
    from nestling.emitters import emit
    from nestling.ir.text import write_proposal, write_reading
    from nestling.pipeline import design, inspect
    from nestling.shop import create_shop, workload

    database, statements = folder / "shop.db", folder / "workload.sql"
    _leave(statements, workload())
    for old in (database, *(folder / name for name in _UNFINISHED)):
        old.unlink(missing_ok=True)
    create_shop(database)
    note_own(database)
    address = f"sqlite:///{database}"
    reading = inspect(address, workload=statements)
    proposal = design(reading, strategy)
    _leave(folder / "model.yaml", write_reading(reading))
    _leave(folder / "design.yaml", write_proposal(proposal))
    for name in ("markdown", "mongosh"):
        for file, content in emit(proposal, name).items():
            _leave(folder / file, content)
    return address, reading, proposal


def _leave(file: Path, text: str) -> None:
    """Write a file that the next demo may overwrite, unless somebody has changed it."""
    from nestling.cli.parts.own_files import note_own
    from nestling.cli.parts.text import write_text

    write_text(file, text)
    note_own(file)


def _document(proposal: Proposal, database: Database[Any]) -> None:
    """Print a real document of the collection that embeds the most, if possible one without an empty array."""
    from nestling.ir.literals import shell

    store = max(proposal.design.stores, key=lambda s: sum(len(root.children) for root in s.roots))
    fields = [child.field for root in store.roots for child in root.children]
    full = {field: {"$exists": True, "$ne": []} for field in fields}
    found = database[store.name].find_one(full, sort=[("_id", 1)]) or database[store.name].find_one()
    click.echo(f"db.{store.name}: {shell(found)}")


def _close(folder: Path, *, kept: bool) -> None:
    click.echo("")
    design = f"{folder}/design.yaml" if kept else "DIR/design.yaml"
    if not kept:
        click.echo("Keep the files:  nestling demo -o DIR")
    click.echo(f"Ask why:         nestling explain {design} product_review")
    click.echo("Now yours:       nestling design sqlite:///your.db -o design.yaml")


def _title(text: str, about: str) -> None:
    from rich.text import Text

    from nestling.cli.parts.text import console

    console().print(Text.assemble("\n", (text, "bold"), "  ", (about, "dim")), overflow="fold")
