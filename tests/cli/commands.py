"""Running `nestling` as people do, and as fast as a test with thousands of examples needs."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Iterable
from contextlib import ExitStack, chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

from nestling.cli import run

PROGRAM = (
    str(Path(sys.executable).with_name("nestling")),
)  # as people call it: `python -m` may end by the signal itself
UNEXPECTED = "unexpected error in nestling"


@dataclass(frozen=True, slots=True)
class Ran:
    """How a command ended: its exit code, and what it wrote."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """What it wrote as JSON."""
        return json.loads(self.out)


def environment(**changed: str) -> dict[str, str]:
    """The environment of a command nobody watches: no colours, no terminal, no MongoDB but those a test names."""
    kept = {
        k: v
        for k, v in os.environ.items()
        if k not in ("NESTLING_MONGODB_URI", "COLUMNS", "LINES", "FORCE_COLOR", "NO_COLOR")
    }
    return kept | changed


def nestling(*arguments: object, cwd: Path | None = None, **changed: str) -> Ran:
    """Run a command in this process, which is ten times faster than in one of its own; fails on the unexpected."""
    out, err = _stream(), _stream()
    code = _run_here(arguments, out, err, cwd, changed)
    return _checked(Ran(code, _text(out), _text(err)))


def told(*arguments: object, cwd: Path) -> Ran:
    """All that a command in this process writes, in its order, as on a screen."""
    screen = _stream()
    code = _run_here(arguments, screen, screen, cwd, {})
    shown = _checked(Ran(code, "", _text(screen))).err
    return Ran(code, shown, "")


def _run_here(
    arguments: Iterable[object], out: io.TextIOWrapper, err: io.TextIOWrapper, cwd: Path | None, changed: dict[str, str]
) -> int:
    with ExitStack() as stack:
        stack.enter_context(patch.dict(os.environ, environment(**changed), clear=True))
        stack.enter_context(chdir(cwd or Path.cwd()))
        stack.enter_context(redirect_stdout(out))
        stack.enter_context(redirect_stderr(err))
        return run([str(argument) for argument in arguments])


def _stream() -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(), encoding="utf-8")


def process(*arguments: object, cwd: Path | None = None, **changed: str) -> Ran:
    """Run a command in a process of its own; fails on the unexpected."""
    done = subprocess.run(
        [*PROGRAM, *map(str, arguments)],
        cwd=cwd,
        env=environment(**changed),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    return _checked(Ran(done.returncode, done.stdout, done.stderr))


def _text(stream: io.TextIOWrapper) -> str:
    stream.flush()
    assert isinstance(stream.buffer, io.BytesIO)
    return stream.buffer.getvalue().decode()


def _checked(ran: Ran) -> Ran:
    """No command may show a traceback, or the sentence for what nobody expected."""
    assert "Traceback" not in ran.err, ran.err
    assert UNEXPECTED not in ran.err, ran.err
    return ran


def started(*arguments: object, cwd: Path | None = None, **changed: str) -> subprocess.Popen[str]:
    """Start a command that the caller ends, with its output in pipes."""
    return subprocess.Popen(
        [*PROGRAM, *map(str, arguments)],
        cwd=cwd,
        env=environment(PYTHONUNBUFFERED="1", **changed),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )
