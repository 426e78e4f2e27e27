"""The text of a file that somebody named."""

from __future__ import annotations

from pathlib import Path

from nestling.common.errors import InputError, Problem

_SQLITE_HEADER = b"SQLite format 3\0"


def text_given(path: Path | str, next_move: str = "name a text file") -> str:
    """The text of a file; raises `InputError`. `next_move`: what to do if a SQLite database was named."""
    try:
        return Path(path).read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InputError(Problem(f"cannot read the file: {error.strerror}", where=str(path))) from None
    except UnicodeDecodeError as error:
        what, move = f"not UTF-8 text: byte {error.start} is 0x{error.object[error.start]:02x}", "save it as UTF-8"
        if error.object.startswith(_SQLITE_HEADER):
            what, move = "this is a SQLite database", next_move
        raise InputError(Problem(what, where=str(path), next_move=move)) from None
