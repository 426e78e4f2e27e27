"""Standard output and error: readable by whoever reads them, and closed without noise."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from io import TextIOWrapper

COULD_NOT_RUN = 2


def write_any_text() -> None:
    """Characters the terminal's encoding lacks are written as escapes instead of ending the command."""
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
        with suppress(OSError, ValueError, AttributeError):
            os.dup2(nowhere, stream.fileno())


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
