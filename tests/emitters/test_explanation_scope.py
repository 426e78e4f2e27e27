"""What a proposal says of a statement: by what its reasons are about, not by how they are worded."""

from __future__ import annotations

from nestling.emitters.explanation.explanation import explanation
from nestling.emitters.explanation.scope import COMPARISON_RULE, scope
from nestling.emitters.explanation.text import explanation_text
from nestling.ir.design import Design
from nestling.ir.model import Model
from nestling.ir.primitives import Bucket, BucketWindow, Collection, Document, Holder, Index, Reference, WindowUnit
from nestling.ir.proposal import Choice, Costs, Decision, Proposal, Reason, Weighed
from nestling.ir.reading import Gap, GapKind
from nestling.ir.statements.unconverted_gaps import unconverted_gaps
from tests.planner.homes.home_cases import LINE, ORDER, ORDER_LINE, entity


def test_a_statement_that_a_text_leaves_out() -> None:
    """A statement is among those a reason is about though its text tells only the first."""
    line = Document("line", references=(Reference(ORDER_LINE.name, Holder.CHILD),))
    collections = (Collection("orders", Document("order"), ("id",)), Collection("lines", line))
    reasons = (Reason("A9", "joined along by first (5/s) and 1 more", statements=("first", "second")),)
    decision = Decision(ORDER_LINE.name, Choice.PARENT_REFERENCE, reasons=reasons)
    count = Weighed(
        "count", "computed", False, -1.0, because="adds 2 ms/s in first (5/s)", statements=("first", "third")
    )
    costs = Costs(1.0, 1.0, "default", (("first", 0.1), ("second", 0.1), ("third", 0.1)))
    design = Design(Model("m", (ORDER, LINE), (ORDER_LINE,)), collections)
    proposal = Proposal("optimal", design, (decision,), weighed=(count,), costs=costs)
    assert scope(proposal, "second") == ((decision,), (), ())
    assert scope(proposal, "third") == ((), (count,), ())


def test_a_statement_that_is_not_converted() -> None:
    """What compares the costs of all statements is not about it; what names it as a cause is."""
    line = Document("line", references=(Reference(ORDER_LINE.name, Holder.CHILD),))
    collections = (Collection("orders", Document("order"), ("id",)), Collection("lines", line))
    compared = Reason(COMPARISON_RULE, "the runner-up adds 2 ms/s in first", statements=("first", "compared", "joined"))
    joined = Reason("A9", "joined along by joined (5/s)", statements=("joined",))
    decision = Decision(ORDER_LINE.name, Choice.PARENT_REFERENCE, reasons=(compared, joined))
    count = Weighed("count", "computed", False, -1.0, motives=("joined",), statements=("first", "compared"))
    lacking = unconverted_gaps((name, Gap(GapKind.NOTIMPL, "UNNEST() function")) for name in ("compared", "joined"))
    costs = Costs(1.0, 1.0, "default", (("first", 0.1), ("compared", 0.1), ("joined", 0.1)))
    design = Design(Model("m", (ORDER, LINE), (ORDER_LINE,)), collections)
    proposal = Proposal("optimal", design, (decision,), gaps=lacking, weighed=(count,), costs=costs)
    assert scope(proposal, "first") == ((decision,), (count,), ())
    assert scope(proposal, "joined") == ((decision,), (count,), ())
    assert scope(proposal, "compared") == ((), (), ())
    told = explanation_text(explanation(proposal, "joined"), lacking_first=True)
    assert told.startswith(
        "Not taken into account:\n  - statement `joined`: weighed, but not converted: UNNEST() function"
    )
    assert "joined along by" in told


def test_indexes_of_buckets() -> None:
    """What buckets have whatever is asked of them is told with what each is for; one that was chosen is not told again."""
    event = entity("event", "sensor:integer! at:timestamptz! number:integer!", "sensor at")
    bucket = Bucket(("sensor",), "events", 4, BucketWindow("at", WindowUnit.DAY))
    homes = (Collection("event", Document("event"), (), bucket=bucket),)
    indexes = (
        Index("event", (("bucket_end", 1),), expire_after_seconds=172_800),
        Index("event", (("sensor", 1), ("bucket_start", 1))),
        Index("event", (("sensor", 1), ("events.at", 1))),
        Index("event", (("events.number", 1),), serves=("most",)),
    )
    told = explanation(Proposal("optimal", Design(Model("m", (event,), ()), homes, indexes))).built_besides
    assert {each.fields: each.reasons[-1] for each in told} == {
        "bucket_end": "removes buckets of `event` whose `bucket_end` is 2 days old",
        "sensor, bucket_start, page": "finds the buckets of `event` in order",
        "sensor, events.at": "finds `event` by its key, so that no row is added twice: sensor, at",
    }
