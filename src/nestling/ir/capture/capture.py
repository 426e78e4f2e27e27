"""What was captured: shapes with sums, over a stretch of time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from enum import StrEnum

from nestling.common.errors import InputError, Problem
from nestling.ir.capture.masking_check import is_sound
from nestling.ir.capture.shape import CommandOperation, CommandShape
from nestling.ir.facts.collection import Skipped
from nestling.ir.facts.statement import LastSeen
from nestling.ir.noun_json import noun_text, read_noun

FORM = "nestling capture 1"
"""What the file says it is; a later, different form gets another number."""
LEAST_SECONDS = 1.0
"""A capture is never taken to be shorter, so that a handful of commands at once gives no wild rates."""


class CaptureKind(StrEnum):
    """Where statements were captured."""

    PROFILER = "profiler"
    LOG = "log"
    QUERY_STATS = "query stats"
    RECORDER = "recorder"


@dataclass(frozen=True, slots=True)
class ShapeTotals:
    """A shape, how often it was seen, and sums over all times: what the server looked at, returned, wrote, and its seconds.

    The sums are no whole numbers where captures of several lengths became one. `listed`: values in its `$in` lists. `samples`:
    one value each for places such as `price $gt`, only when asked for. `times`: in how many commands it was seen, whatever their
    captures' lengths; 0: not known. `last`: its latest execution; None where times are not noted.
    `matched`: the share of the collection's documents that its condition lets through, where that was asked. `most_written`: by
    one command, whatever the captures' lengths; 0: not known.
    """

    shape: CommandShape
    count: float
    seconds: float = 0.0
    documents_examined: float = 0
    keys_examined: float = 0
    returned: float = 0
    written: float = 0
    listed: float = 0
    collection_scans: float = 0
    samples: tuple[tuple[str, object], ...] = ()
    times: float = 0
    last: LastSeen | None = None
    matched: float | None = None
    most_written: float = 0


_NO_SUMS = frozenset({"shape", "samples", "times", "last", "matched", "most_written"})
_SUMS = tuple(each.name for each in fields(ShapeTotals) if each.name not in _NO_SUMS)


@dataclass(frozen=True, slots=True)
class Follow:
    """An application join: `second` (`field` equals or is `$in` …) asks for what `path` of the documents `first` returned holds.

    Of the `tried` times `second` was looked at, it asked for such values `times` times. An empty `path`: not known which.
    """

    first: CommandShape
    second: CommandShape
    field: str
    path: str
    times: int
    tried: int

    @property
    def share(self) -> float:
        """The share of the second statement's executions that belong to this join."""
        return self.times / self.tried if self.tried else 0.0


