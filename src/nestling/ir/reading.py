"""The result of reading a source: model, workload, statistics, and gaps for what could not be understood."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, assert_never

from nestling.common.errors import GapError, Problem, name_list
from nestling.ir.model import Model
from nestling.ir.quantity_words import agreeing, counted
from nestling.ir.statistics import Statistics
from nestling.ir.workload import Statement, Workload

if TYPE_CHECKING:
    from nestling.ir.capture.coverage import Watched
    from nestling.ir.proposal import Proposal
    from nestling.ir.statements.expression import Expression


class GapKind(StrEnum):
    """The cause of a gap; shown with the gap, unless it is the input itself."""

    NOTIMPL = "notimpl"  # nestling
    NOTYET = "notyet"  # this server version
    NEVER = "never"  # MongoDB cannot
    INPUT = "input"  # what was given: a name that does not exist, a rate nobody said, data read in part
    LOST = "lost"  # nestling, and a whole table with it: it is not in the model

    @property
    def words(self) -> str:
        """The cause in words for people; "" if the input itself is wrong."""
        match self:
            case GapKind.NOTIMPL:
                return "nestling does not convert this"
            case GapKind.NOTYET:
                return "this server version does not support it"
            case GapKind.NEVER:
                return "MongoDB cannot"
            case GapKind.INPUT:
                return ""
            case GapKind.LOST:
                return "nestling does not read this table"
            case _:
                assert_never(self)


BY_HAND = "rewrite it in SQL that is converted (docs/statements.md lists what is not), or write this statement by hand"
"""What to do about a statement that is not converted."""


@dataclass(frozen=True, slots=True)
class Gap:
    """Something that could not be understood or carried over; listed, never dropped in silence."""

    kind: GapKind
    what: str
    where: str = ""
    text: str = ""
    """The SQL it is about, as its dialect writes it; a long one is cut."""
    move: str = ""
    """What to do about it, where that is not what is done about other parts of statements."""
    index: str = ""
    """Of an index of the collection `where`, what makes it again (`ir/indexes/index_text.py`)."""

    def __str__(self) -> str:
        return f"{self.where}: {self.sentence}" if self.where else self.sentence

    @property
    def sentence(self) -> str:
        """What the gap is and where, and whose limitation it is unless the input itself is wrong."""
        what = self.what if self.text in self.what else f"{self.what}, in `{self.text}`"
        return f"{what} ({self.kind.words})" if self.kind.words else what

    @property
    def next_move(self) -> str:
        """What to do about a part of a statement; "" if the gap is not about a statement."""
        return (self.move or BY_HAND) if self.text and self.kind is not GapKind.INPUT else ""


def lost_tables(gaps: Iterable[Gap]) -> tuple[Gap, ...]:
    """The gaps about tables of a source that are missing in its model."""
    return tuple(gap for gap in gaps if gap.kind is GapKind.LOST)


@dataclass(frozen=True, slots=True)
class ConstantKinds:
    """What a constant may be beside a text."""

    json: bool = False
    times: bool = False
    numbers: bool = True


TEXTS_AND_NUMBERS = ConstantKinds()
ONLY_TEXTS = ConstantKinds(numbers=False)


class FoundGap(GapError):
    """The error of a gap: `gap` says what could not be handled, where, and whose limitation that is.

    `parameters` are in places that need a constant of these `kinds`: with their values the statement may be no gap. `about` is
    the expression that could not be rendered, if that is how the gap was found.
    """

    def __init__(self, gap: Gap, parameters: tuple[str, ...] = (), kinds: ConstantKinds = TEXTS_AND_NUMBERS) -> None:
        super().__init__(Problem(what=gap.sentence, where=gap.where, next_move=gap.next_move))
        self.gap = gap
        self.parameters = parameters
        self.kinds = kinds
        self.about: Expression | None = None

    def at(self, where: str) -> Gap:
        """The gap, with this place if it has none."""
        return replace(self.gap, where=self.gap.where or where)

    def __reduce__(self) -> tuple[type[FoundGap], tuple[Gap, tuple[str, ...], ConstantKinds]]:
        return type(self), (self.gap, self.parameters, self.kinds)


def constant_gap(construct: str, parameters: tuple[str, ...], where: str = "") -> Gap:
    """The gap of a construct that needs constants but has parameters, which it names."""
    if not parameters:
        return Gap(GapKind.NOTIMPL, construct, where)
    are = agreeing(len(parameters), "is a parameter", "are parameters")
    it = agreeing(len(parameters), "it", "them")
    move = f"a Store binds {it} when it has the value, `convert --bind` takes {it} from `-- params: {{…}}`"
    return Gap(GapKind.NOTIMPL, f"{construct}: {name_list(parameters)} {are}; {move}", where)


@dataclass(frozen=True, slots=True)
class Today:
    """The design that a live database has. `watched`: the basis of the workload, None if a file gave it."""

    in_place: Proposal
    watched: Watched | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """The result of reading one source.

    `origin` is its redacted address; `dialect` is `sqlite`, `postgresql`, `mysql` or empty. `notes` are facts for people
    without any loss (a key demoted because it holds NULLs, a view left out). `today`: the existing design of a live MongoDB, so
    that changes can be weighed against it.
    """

    model: Model
    workload: Workload = Workload()
    statistics: Statistics = Statistics()
    gaps: tuple[Gap, ...] = ()
    notes: tuple[str, ...] = ()
    origin: str = ""
    dialect: str = ""
    today: Today | None = field(default=None, compare=False, repr=False)

    def __repr__(self) -> str:
        """The text for a shell: the name, the origin and the sizes."""
        parts = (
            counted(len(self.model.entities), "entity"),
            counted(len(self.model.relationships), "relationship"),
            counted(len(self.workload.statements), "statement"),
            counted(len(self.gaps), "gap"),
        )
        return f"<Reading {self.model.name!r} of {self.origin or 'no source'}: {', '.join(parts)}>"

    def _repr_html_(self) -> str:
        from nestling.ir.words.notebook import reading_html

        return reading_html(self)

    def dialect_of(self, statement: Statement) -> str:
        """The dialect of a statement: its own, or else the source's; "" if neither is given, which is read as SQLite."""
        return statement.dialect or self.dialect
