"""Standard output and error: printable in any encoding, and handled when nobody reads them."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from io import BufferedWriter, FileIO, TextIOWrapper
from pathlib import Path
from typing import Any

COULD_NOT_RUN = 2
READER_GONE = 141
"""The shell's exit code of a program ended by a closed pipe: 128 plus the number of SIGPIPE."""


class OutputLost(Exception):  # no OSError, as who guards a file or a server is not to take it for theirs
    """Standard output or error accepts no more data; `why` is the system's error."""

    def __init__(self, why: OSError) -> None:
        super().__init__(str(why))
        self.why = why


class _Watched(FileIO):
    """A standard stream whose failures can be distinguished from those of other files."""

    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except OSError as error:
            raise OutputLost(error) from error


def write_any_text() -> None:
    """Characters the terminal's encoding lacks become escapes, a stream the caller has closed leads nowhere, and one that takes
    no more raises `OutputLost`.
    """
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:  # a file opened later must not take its number
            setattr(sys, name, Path(os.devnull).open("r" if name == "stdin" else "w"))  # noqa: SIM115 - open to the end
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
            if stream is getattr(sys, f"__{name}__"):  # not what another program reads in place of it
                setattr(sys, name, _watched(stream))


def _watched(stream: TextIOWrapper) -> TextIOWrapper:
    stream.flush()
    raw = _Watched(stream.fileno(), "w", closefd=False)
    return TextIOWrapper(
        raw if stream.write_through else BufferedWriter(raw),  # as Python's own, unbuffered
        encoding=stream.encoding,
        errors=stream.errors,
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )


def flush() -> None:
    """Flush both streams. Raises `OutputLost`."""
    for stream in (sys.stdout, sys.stderr):
        stream.flush()


def code_without_output(lost: OutputLost) -> int:
    """Return the exit code for output that could not be written, and say why on stderr.

    A reader that has gone (`| head`) needs no message: the code is that of a program ended by a closed pipe.
    """
    is_gone = isinstance(lost.why, BrokenPipeError)
    if not is_gone:
        with suppress(OSError):
            os.write(2, f"Error: the output cannot be written: {lost.why.strerror}\n".encode())
    _discard()
    return READER_GONE if is_gone else COULD_NOT_RUN


def _discard() -> None:
    """Redirect pending output to nowhere, so that Python does not complain about it at exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            os.dup2(nowhere, stream.fileno())
