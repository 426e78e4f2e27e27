"""A workload file to a `Workload` over a model, and the gaps."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from nestling.common.errors import Problem, WorkloadError, name_list, unknown
from nestling.ir.model import Model
from nestling.ir.quantity_words import counted, first_of
from nestling.ir.rate import weighed_rate
from nestling.ir.reading import Gap, GapKind
from nestling.ir.statements.sql_dialects import DIALECTS, NAMES, SQLITE
from nestling.ir.text.sql_quotes import sql_text
from nestling.ir.workload import LEAST_WINDOW_SECONDS, Statement, Workload
from nestling.sources.statements.blocks import DEFAULT_RATE_PER_SECOND, StatementBlock, blocks, unread_words
from nestling.sources.statements.footprint import footprint, syntax_tree
from nestling.sources.statements.joins import Links
from nestling.sources.statements.placeholders import Normalised, apply_edits, normalise
from nestling.sources.statements.requirements import read_requirements
from nestling.sources.statements.walk import Mistake

_WINDOW = re.compile(r"^[ \t]*--[ \t]*window[ \t]*:[ \t]*([^\n]*?)[ \t]*$", re.IGNORECASE | re.MULTILINE)
_NO_RATE, _NO_WEIGHT, _NO_GROWTH = "no rate is given for", "the rate is 0 of", "how the data grows"
_SECONDS = re.compile(r"(\d{1,15}(?:\.\d{1,15})?)[ \t]*s")


def parse_workload(text: str, model: Model, dialect: str = SQLITE, path: str = "") -> tuple[Workload, tuple[Gap, ...]]:
    """Read a workload file over a model; `path` is for messages.

    A statement that cannot be read is left out, with a gap saying why and where; one that names things which do not exist stays,
    with what could be understood of it and a gap for each name. Raises `WorkloadError` when the dialect is not known or when
    there are statements and none of them can be read, or a requirement or a rate cannot be read.
    """
    reader = _Reader(text.removeprefix("\ufeff"), model, _dialect(dialect), path)
    requirements, wrong = read_requirements(reader.text, model, path)
    reader.read_only = frozenset(requirements.read_only)
    found = reader.blocks(wrong)
    read = [statement for block in found if (statement := reader.statement(block)) is not None]
    if found and not read:
        raise reader.nothing_read(found)
    lacking = [block for block in found if block.rate_per_second is None and not block.mistakes]
    reader.gap_of_many(_NO_RATE, lacking, f"taken as {DEFAULT_RATE_PER_SECOND:g}/s")
    idle = [block for block in found if block.rate_per_second == 0]
    reader.gap_of_many(_NO_WEIGHT, idle, "kept, but of no weight")
    workload = Workload(tuple(read), requirements, _window(reader), tuple(reader.left_out), tuple(reader.in_part))
    return workload, tuple(reader.gaps)


def check_workload(text: str, dialect: str = SQLITE, path: str = "", model: Model | None = None) -> None:
    """Raise `WorkloadError` where `parse_workload` would, as far as that can be known before the data is measured.

    Types may differ then: mistakes of requirements about a `model` are reported only together with others.
    """
    reader = _Reader(text.removeprefix("\ufeff"), model or Model("any", ()), _dialect(dialect), path)
    _, wrong = read_requirements(reader.text, model, path)
    found = reader.blocks(wrong, is_certain=model is None)
    if found and not any(reader.is_sql(block) for block in found):
        raise reader.nothing_read(found)


def _dialect(name: str) -> str:
    dialect = NAMES.get(name.lower(), name.lower())
    if dialect and dialect not in DIALECTS:
        raise WorkloadError(unknown("SQL dialect", dialect, DIALECTS))
    return dialect


def is_mistake_in(gap: Gap, statement: str) -> bool:
    """Whether it is a mistake in a statement."""
    return gap.what.startswith(_in_statement(statement, ""))


def _in_statement(name: str, what: str) -> str:
    return f"statement `{name}`: {what}"


def is_about_weight(gap: Gap) -> bool:
    """Whether only what a statement weighs is not known: it can be converted all the same."""
    return gap.what.startswith((_NO_RATE, _NO_WEIGHT, _NO_GROWTH))


def _window(reader: _Reader) -> float | None:
    """How many seconds the statements were watched, where a line such as `-- window: 1.7 s` says so."""
    found = _WINDOW.search(reader.text)
    if found is None:
        return None
    line = f"{reader.text.count(chr(10), 0, found.start(1)) + 1}"
    number = _SECONDS.fullmatch(found[1])
    seconds = float(number[1]) if number is not None else 0.0
    if not 0 < seconds < float("inf"):
        reader.gap(f"`{found[1]}` is not a window; write seconds, such as `-- window: 90 s`", line)
        return None
    if seconds < LEAST_WINDOW_SECONDS:
        reader.gap(
            f"{_NO_GROWTH}: the rates were observed for {seconds:,.1f} s only; capture for an hour or more", line
        )
    return seconds


_PLACE = re.compile(r"\d+(?=(?::\d+)?$)|\d+$")
"""The line, and the column where there is one, at the end of a place."""


class _Reader:
    """Blocks to statements, with the gaps met on the way."""

    def __init__(self, text: str, model: Model, dialect: str, path: str) -> None:
        self.text = text
        self.model = model
        self.dialect = dialect
        self.path = path
        self.links = Links(model)
        self.read_only: frozenset[str] = frozenset()
        self.gaps: list[Gap] = []
        self.left_out: list[str] = []
        self.in_part: list[str] = []
        self._lines_by_name: dict[str, int] = {}

    def gap(self, what: str, place: str, kind: GapKind = GapKind.INPUT) -> None:
        """List what is not understood at `line` or `line:column`."""
        self.gaps.append(Gap(kind, what, self._where(place)))

    def no_rate(self, name: str, problem: Problem) -> Problem:
        """The problem of a statement's rate, whose place is a line."""
        return replace(problem, what=_in_statement(name, problem.what), where=self._where(problem.where))

    def _where(self, place: str) -> str:
        return f"{self.path}:{place}" if self.path else f"line {place}"

    def blocks(self, wrong: Sequence[Problem], *, is_certain: bool = True) -> list[StatementBlock]:
        """The file's blocks; raises `WorkloadError` for rates and words that cannot be read, with what else is wrong.

        `wrong`: what cannot be read of the requirements, which is raised for if it is certain.
        """
        found = list(blocks(self.text, self.dialect))
        unread = [self.no_rate(block.name, block.wrong_rate) for block in found if block.wrong_rate is not None]
        unread += [replace(each, where=self._where(each.where)) for each in unread_words(self.text, self.dialect)]
        if unread or (wrong and is_certain):
            for block in found:
                self.is_sql(block)
            _window(self)
            gaps = [Problem(gap.what, where=gap.where) for gap in self.gaps]
            raise WorkloadError(
                *sorted([*unread, *wrong, *gaps], key=lambda each: [int(part) for part in _PLACE.findall(each.where)])
            )
        return found

    def is_sql(self, block: StatementBlock) -> bool:
        """Whether a block holds a statement, whatever tables there are; else a gap says why not."""
        for what, line in block.mistakes:
            self.gap(_in_statement(block.name, what), f"{line}")
        if not block.sql:
            return False
        written = normalise(block.sql, self.dialect)
        found = syntax_tree(written.sql, self.dialect)
        if isinstance(found, Mistake):
            self._mistake(found, block, written)
        return not isinstance(found, Mistake)

    def nothing_read(self, found: list[StatementBlock]) -> WorkloadError:
        """The error of a file none of whose statements can be read."""
        problems = [Problem(what=gap.what, where=gap.where) for gap in self.gaps]
        if all(block.is_called_by_its_line for block in found):
            move = "name a file of SQL statements, or a model.yaml with a workload"
            problems[-1] = replace(problems[-1], next_move=move)
        return WorkloadError(*problems)

    def statement(self, block: StatementBlock) -> Statement | None:
        """The statement of a block; None, and a gap, when it cannot be read."""
        for what, line in block.mistakes:
            self.gap(_in_statement(block.name, what), f"{line}")
        if not block.sql:
            self.left_out.append(block.name)
            return None
        if self._is_taken(block):
            self.left_out.append(f"{block.name} (line {block.line})")
            return None
        written = normalise(block.sql, self.dialect)
        found = footprint(written.sql, self.model, self.dialect, self.links)
        if isinstance(found, Mistake):
            self._mistake(found, block, written)
            self.left_out.append(block.name)
            return None
        for mistake in found.mistakes:
            self._mistake(mistake, block, written)
        if found.mistakes:
            (self.in_part if found.accesses else self.left_out).append(block.name)
        for entity in sorted({each.entity for each in found.accesses if each.kind.writes} & self.read_only):
            self.gap(f"read only: `{entity}` is written by statement `{block.name}`", f"{block.line}")
        return Statement(
            name=block.name,
            sql=apply_edits(written.sql, [(start, end, sql_text(value)) for start, end, value in found.texts]),
            kind=found.kind,
            rate_per_second=_rate(block),
            dialect=self.dialect,
            parameters=written.parameters,
            samples=self._samples(block, written.parameters),
            accesses=found.accesses,
            limit=found.limit,
            quantiles=self._quantiles(block, written.parameters),
            measured_seconds=block.measured_seconds,
            asked_with=block.asked_with,
        )

    def _is_taken(self, block: StatementBlock) -> bool:
        first = self._lines_by_name.setdefault(block.name, block.line)
        if first != block.line:
            what = f"statement `{block.name}` appears twice, in lines {first} and {block.line}; the first one counts"
            self.gap(what, f"{block.line}")
        return first != block.line

    def _mistake(self, mistake: Mistake, block: StatementBlock, written: Normalised) -> None:
        offset = block.offset + written.original(mistake.offset)
        line_start = self.text.rfind("\n", 0, offset) + 1
        line = self.text.count("\n", 0, offset) + 1
        self.gap(_in_statement(block.name, mistake.what), f"{line}:{offset - line_start + 1}", mistake.kind)

    def _samples(self, block: StatementBlock, parameters: tuple[str, ...]) -> tuple[tuple[str, object], ...]:
        """Sample values by parameter; a list gives them in order."""
        given, known = block.samples, name_list(parameters) or "none"
        if isinstance(given, list):
            if len(given) > len(parameters):
                what = f"params has {counted(len(given), 'value')}, but its parameters are {known}"
                self.gap(_in_statement(block.name, what), f"{block.line}")
            given = dict(zip(parameters, given, strict=False))  # fewer are allowed, as in a map
        if not isinstance(given, dict):
            return ()
        for name in given.keys() - set(parameters):
            self.gap(
                _in_statement(block.name, f"params names `{name}`, but its parameters are {known}"), f"{block.line}"
            )
        return tuple((name, given[name]) for name in parameters if name in given)

    def _quantiles(self, block: StatementBlock, parameters: tuple[str, ...]) -> tuple[tuple[str, float], ...]:
        for name in dict(block.quantiles).keys() - set(parameters):
            known = name_list(parameters) or "none"
            what = f"quantiles names `{name}`, but its parameters are {known}"
            self.gap(_in_statement(block.name, what), f"{block.line}")
        return tuple((name, share) for name, share in block.quantiles if name in parameters)

    def gap_of_many(self, before: str, found: list[StatementBlock], after: str) -> None:
        """One gap for many statements with the same one, in the line of the first."""
        if found:
            first, *others = found
            shown = first_of([f"`{first.name}`", *(f"`{each.name}` (line {each.line})" for each in others)], 8)
            self.gap(f"{before} {shown}: {after}", f"{first.line}")


def _rate(block: StatementBlock) -> float:
    if block.rate_per_second is None:
        return DEFAULT_RATE_PER_SECOND
    return weighed_rate(block.rate_per_second)
