"""Runs the workload's reads on the SQL source and on all rivals, before anything is written to these.

A rival whose answer differs from the source's is disqualified. If all rivals give the same different answer, the conversion of
the statement is wrong, not a design, and the statement is excluded from the measurement. Notes name what the source cannot be
asked or does not answer in time, and where SQL leaves a choice. Before an answer counts as different, the rows are compared: if
others write to the source, they may not be the rows that were loaded.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from functools import cache
from time import perf_counter

from nestling.common.errors import ConnectionFailed, LoadError, NestlingError, RebuildError, SourceError
from nestling.executors.drive import AnswerShape, Likeness, StatementAnswer, both_right, execute, likeness, row_text
from nestling.executors.drive.execution import execute_exact
from nestling.ir.programs.compiled import CompiledRead, OutputColumn
from nestling.ir.proof import OtherAnswer, SourceComparison
from nestling.ir.reading import Reading
from nestling.ir.statements.read_locks import ReadLock
from nestling.ir.trace import Execution, Tracer
from nestling.ir.types import TEXTS
from nestling.ir.workload import Statement
from nestling.pipeline.close_comparisons import LAST_DIGITS, decided_by_last_digits
from nestling.pipeline.loading import home_queries
from nestling.pipeline.possible_rows import is_impossible
from nestling.pipeline.proving.contender import TWIN, Contender, in_race
from nestling.pipeline.proving.effort import Effort
from nestling.pipeline.proving.loading import POLICY, Rows
from nestling.pipeline.proving.side_by_side import leave_out_slow
from nestling.pipeline.source_answers import AskedSource, SourceAnswer

SourceOpener = Callable[[], AbstractContextManager[AskedSource]]


_OF_LOCKS = frozenset(lock.note for lock in ReadLock)
"""Notes that do not affect the answer if nobody else writes."""


@dataclass(frozen=True, slots=True)
class BesideSource:
    """The result. `shapes`: how far the statements fix their answers, as far as is now known."""

    comparison: SourceComparison
    shapes: Mapping[str, AnswerShape]

    @property
    def left_out(self) -> frozenset[str]:
        """The statements whose conversion is wrong."""
        return frozenset(each.statement for each in self.comparison.differences if each.everywhere)


def beside_source(
    contenders: list[Contender],
    reading: Reading,
    tracer: Tracer,
    shapes: Mapping[str, AnswerShape],
    effort: Effort,
    source: SourceOpener | str,
    rows: Rows,
) -> BesideSource:
    """Compare the answers, and disqualify rivals that answer differently.

    `source` may be a text that says why there is none.
    """
    reads = tuple(each for each in reading.workload.statements if not each.kind.writes)
    if isinstance(source, str) or not reads:
        why_not = source if isinstance(source, str) else "the workload has no reads"
        return BesideSource(SourceComparison(why_not=why_not), shapes)
    try:
        with source() as opened:
            found = _Comparison(opened, reading, reads, dict(shapes), effort)
            found.ask(contenders, tracer)
            found.disqualify(contenders, rows)
            return BesideSource(found.told(), found.shapes)
    except (SourceError, ConnectionFailed) as error:
        return BesideSource(SourceComparison(why_not=error.problems[0].text()), shapes)


@dataclass(frozen=True, slots=True)
class _Suspect:
    """An execution a rival answered otherwise than the source; `everywhere`: all rivals gave this answer."""

    by: Contender
    call: Execution
    expected: StatementAnswer
    found: StatementAnswer
    everywhere: bool = False


@dataclass(slots=True)
class _Comparison:
    """The result so far.

    `without`: why a read is not, or no longer, compared. `choices`: where SQL leaves a choice to a read whose answers differ.
    """

    source: AskedSource
    reading: Reading
    reads: Sequence[Statement]
    shapes: dict[str, AnswerShape]
    effort: Effort
    answers: Counter[str] = field(default_factory=Counter)
    without: dict[str, str] = field(default_factory=dict)
    choices: dict[str, str] = field(default_factory=dict)
    suspects: list[_Suspect] = field(default_factory=list)
    differences: list[OtherAnswer] = field(default_factory=list)

    def ask(self, contenders: list[Contender], tracer: Tracer) -> None:
        """Run the reads in turn, so that each has run at least once when time is up."""
        until = perf_counter() + self.effort.source_seconds
        known: set[tuple[str, str]] = set()
        for _ in range(self.effort.source_answers):
            for call in tracer.block({each.name: 1 for each in self.reads}):
                key = (call.statement, repr(sorted(call.values.items())))
                left = until - perf_counter()
                if left > 0 and call.statement not in self.without and key not in known:
                    known.add(key)
                    self._one(in_race(contenders), call, min(left, self.effort.source_seconds / 2))
        for each in self.reads:
            if not self.answers[each.name]:
                self.without.setdefault(each.name, f"the {self.effort.source_seconds:g} s for this ran out first")

    def _one(self, racing: list[Contender], call: Execution, seconds: float) -> None:
        if any(call.instead.takes_time(_read(each, call)) for each in racing):
            self.without[call.statement] = "it uses the current time"
            return
        statement = next(each for each in self.reads if each.name == call.statement)
        try:
            expected = self.source.answer(statement.sql, self.reading.dialect_of(statement), call.values, seconds)
        except NestlingError as error:
            self.without[call.statement] = error.problems[0].what
            return
        took: dict[str, float] = {}
        suspects: list[_Suspect] = []
        for each in racing:
            took[each.name], answer = execute(each.running, call)
            suspects += self._judge(each, call, expected, answer, seconds)
        if suspects and self._by_last_digits(statement, suspects, seconds):
            self.without[call.statement] = LAST_DIGITS
            shape = self.shapes[call.statement]
            self.shapes[call.statement] = replace(shape, any_rows=True, choice=LAST_DIGITS)
        else:
            everywhere = len(suspects) == len(racing) and all(self._alike(suspects[0], each) for each in suspects)
            self.suspects += [replace(each, everywhere=everywhere) for each in suspects]
        leave_out_slow(racing, call.statement, took, self.effort.patience_seconds)
        self.answers[call.statement] += 1

    def _judge(
        self, each: Contender, call: Execution, expected: SourceAnswer, answer: StatementAnswer, seconds: float
    ) -> Iterator[_Suspect]:
        """A failure is judged when the rivals are compared, and so is a copy that is rough on purpose."""
        columns, shape = _read(each, call).columns, self.shapes[call.statement]
        if answer.failed or (alike := expected.likeness(answer, columns, shape)) is Likeness.EQUAL:
            return
        exact = execute_exact(each.running, call)
        if exact is not None and (alike := expected.likeness(exact, columns, shape)) is Likeness.EQUAL:
            return
        theirs, ours = expected.shown(columns), expected.design_shown(exact or answer, columns)
        if alike is Likeness.OPEN and not self._is_impossible(each, call, ours, seconds):
            self.choices[call.statement] = shape.choice
            return
        if self.source.language_orders and _depends_on_language(theirs, ours, columns, shape):
            self.without[call.statement] = f"only the order of texts differs: {self.source.language_orders[0]}"
            return
        if told := [note for note in _read(each, call).notes if note not in _OF_LOCKS]:
            self.without[call.statement] = told[0]
            return
        yield _Suspect(each, call, theirs, ours)

    def _is_impossible(self, each: Contender, call: Execution, answer: StatementAnswer, seconds: float) -> bool:
        """Whether an answer has rows that the source cannot choose, as far as the source can be asked."""
        statement = next(read for read in self.reads if read.name == call.statement)
        dialect, columns = self.reading.dialect_of(statement), _read(each, call).columns

        def ask(sql: str, places: Sequence[int] | None) -> Sequence[tuple[object, ...]]:
            shown = columns if places is None else [columns[place] for place in places]
            return self.source.answer(sql, dialect, call.values, seconds).shown(shown).rows

        try:
            return is_impossible(statement.sql, dialect, ask, answer, self.shapes[call.statement])
        except NestlingError:
            return False  # the source does not take the changed statement, so nothing is known

    def _alike(self, one: _Suspect, other: _Suspect) -> bool:
        return both_right(one.found, other.found, self.shapes[one.call.statement])

    def _by_last_digits(self, statement: Statement, suspects: Sequence[_Suspect], seconds: float) -> bool:
        """Whether the last digits of a sum decide which rows are in the answer."""
        dialect, call = self.reading.dialect_of(statement), suspects[0].call
        columns, shape = _read(suspects[0].by, call).columns, self.shapes[statement.name]

        @cache
        def ask(sql: str) -> Sequence[tuple[object, ...]]:
            return self.source.answer(sql, dialect, call.values, seconds).shown(columns).rows

        def decide(each: _Suspect) -> bool:
            answers = (each.expected, each.found)
            return decided_by_last_digits(statement.sql, self.reading.model, dialect, ask, answers, shape)

        try:
            return all(map(decide, suspects))
        except NestlingError:
            return False  # the source does not take the changed statement, so nothing is known

    def disqualify(self, contenders: list[Contender], rows: Rows) -> None:
        """Disqualify the rivals that answered differently, unless the source no longer holds the rows that were loaded."""
        if not self.suspects:
            return
        first = min((each.by for each in self.suspects), key=contenders.index)
        changed = _changed(first, rows)  # all were loaded with the same rows: one tells for all
        for name in dict.fromkeys(each.call.statement for each in self.suspects):
            suspects = [each for each in self.suspects if each.call.statement == name]
            statement = next(each for each in self.reads if each.name == name)
            touched = {access.entity for access in statement.accesses} or set(changed)
            if touched & set(changed):
                names = ", ".join(f"`{entity}`" for entity in sorted(touched & set(changed)))
                self.without[name] = f"the source's rows of {names} changed after they were loaded"
                continue
            self._differs(suspects)

    def _differs(self, suspects: list[_Suspect]) -> None:
        one = suspects[0]
        expected, found = _answer_words(one.expected, one.found), _answer_words(one.found, one.expected)
        everywhere = all(each.everywhere for each in suspects)
        for each in () if everywhere else suspects:
            theirs, ours = _answer_words(each.expected, each.found), _answer_words(each.found, each.expected)
            each.by.out(
                f"`{each.call.statement}` gives another answer than the source ({self.source.product}): {ours}, where the"
                f" source gives {theirs}"
            )
        designs = dict.fromkeys(each.by.name for each in suspects if each.by.name != TWIN)
        values = tuple(one.call.values.items())
        self.differences.append(OtherAnswer(one.call.statement, values, expected, found, tuple(designs), everywhere))

    def told(self) -> SourceComparison:
        """All of it."""
        wrong = {each.statement for each in self.differences}
        fine = [each.name for each in self.reads if each.name not in {*wrong, *self.without, *self.choices}]
        return SourceComparison(
            self.source.product,
            sum(self.answers[name] for name in fine),
            len(fine),
            tuple((name, why) for name, why in self.choices.items() if name not in {*wrong, *self.without}),
            tuple((name, why) for name, why in self.without.items() if name not in wrong),
            tuple(self.differences),
        )


def _read(each: Contender, call: Execution) -> CompiledRead:
    read = each.running.statements[call.statement]
    assert isinstance(read, CompiledRead), call.statement
    return read


def _depends_on_language(
    one: StatementAnswer, other: StatementAnswer, columns: Sequence[OutputColumn], shape: AnswerShape
) -> bool:
    """Whether a language's sort order may explain the difference between two answers.

    It may affect a window, the rows that a LIMIT takes, or the order of the same rows.
    """
    if shape.inner_texts:
        return True
    if len(one.rows) != len(other.rows) or not any(columns[place].type.name in TEXTS for place in shape.ordered_by):
        return False
    return shape.limited or likeness(one, other, AnswerShape()) is Likeness.EQUAL


def _changed(each: Contender, rows: Rows) -> tuple[str, ...]:
    """Return the entities whose rows in the source have changed since the load; all of them if they cannot be read."""
    from nestling.executors.verify import verify

    design = each.proposal.design
    try:
        report = verify(design.model, home_queries(design), rows(design.model), each.database, policy=POLICY, shown=0)
    except RebuildError:
        return ()
    except (LoadError, SourceError):
        return tuple(entity.name for entity in design.model.entities)
    return tuple(name for name, verdict in report.entities.items() if not verdict.equal)


def _answer_words(answer: StatementAnswer, beside: StatementAnswer) -> str:
    """An answer in words, with the first row that the other one has not in its place, or not at all."""
    count = f"{len(answer.rows):,} {'row' if len(answer.rows) == 1 else 'rows'}"
    for row in _others(answer, beside):
        return f"{count}, such as {row!r:.160}"
    return count


def _others(answer: StatementAnswer, beside: StatementAnswer) -> Iterator[tuple[object, ...]]:
    """Yield rows that the other answer lacks, then those at a different position."""
    there = Counter(map(row_text, beside.rows))
    for row in answer.rows:
        if not there[row_text(row)]:
            yield row
        there[row_text(row)] -= 1
    pairs = zip(answer.rows, beside.rows, strict=False)
    yield from (one for one, other in pairs if row_text(one) != row_text(other))
