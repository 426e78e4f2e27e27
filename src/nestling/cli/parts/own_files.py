"""Remembers files that a command wrote to a folder: it may overwrite them as long as nobody has changed them."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import file_digest
from pathlib import Path

from nestling.cli.parts.text import write_text
from nestling.common.errors import InputError, Problem, name_list
from nestling.ir.quantity_words import agreeing

NOTE = ".nestling.sha256"
"""The file with their digests as they were written, in the format of `sha256sum`."""


def note_own(file: Path) -> None:
    """Record the digest of a file that was just written."""
    noted = _noted(file.parent) | {file.name: _digest(file)}
    write_text(file.parent / NOTE, "".join(f"{digest}  {name}\n" for name, digest in sorted(noted.items())))


def check_own(folder: Path, names: Iterable[str], next_move: str) -> None:
    """Raise `InputError` where files of these names are there that were not written here, or were changed since."""
    noted = _noted(folder)
    there = [name for name in names if (folder / name).exists()]
    foreign = [name for name in there if name not in noted]
    changed = [name for name in there if name in noted and noted[name] != _digest(folder / name)]
    said = [
        f"{name_list(names)} {agreeing(len(names), 'was', 'were')} {why}"
        for names, why in ((changed, "changed since the last run"), (foreign, "not written by this command"))
        if names
    ]
    if said:
        what = f"files would be overwritten: {' and '.join(said)}"
        raise InputError(Problem(what, where=str(folder), next_move=next_move))


def _noted(folder: Path) -> dict[str, str]:
    """The recorded digests by file name; malformed lines are skipped."""
    try:
        lines = (folder / NOTE).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return {}
    return {name: digest for digest, _, name in (line.partition("  ") for line in lines)}


def _digest(file: Path) -> str:
    """The digest of the file's content, or "" if the file cannot be read."""
    try:
        with file.open("rb") as content:
            return file_digest(content, "sha256").hexdigest()
    except OSError:
        return ""
