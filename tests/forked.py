"""Processes to kill, forked from one that has imported what they need: importing takes them longer than what they do."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.context import ForkServerProcess

_CONTEXT = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload(["tests.executors.load.loading_process"])


@contextmanager
def forked(main: Callable[..., object], *arguments: object) -> Iterator[ForkServerProcess]:
    """Run a function in a process, which has told that it begins by the pipe it is handed last; killed (SIGKILL) on leaving."""
    told, tell = _CONTEXT.Pipe(duplex=False)
    process = _CONTEXT.Process(target=main, args=(*arguments, tell))
    process.start()
    tell.close()
    try:
        told.recv()
        yield process
    finally:
        process.kill()
        process.join()
        told.close()
