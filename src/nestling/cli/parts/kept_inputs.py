"""Makes sure that no result overwrites an input file, and that two results never share a file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from os.path import realpath
from pathlib import Path

import click

from nestling.common.errors import InputError, Problem

ADDRESS = click.types.StringParamType()
"""The type of an argument that names a database or a file to read."""


def check_kept(path: Path, renews: Sequence[Path | None] = ()) -> None:
    """Raise `InputError` if the running command reads the file at `path`, or writes another result to it.

    `renews`: input files that may be overwritten, because they hold an earlier version of what is written.
    """
    context = click.get_current_context(silent=True)
    if context is None:
        return
    results = 0
    for parameter in context.command.params:
        for given in _files(parameter, context.params.get(parameter.name or "")):
            if _is_result(parameter):
                results += realpath(given) == realpath(path)
            elif given not in renews and _is_same(given, path):
                what = f"the command reads this file ({_called(parameter)}) and would overwrite it"
                raise InputError(Problem(what, where=str(path), next_move="choose another output file"))
    if results > 1:
        what = "two results cannot be written to one file"
        raise InputError(Problem(what, where=str(path), next_move="give each its own file"))


def _files(parameter: click.Parameter, value: object) -> Iterator[Path]:
    """The files a parameter names."""
    for each in value if isinstance(value, tuple) else (value,):
        if isinstance(each, Path):
            yield each
        elif isinstance(each, str) and parameter.type is ADDRESS:
            from nestling.sources.front import file_of

            if (found := file_of(each)) is not None:
                yield found


def _is_result(parameter: click.Parameter) -> bool:
    return isinstance(parameter.type, click.Path) and not parameter.type.exists


def _is_same(given: Path, path: Path) -> bool:
    with suppress(OSError, ValueError):  # one of them is not there, or no file can be called so
        return given.samefile(path)
    return False


def _called(parameter: click.Parameter) -> str:
    return parameter.opts[0] if isinstance(parameter, click.Option) else parameter.human_readable_name.rstrip(".")
