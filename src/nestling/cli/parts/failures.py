"""Reports why a command could not run: the error in words, without passwords, and what to do next."""

from __future__ import annotations

import os
import sys

import click

from nestling.cli.parts.streams import COULD_NOT_RUN
from nestling.common.errors import NestlingError

REPORT = "set NESTLING_DEBUG=1 for a traceback, and report it"


def say_failure(error: BaseException) -> int:
    """Say what stopped the command on stderr; returns the exit code. With NESTLING_DEBUG=1 unexpected errors are raised."""
    match error:
        case SystemExit():
            return error.code if isinstance(error.code, int) else COULD_NOT_RUN
        case click.ClickException():
            _say_misuse(error)
        case click.Abort() | KeyboardInterrupt():
            _say_stopped(error)
        case NestlingError():
            _say(f"Error: {error}")
        case _:
            _say_unexpected(error)
    return COULD_NOT_RUN


def _say_misuse(error: click.ClickException) -> None:
    """Report a wrong option or argument, and where to find help."""
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        error.show()
        return
    _say(f"Error: {error.format_message()}")
    context = getattr(error, "ctx", None)
    if isinstance(context, click.Context):
        _say(f"  → {context.command_path} --help")


def _say_stopped(error: BaseException) -> None:
    """Report Ctrl-C. The notes of the interrupted work say what was left behind."""
    notes = [*getattr(error, "__notes__", ()), *getattr(error.__cause__, "__notes__", ())]
    _say("; ".join(("Stopped", *notes)))


def _say_unexpected(error: BaseException) -> None:
    if os.environ.get("NESTLING_DEBUG"):
        raise error
    _say(f"Error: unexpected error in nestling: {type(error).__name__}: {error}\n  → {REPORT}")


def _say(text: str) -> None:
    from nestling.common.redaction import redact

    sys.stdout.flush()
    click.echo(redact(text), err=True)
