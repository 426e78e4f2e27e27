"""Text for people and machines. Results go to stdout, everything else to stderr; passwords go nowhere."""

from __future__ import annotations

import json
import math
import os
import re
import shlex
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryFile
from textwrap import wrap
from typing import TYPE_CHECKING

import click

from nestling.cli.parts.kept_inputs import check_kept
from nestling.common.errors import InputError, Problem
from nestling.common.files import write_whole
from nestling.ir.quantity_words import counted as counted

if TYPE_CHECKING:
    from rich.console import Console

    from nestling.ir.reading import Gap

PIPED_WIDTH = 100
"""Assumed width if there is no terminal."""
NARROWEST = 20
"""Least width used for layout. A width of 0 means that it is unknown."""
_WIDEST_PROSE = 100
"""Columns beyond which sentences are hard to read."""
_GUTTER = re.compile(r"\s{2,}(?=\S)")
_MOST_NOTICES = 12


def console(*, stderr: bool = False) -> Console:
    """Return a console with a known width, without colour if there is no terminal or NO_COLOR is set."""
    from rich.console import Console

    shown = Console(stderr=stderr, highlight=False)
    known = shown.width if shown.is_terminal or "COLUMNS" in os.environ else 0
    shown.width = max(known, NARROWEST) if known > 0 else PIPED_WIDTH
    return shown


def prose_width(*, stderr: bool = False) -> int:
    """Width for sentences. The last column stays free, as some terminals break the line there."""
    return min(console(stderr=stderr).width - 1, _WIDEST_PROSE)


def say(text: str) -> None:
    """A sentence for the person watching, on stderr."""
    from nestling.common.redaction import redact

    shown = redact(text)
    if sys.stderr.isatty() or "COLUMNS" in os.environ:
        width = prose_width(stderr=True) + 1
        shown = "\n".join(hanging(line, width) for line in shown.splitlines())
    click.echo(shown, err=True)


def argument(address: Path | str) -> str:
    """A path or an address as a word of a shell's command, without its password."""
    from nestling.common.redaction import redact

    return shlex.quote(redact(str(address)))


def say_next(*commands: str) -> None:
    """The commands to give next, their words made by `argument`; a password that is not shown has to be put in again."""
    from nestling.common.redaction import MASK

    for number, each in enumerate(commands):
        say(f"{'      ' if number else 'Next: '}{each}")
    if any(MASK in each for each in commands):
        say(f"      with the password in place of `{MASK}`, which hides it")


def print_json(value: object, *, indent: int | None = 2) -> None:
    """Print one JSON document, on one line without `indent`.

    Values that JSON cannot express (dates, decimals, bytes, infinities) become texts.
    """
    encoding = getattr(sys.stdout, "encoding", None) or ""
    is_unicode = encoding.lower().replace("-", "").startswith("utf")
    click.echo(json.dumps(_plain(value), indent=indent, ensure_ascii=not is_unicode, allow_nan=False))


def _plain(value: object) -> object:
    match value:
        case None | bool() | int():
            return value
        case float():
            return value if math.isfinite(value) else str(value)
        case str():
            return value.encode("utf-8", "backslashreplace").decode()
        case Mapping():
            return {str(_plain(name)): _plain(inner) for name, inner in value.items()}
        case list() | tuple():
            return [_plain(inner) for inner in value]
        case bytes():
            return value.hex()
        case _:
            return str(value)


def page(text: str) -> None:
    """Print a long text: wrapped on a terminal, through the pager if it exceeds the screen, unchanged in a pipe."""
    if not sys.stdout.isatty():
        click.echo(text, nl=not text.endswith("\n"))
        return
    size = console().size
    laid_out = "\n".join(hanging(line, size.width) for line in text.splitlines())
    if laid_out.count("\n") > size.height - 2:
        click.echo_via_pager(laid_out + "\n")
    else:
        click.echo(laid_out)


def hanging(line: str, width: int) -> str:
    """Wrap a line at `width`; continuation lines align with its last column, unless that is too far right."""
    starts = [gutter.end() for gutter in _GUTTER.finditer(line) if gutter.start() > 0 and gutter.end() <= width // 2]
    indent = starts[-1] if starts else len(line) - len(line.lstrip()) + 2
    return "\n".join(wrap(line, width - 1, subsequent_indent=" " * indent, break_on_hyphens=False))


def notices(gaps: Iterable[Gap], notes: Iterable[str]) -> None:
    """Gaps and notes on stderr, the weightiest first, the first few in full and the rest counted."""
    from nestling.cli.parts.notice_order import ordered_gaps, ordered_notes

    for kind, found in (("gap", list(map(str, ordered_gaps(gaps)))), ("note", ordered_notes(notes))):
        for text in found[:_MOST_NOTICES]:
            say(f"{kind}: {text}")
        if len(found) > _MOST_NOTICES:
            say(f"{kind}: … and {len(found) - _MOST_NOTICES:,} more (--json lists all)")


def all_notes(notes: Iterable[str]) -> None:
    """Every note on stderr, in lines that are not long."""
    for note in notes:
        say(hanging(f"note: {note}", _WIDEST_PROSE))


def check_place(path: Path | None, renews: Sequence[Path | None] = ()) -> None:
    """Raise `InputError` if no file can or may be written at `path`, before the work that produces it begins.

    `renews`: input files that may be overwritten, because they hold an earlier version of what is written.
    """
    if path is None or (path.exists() and not path.is_file()):  # /dev/stdout and its kin
        return
    check_kept(path, renews)
    _check_writable(path)


def _check_writable(path: Path) -> None:
    folder = next(parent for parent in path.absolute().parents if parent.exists())
    if not folder.is_dir():
        raise _not_written(path, f"{folder} is not a folder")
    if not os.access(folder, os.W_OK):
        raise _not_written(path, f"no permission to write in {folder}")
    try:
        with TemporaryFile(dir=folder):
            return
    except OSError as error:  # as under /proc, where rights say nothing
        raise _not_written(path, f"no files can be created in {folder}: {error.strerror}") from None


def write_result(path: Path, text: str) -> None:
    """Write the file given by `-o`, as `write_text` does, and say so if its folder had to be created."""
    made = not path.absolute().parent.exists()
    write_text(path, text)
    if made:
        say(f"Created the folder {path.absolute().parent}")


def write_text(path: Path, text: str) -> None:
    """Write a file whole or not at all; raises `InputError` when it cannot be written there."""
    try:
        if path.exists() and not path.is_file():  # /dev/stdout and its kin
            path.write_text(text, encoding="utf-8", errors="backslashreplace")
            return
        _check_writable(path)
        whole = path.resolve()
        whole.parent.mkdir(parents=True, exist_ok=True)
        write_whole(whole, text.encode("utf-8", "backslashreplace"))
    except (OSError, RuntimeError) as error:  # a RuntimeError is a symbolic link to itself
        said = error.strerror if isinstance(error, OSError) else "its symbolic links form a loop"
        raise _not_written(path, str(said)) from None


def _not_written(path: Path, why: str) -> InputError:
    return InputError(Problem(f"cannot be written: {why}", where=str(path), next_move="choose another place"))
