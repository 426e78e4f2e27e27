"""What is known of values that a step puts under another name."""

from __future__ import annotations

from nestling.ir.paths.access_path import CollectionScan, FieldPath, NullAsMissing
from nestling.ir.paths.row_steps import Add
from nestling.planner.known.values import PathStatistics
from nestling.planner.work.pairs import added
from nestling.planner.work.stream import Stream


def test_a_value_under_another_name_is_as_well_known() -> None:
    """An id of a list, shown as the foreign key it is, has as many values as before: one of them finds one row, not many."""
    stream = Stream(900.0, 100.0, {"track_ids": PathStatistics(distinct=3500.0)}, {})
    step = Add(CollectionScan("playlist"), (("track_id", NullAsMissing(FieldPath("track_ids"))),))
    assert added(step, stream).known["track_id"].distinct == 3500.0
