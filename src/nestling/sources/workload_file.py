"""A workload file: SQL statements under `-- name: …` lines, or a model file in YAML with a `workload`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from nestling.common.errors import InputError, Problem, SourceError, WorkloadError
from nestling.ir.model import Model
from nestling.ir.reading import Reading
from nestling.ir.workload import Requirements
from nestling.sources.capture.files import LOGGED, RECORDED
from nestling.sources.statements import NamedSql, check_workload, named_statements, parse_workload, with_footprints
from nestling.sources.text_file import text_of

_MODEL = re.compile(r"\bmodel[\"']?[ \t]*:")
_BEGINNING = 1000
"""Characters by which a file is recognised."""
_NAMED = "write each statement under a line such as `-- name: product_page, rate: 900/s`"


@dataclass(frozen=True, slots=True)
class WorkloadFile:
    """The contents of the file at `path`: the `text` of SQL statements, or the reading of a model file (`kept`)."""

    path: str
    text: str
    kept: Reading | None = None

    def statements(self, dialect: str) -> Iterator[NamedSql]:
        """The statements of the file; `dialect` is the default for those without one."""
        if self.kept is None:
            yield from named_statements(self.text, dialect)
            return
        for each in self.kept.workload.statements:
            yield NamedSql(each.name, each.sql, self.kept.dialect_of(each) or dialect)

    def check(self, dialect: str = "", model: Model | None = None) -> None:
        """Raise `WorkloadError` as `over` would, as far as possible before the data is read."""
        if self.kept is None:
            check_workload(self.text, dialect, self.path, model)

    def over(self, reading: Reading) -> Reading:
        """Replace the reading's statements and requirements by the file's."""
        if self.kept is not None:
            return self._kept_over(self.kept, reading)
        workload, gaps = parse_workload(self.text, reading.model, reading.dialect, self.path)
        if not workload.statements and not gaps and workload.requirements == Requirements():
            raise WorkloadError(Problem("the file contains no statements", where=self.path, next_move=_NAMED))
        return replace(reading, workload=workload, gaps=(*reading.gaps, *gaps))

    def _kept_over(self, kept: Reading, reading: Reading) -> Reading:
        """Read from the SQL again what each statement touches, because the model may be a different one."""
        _check_requirements(kept.workload.requirements, reading.model, self.path)
        statements = tuple(
            replace(each, dialect=kept.dialect_of(each) or reading.dialect, accesses=())
            for each in kept.workload.statements
        )
        workload = replace(kept.workload, statements=statements)
        read = with_footprints(Reading(reading.model, workload, origin=self.path, dialect=reading.dialect))
        return replace(reading, workload=read.workload, gaps=(*reading.gaps, *read.gaps))


def open_workload(path: Path | str) -> WorkloadFile:
    """Read the file. Raises `SourceError` if it is neither of the two, or has no workload."""
    text = text_of(path)
    if Path(path).suffix not in (".yaml", ".yml"):
        _refuse_json(text, str(path))
        return WorkloadFile(str(path), text)
    from nestling.ir.text import read_file

    if _MODEL.search(text) is None:
        what = "this is neither a file of SQL statements nor a model file with a workload"
        raise SourceError(Problem(what, where=str(path), next_move="name a workload.sql or a model.yaml"))
    kept = read_file(path)
    if not isinstance(kept, Reading):
        move = "name the workload.sql or the model.yaml the design was made of"
        raise SourceError(Problem("this is a design, which contains no statements", where=str(path), next_move=move))
    if not kept.workload.statements:
        move = "write its statements under `workload:`, as name: {sql: …, rate: 5/s}"
        raise SourceError(Problem("this model file has no workload", where=str(path), next_move=move))
    return WorkloadFile(str(path), text, kept)


def _refuse_json(text: str, path: str) -> None:
    """Raise `SourceError` for JSON, which no SQL looks like, with what to do with captured commands."""
    beginning = text[:_BEGINNING].lstrip()
    if not beginning.startswith(("{", "[")):
        return
    if beginning.startswith(LOGGED) or RECORDED in beginning:
        what = "these are commands captured of a MongoDB, not SQL statements"
        move = (
            f"write them as SQL with `nestling capture {path} --design design.yaml -o workload.sql`, and name that file"
        )
    else:
        what = "this is JSON, neither SQL statements nor a model file with a workload"
        move = "name a workload.sql or a model.yaml"
    raise SourceError(Problem(what, where=path, next_move=move))


def _check_requirements(requirements: Requirements, model: Model, path: str) -> None:
    from nestling.ir.text.form import FormProblems
    from nestling.ir.text.workload_form import check_requirements

    findings = FormProblems([])
    check_requirements(requirements, model, ("requirements",), findings)
    if findings.problems:
        raise InputError(*(replace(each, where=each.where or path) for each in findings.problems))
