"""A capture as statements of a workload, with rates; what SQL does not say is a gap."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import partial

from nestling.common.errors import DesignError
from nestling.ir.capture import Capture, CommandOperation, CommandShape, ShapeTotals
from nestling.ir.capture.capture import LEAST_SECONDS
from nestling.ir.capture.tally import lists_of
from nestling.ir.design import Design
from nestling.ir.free_names import free_name
from nestling.ir.quantity_words import LEAST_MEASURED, UNDER, cut
from nestling.ir.rate import full_rate, rate_text
from nestling.ir.reading import Gap, GapKind
from nestling.ir.statistics import Statistics
from nestling.ir.workload import LEAST_WINDOW_SECONDS
from nestling.sources.capture.sql.application_joins import JoinedStatement, joined
from nestling.sources.capture.sql.documents import StatementDraft, Written
from nestling.sources.capture.sql.field_values import AskedByKind, AskedOfOtherKind, LeftOut, NotExpressible
from nestling.sources.capture.sql.forms import check_forms, pipeline
from nestling.sources.capture.sql.quantiles import quantiles_of
from nestling.sources.capture.sql.reads import pipeline_of, selects
from nestling.sources.capture.sql.words import Parameters, plain
from nestling.sources.capture.sql.writes import writes

LONGEST_SHAPE = 300
"""Characters of a shape that the workload file shows."""
BULK = 100
"""Documents of one command from which on it is taken for a fill rather than for what an application asks."""
ONCE = "seen once, with {:,.0f} documents: its rate counts the one command, not its documents"
FILLED = "one of its commands inserted {:,.0f} documents: its rate counts this command, not its documents"
OF_COLLATION = "it compares texts by its own collation; the SQL statement compares them by that of the columns"


@dataclass(frozen=True, slots=True)
class CapturedStatement:
    """A statement: its name, SQL, rate a second, sample values, where the ends of its range lie among the attribute's values, the
    shapes it says in words, and what is to be known of it. `measured_seconds` and `asked_with` as in `Statement`.
    """

    name: str
    sql: str
    rate_per_second: float
    samples: tuple[tuple[str, object], ...] = ()
    quantiles: tuple[tuple[str, float], ...] = ()
    origin: str = ""
    notes: tuple[str, ...] = ()
    measured_seconds: float | None = None
    asked_with: str = ""


@dataclass(frozen=True, slots=True)
class NotExpressed:
    """A statement that SQL over the model does not say: a name for it, its rate a second, and why."""

    name: str
    rate_per_second: float
    gap: Gap


@dataclass(slots=True)
class CapturedWorkload:
    """Statements of so many seconds, most frequent first; those that cannot be said, likewise; what was not looked at; and writes
    that change no row, such as the upkeep of copies.
    """

    window_seconds: float
    statements: list[CapturedStatement] = field(default_factory=list)
    not_expressed: list[NotExpressed] = field(default_factory=list)
    skipped: list[Gap] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)

    @property
    def gaps(self) -> tuple[Gap, ...]:
        """What SQL cannot express, the most frequent first, then what was not examined."""
        return (*(each.gap for each in self.not_expressed), *self.skipped)

    def text(self) -> str:
        """The text of the workload file."""
        return "\n".join((*_lines(self), ""))


def workload_of(capture: Capture, design: Design, statistics: Statistics | None = None) -> CapturedWorkload:
    """A capture over the model of the design its documents follow; `statistics`: of these."""
    found = CapturedWorkload(max(capture.window_seconds, LEAST_SECONDS))
    grown, numbers = _grown(capture), statistics or Statistics()
    databases = {seen.shape.database for seen in capture.seen}

    def is_said(each: JoinedStatement) -> bool:
        said = grown.get(each.seen.shape.namespace, set())
        try:
            _kinds_made(each, design, said, numbers)
        except LeftOut:
            return True
        except (NotExpressible, DesignError):
            return False
        return True

    for each in joined(capture, design, is_said):
        _say(
            found,
            each,
            design,
            numbers,
            several=len(databases) > 1,
            whole=not capture.slow_only,
            grown=grown.get(each.seen.shape.namespace, set()),
        )
    for skipped in capture.skipped:
        found.skipped.append(Gap(GapKind.INPUT, skipped.why, skipped.what))
    found.statements.sort(key=lambda said: -said.rate_per_second)
    found.not_expressed.sort(key=lambda refused: -refused.rate_per_second)
    return found


def _grown(capture: Capture) -> dict[str, set[str]]:
    """For each collection, the paths of the arrays that updates were seen to add to."""
    found: dict[str, set[str]] = {}
    for shape in (seen.shape for seen in capture.seen):
        changes = shape.clauses.get("u", shape.clauses.get("update"))
        for operator in ("$push", "$addToSet"):
            added = changes.get(operator) if isinstance(changes, dict) else None
            found.setdefault(shape.namespace, set()).update(added if isinstance(added, dict) else ())
    return found


def _say(
    found: CapturedWorkload,
    each: JoinedStatement,
    design: Design,
    statistics: Statistics,
    *,
    several: bool,
    whole: bool,
    grown: AbstractSet[str],
) -> None:
    seen, shape = each.seen, each.seen.shape
    origin = shape_text(shape, several=several)
    try:
        kinds, made = _kinds_made(each, design, grown, statistics)
    except LeftOut as why:
        found.left_out.append(f"{origin} ({full_rate(_rounded(each.rate))}): {why}")
        return
    except (NotExpressible, DesignError) as problem:
        rate = _rounded(each.rate)
        gap = Gap(GapKind.NOTIMPL, str(problem), f"{origin} ({full_rate(rate)})")
        found.not_expressed.append(NotExpressed(_free(_name(shape), found), rate, gap))
        return
    base, rows = _name(shape), _rows_each(seen) if shape.operation is CommandOperation.INSERT else 1.0
    filled, names = _filled(seen, found.window_seconds), _names(base, made, found)
    for (_, sql, draft), name in zip(made, names, strict=True):
        rate = each.rate * (_rows_beside(seen, filled) if filled else rows) / max(len(kinds), 1)
        every = f"which kind is queried is unknown: the rate is divided among {', '.join(kinds)}"
        only = f"taken to query {', '.join(kinds)}: no other kind has the fields it filters by"
        shared = [only if len(kinds) == 1 else every, "each row is taken to be of one kind"] if kinds else []
        told = ((ONCE if seen.times == 1 else FILLED).format(filled),) if filled else ()
        notes = tuple(dict.fromkeys((*each.notes, *shared, *told, *draft.notes)))
        samples = tuple(draft.parameters.samples.items())
        quantiles = tuple(one for one in _quantiles(seen, draft, statistics) if one[0] not in dict(samples))
        first = _first(draft.kind, made, names)
        is_first, is_timed = first == name, whole and not each.stages and not filled
        measured = _seconds(seen) if is_first and is_timed else None
        beside = "" if is_first or filled else first
        found.statements.append(
            CapturedStatement(name, sql, _rounded(rate), samples, quantiles, origin, notes, measured, beside)
        )


def _names(base: str, made: Iterable[Written], found: CapturedWorkload) -> list[str]:
    """A name for each statement of a command, which no other has."""
    names: list[str] = []
    for suffix, _, draft in made:
        parts = (plain(part) for part in (draft.kind, suffix) if part)
        names.append(_free("_".join((base, *parts)), found, names))
    return names


def _first(kind: str, made: Iterable[Written], names: Iterable[str]) -> str:
    """The statement of a command with which its others are asked: that about the documents themselves, or else the first."""
    alike = [(suffix, name) for (suffix, _, draft), name in zip(made, names, strict=True) if draft.kind == kind]
    return next((name for suffix, name in alike if not suffix), alike[0][1])


def _quantiles(seen: ShapeTotals, draft: StatementDraft, statistics: Statistics) -> tuple[tuple[str, float], ...]:
    if draft.kind or not draft.parameters.asked:
        return ()
    (root,) = draft.store(seen.shape.collection).roots
    return quantiles_of(seen, draft, statistics.entity(root.entity))


def _kinds_made(
    each: JoinedStatement, design: Design, grown: AbstractSet[str], statistics: Statistics
) -> tuple[tuple[str, ...], list[Written]]:
    """The kinds that a shape may ask for, if its collection has several, and its statements. Raises NotExpressible."""
    check_forms(each.seen.shape)
    pipeline(list(each.stages))
    try:
        return (), _made(each, design, grown, "", statistics)
    except AskedByKind as asked:
        by_kind = _by_kind(each, design, grown, asked.kinds, statistics)
        return tuple(by_kind), [one for several in by_kind.values() for one in several]


def _by_kind(
    each: JoinedStatement, design: Design, grown: AbstractSet[str], kinds: Iterable[str], statistics: Statistics
) -> dict[str, list[Written]]:
    """The statements of each kind a shape may ask for; those left out have no field it goes by. Raises NotExpressible."""
    found: dict[str, list[Written]] = {}
    refused: list[NotExpressible] = []
    for kind in kinds:
        try:
            found[kind] = _made(each, design, grown, kind, statistics)
        except AskedOfOtherKind as problem:
            refused.append(problem)
    if not found:
        raise refused[0]
    return found


def _made(
    each: JoinedStatement, design: Design, grown: AbstractSet[str], kind: str, statistics: Statistics
) -> list[Written]:
    """The statements of a shape; `kind`: the value a discriminator is compared with. Raises NotExpressible."""
    shape, new = each.seen.shape, partial(_begin, design, each.seen, kind, statistics)
    if shape.operation.reads:
        return list(selects(new, shape.collection, [*pipeline_of(shape), *each.stages]))
    return list(writes(new, shape, grown))


def _begin(design: Design, seen: ShapeTotals, kind: str, statistics: Statistics) -> StatementDraft:
    listed = seen.listed / seen.count if seen.count else 1
    lists = sum(1 for _ in lists_of(seen.shape.clauses))
    notes = [OF_COLLATION] if "collation" in seen.shape.clauses else []
    parameters = Parameters(dict(seen.samples))
    return StatementDraft(design, parameters, listed=listed, lists=lists, kind=kind, notes=notes, statistics=statistics)


def _filled(seen: ShapeTotals, window_seconds: float) -> float:
    """The documents of the one command that filled the collection, of which no rate follows in so short a time; 0 if none did."""
    written = seen.written * seen.times / seen.count if seen.count else 0.0
    most = seen.most_written or (written if seen.times == 1 else 0.0)
    is_insert = seen.shape.operation is CommandOperation.INSERT
    if not is_insert or most < BULK or window_seconds >= LEAST_WINDOW_SECONDS:
        return 0.0
    return most if written - most < BULK * max(seen.times - 1, 1) else 0.0


def _rows_beside(seen: ShapeTotals, filled: float) -> float:
    """Rows for each command, where those of one that filled the collection count as one."""
    written = seen.written * seen.times / seen.count
    return max((written - filled + 1) / seen.times, 1.0)


def _seconds(seen: ShapeTotals) -> float | None:
    """How long the command took each time, an insert for each of its rows; None where nobody measured it.

    Nothing where it took less than a millisecond, as most servers measure no less.
    """
    rows = _rows_each(seen) if seen.shape.operation is CommandOperation.INSERT else 1.0
    if not seen.count or not seen.seconds:
        return None
    each = seen.seconds / seen.count
    return each / rows if each >= LEAST_MEASURED else 0.0


def _rows_each(seen: ShapeTotals) -> float:
    return max(seen.written / seen.count, 1.0) if seen.count else 1.0


def _rounded(rate: float) -> float:
    """A number rounded to three digits in its unit: more would pretend to be exact."""
    seconds = next((unit for unit in (1.0, 60.0, 3_600.0) if rate * unit >= 1), 86_400.0)
    return float(f"{rate * seconds:.3g}") / seconds


def _name(shape: CommandShape) -> str:
    clauses = shape.clauses
    condition = clauses.get("filter") or clauses.get("query") or clauses.get("q") or _first_match(clauses)
    names = [plain(path.replace("_id.", "")) for path in condition if not path.startswith("$")][:3]
    by = f"_by_{'_and_'.join(name if name != 'id' else 'id' for name in names)}" if names else ""
    return f"{shape.operation.value.lower().replace('findandmodify', 'modify')}_{plain(shape.collection)}{by}"


def _first_match(clauses: dict[str, object]) -> dict[str, object]:
    pipeline = clauses.get("pipeline")
    first = pipeline[0].get("$match", {}) if isinstance(pipeline, list) and pipeline else {}
    return first if isinstance(first, dict) else {}


def _free(base: str, found: CapturedWorkload, others: Iterable[str] = ()) -> str:
    taken = {*others, *(each.name for each in found.statements), *(each.name for each in found.not_expressed)}
    return free_name(base, taken)


def shape_text(shape: CommandShape, *, several: bool = False) -> str:
    """A shape in one line, for people."""
    text = f"{shape.namespace if several else shape.collection}.{shape.operation} {shape.text}"
    return cut(text, LONGEST_SHAPE)


def _lines(workload: CapturedWorkload) -> Iterator[str]:
    yield "-- Statements captured from a MongoDB, as SQL over the model. Written by `nestling capture`; edit it as you like."
    yield f"-- window: {workload.window_seconds:.1f} s"
    for said in workload.statements:
        yield f"\n-- name: {said.name}, rate: {rate_text(said.rate_per_second)}"
        yield f"-- seen: {_one_line(said.origin)}"
        yield from (f"-- note: {_one_line(note)}" for note in said.notes)
        if said.samples:
            yield f"-- params: {json.dumps(dict(said.samples), default=str)}"
        if said.quantiles:
            yield f"-- quantiles: {json.dumps(dict(said.quantiles))}"
        if said.measured_seconds is not None:
            yield f"-- measured: {f'{said.measured_seconds * 1e3:.3g} ms' if said.measured_seconds else UNDER}"
        if said.asked_with:
            yield f"-- asked: with {said.asked_with}"
        yield f"{said.sql};"
    for title, texts in (("Not said", map(str, workload.gaps)), ("Left out", workload.left_out)):
        lines = [f"-- {_one_line(text)}" for text in texts]
        yield from (f"\n-- {title}:", *lines) if lines else ()


def _one_line(text: str) -> str:
    return " ".join(text.split())
