"""Files with captured statements: what `nestling.recorder` or `--save` wrote, or a server's JSON log, gzipped or not."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO, cast

from nestling.common.errors import Problem, SourceError
from nestling.ir.capture import Capture, read_capture
from nestling.ir.capture.log_lines import counted

_GZIP = b"\x1f\x8b"
_TEXT: dict[str, Any] = {"encoding": "utf-8", "errors": "replace"}
RECORDED, LOGGED = '"form": "nestling capture', '{"t":{"$date"'
"""What a recording has in its first lines, and how a line of a server's log begins."""
_NO_LOG_WITHIN = 200
"""Lines at a file's beginning of which one must be a line of a server's log."""


def read_capture_file(path: Path) -> Capture:
    """The capture in a file; raises SourceError when it holds none, InputError when a recording is damaged."""
    try:
        with _opened(path) as lines:
            beginning = [line for _, line in zip(range(_NO_LOG_WITHIN), lines, strict=False)]
            if any(RECORDED in line for line in beginning[:3]):
                return read_capture("".join([*beginning, *lines]), str(path))
            if not any(line.startswith(LOGGED) for line in beginning):
                raise _unknown(path)
            return counted(_all(beginning, lines))
    except (OSError, EOFError) as error:
        said = getattr(error, "strerror", None) or error
        raise SourceError(Problem(f"cannot be read: {said}", where=str(path))) from None


def _all(beginning: list[str], rest: Iterator[str]) -> Iterator[str]:
    yield from beginning
    yield from rest


@contextmanager
def _opened(path: Path) -> Iterator[TextIO]:
    with path.open("rb") as file:
        zipped = file.read(2) == _GZIP
    with gzip.open(path, "rt", **_TEXT) if zipped else path.open(**_TEXT) as lines:
        yield cast("TextIO", lines)


def _unknown(path: Path) -> SourceError:
    move = "name a server's JSON log (MongoDB 4.4 or later) or a file written by nestling.recorder"
    return SourceError(Problem("holds no captured statements", where=str(path), next_move=move))