@dataclass(frozen=True, slots=True)
class Capture:
    """Statements seen within `window_seconds`, the joins the application made of them, and what was left out, with the reason.

    `slow_only`: only statements that took long were noted.
    """

    kind: CaptureKind
    window_seconds: float
    seen: tuple[ShapeTotals, ...] = ()
    follows: tuple[Follow, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    slow_only: bool = False

    def rate(self, seen: ShapeTotals) -> float:
        """The number of executions per second."""
        return seen.count / max(self.window_seconds, LEAST_SECONDS)


def capture_text(capture: Capture) -> str:
    """A capture as text; `read_capture` gives it back."""
    return noun_text(capture, FORM)


def read_capture(text: str, where: str = "") -> Capture:
    """A capture from its text; raises `InputError` that says where the text is not what it should be."""
    move = "record it again: nestling.recorder.Recorder(path), or nestling capture URI --save FILE"
    found = read_noun(Capture, FORM, text, where, what="a capture", next_move=move)
    shapes = {each.shape for each in found.seen} | {s for each in found.follows for s in (each.first, each.second)}
    odd = sorted(shape.text for shape in shapes if not is_sound(shape))
    if odd:
        raise InputError(
            *(Problem(f"{text[:60]!r} is not the shape of a statement", where, next_move=move) for text in odd)
        )
    return found


def merged(captures: Sequence[Capture]) -> Capture:
    """One capture of several: those of one kind add up; of two kinds that saw a statement, the one that saw more counts.

    What a recorder counted has the server's work of another kind that saw it, too: a client does not know any. Its window is
    the shortest of those that saw any statement: rates say no more than the shortest they were counted in.
    """
    window = min((max(each.window_seconds, LEAST_SECONDS) for each in captures if each.seen), default=LEAST_SECONDS)
    best: dict[CommandShape, ShapeTotals] = {}
    kinds: dict[CommandShape, CaptureKind] = {}
    measured: dict[CommandShape, ShapeTotals] = {}
    for kind in dict.fromkeys(each.kind for each in captures):
        added: dict[CommandShape, ShapeTotals] = {}
        for capture in (each for each in captures if each.kind is kind):
            factor = window / max(capture.window_seconds, LEAST_SECONDS)
            for seen in capture.seen:
                scaled = _scaled(seen, factor)
                added[seen.shape] = _sum(added[seen.shape], scaled) if seen.shape in added else scaled
        for shape, seen in added.items():
            if shape not in best or seen.count > best[shape].count:
                best[shape], kinds[shape] = seen, kind
            if kind is not CaptureKind.RECORDER and (shape not in measured or seen.count > measured[shape].count):
                measured[shape] = seen
    for shape in (each for each in measured if kinds[each] is CaptureKind.RECORDER):
        best[shape] = _with_work(best[shape], measured[shape])
    follows: dict[tuple[CommandShape, CommandShape, str, str], Follow] = {}
    for each in (follow for capture in captures for follow in capture.follows):
        key = (each.first, each.second, each.field, each.path)
        known = follows.get(key)
        follows[key] = (
            each if known is None else replace(each, times=known.times + each.times, tried=known.tried + each.tried)
        )
    skipped = tuple(dict.fromkeys(note for capture in captures for note in capture.skipped))
    first = captures[0].kind if captures else CaptureKind.RECORDER
    slow = bool(captures) and all(each.slow_only for each in captures)
    return Capture(first, window, tuple(_without_known(best, kinds)), tuple(follows.values()), skipped, slow)


def _without_known(
    best: Mapping[CommandShape, ShapeTotals], kinds: Mapping[CommandShape, CaptureKind]
) -> Iterator[ShapeTotals]:
    """What was seen without inserts of unknown documents that another kind saw, which knows the documents."""
    for shape, seen in best.items():
        if shape.operation is CommandOperation.INSERT and not shape.clauses.get("documents"):
            others = (
                each.count
                for other, each in best.items()
                if (other.operation, other.namespace) == (shape.operation, shape.namespace)
                and kinds[other] != kinds[shape]
            )
            left = max(seen.count - sum(others), 0)
            if left:
                yield _scaled(seen, left / seen.count)
        else:
            yield seen


def _with_work(seen: ShapeTotals, measured: ShapeTotals) -> ShapeTotals:
    """What a client counted, with the work that the server measured each time; it took no longer than the client waited."""
    work = _scaled(measured, seen.count / measured.count) if measured.count else seen
    names = ("documents_examined", "keys_examined", "collection_scans")
    seconds = min(seen.seconds, work.seconds) if work.seconds else seen.seconds
    return replace(seen, seconds=seconds, last=measured.last, **{name: getattr(work, name) for name in names})


def _scaled(seen: ShapeTotals, factor: float) -> ShapeTotals:
    return replace(seen, **{name: getattr(seen, name) * factor for name in _SUMS}) if factor != 1 else seen


def _sum(one: ShapeTotals, other: ShapeTotals) -> ShapeTotals:
    sums = {name: getattr(one, name) + getattr(other, name) for name in _SUMS}
    last = latest((one.last, other.last))
    most = max(one.most_written, other.most_written)
    samples = one.samples or other.samples
    return replace(one, **sums, samples=samples, times=one.times + other.times, last=last, most_written=most)


def latest(found: Iterable[LastSeen | None]) -> LastSeen | None:
    """The latest of some executions."""
    return max((each for each in found if each is not None), key=lambda each: each.moment, default=None)
