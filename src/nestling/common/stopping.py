"""A command that is asked to end: SIGTERM is what Ctrl-C is, and whoever is at work says what stays behind, and how to go on."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager


def end_as_by_ctrl_c() -> None:
    """Have SIGTERM raise `KeyboardInterrupt`, unless it has a handler: open resources are closed, and the outcome is reported."""
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, signal.default_int_handler)


@contextmanager
def telling_what_stays(words: Callable[[], str]) -> Iterator[None]:
    """Note the words on what ends the work inside, for the last sentence on the screen."""
    try:
        yield
    except KeyboardInterrupt as stopped:
        stopped.add_note(words())
        raise
