"""Standard output and error: readable by whoever reads them, and closed without noise."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from io import TextIOWrapper
from pathlib import Path

COULD_NOT_RUN = 2


def write_any_text() -> None:
    """Characters the terminal's encoding lacks become escapes, and a stream the caller has closed leads nowhere."""
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:  # a file opened later must not take its number
            setattr(sys, name, Path(os.devnull).open("r" if name == "stdin" else "w"))  # noqa: SIM115 - open to the end
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def closing_code(code: int) -> int:
    """Flush what was said; the code to exit with, which is 2 when the output could not be written.

    A reader that has gone (`| head`) is no reason for a message.
    """
    try:
        _flush()
    except BrokenPipeError:
        code = COULD_NOT_RUN
    except OSError as error:
        code = COULD_NOT_RUN
        with suppress(OSError):
            os.write(2, f"Error: the output cannot be written: {error.strerror}\n".encode())
    else:
        return code
    discard()
    return code


def discard() -> None:
    """Send what is still to be written nowhere, so that Python does not complain about it at its end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            os.dup2(nowhere, stream.fileno())


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
