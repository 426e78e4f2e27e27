"""A text file in any encoding."""

from __future__ import annotations

from pathlib import Path

from nestling.common.errors import Problem, SourceError


def text_of(path: Path | str) -> str:
    """The text of a file; raises `SourceError` if it cannot be read or is not text."""
    path = Path(path)
    try:
        found = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        found = path.read_text(encoding="latin-1")
    except OSError as error:
        raise SourceError(Problem(what=f"cannot be read: {error.strerror}", where=str(path))) from None
    if "\0" in found:
        raise SourceError(Problem("this is not a text file", where=str(path), next_move="name a UTF-8 text file"))
    return found
