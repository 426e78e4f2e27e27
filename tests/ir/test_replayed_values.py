"""What executions that are run again on several servers give for the server's time: an update stays what it was."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from nestling.ir.programs.compiled import ServerTime
from nestling.ir.programs.program import Action, CompiledWrite, UpdateDocument, WriteCommand
from nestling.ir.programs.replayed_values import StandIns

MOMENT = datetime(2026, 6, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("update", "expected"),
    [
        ({"$set": {"at": ServerTime()}}, {"$set": {"at": MOMENT}}),
        (
            ({"$set": {"n": {"$add": ["$n", 1]}, "at": ServerTime()}},),
            ({"$set": {"n": {"$add": ["$n", 1]}, "at": MOMENT}},),
        ),
        (({"$set": {"n": 1}}, {"$unset": "m"}), ({"$set": {"n": 1}}, {"$unset": "m"})),
    ],
)
def test_stages_stay_stages(update: UpdateDocument, expected: UpdateDocument) -> None:
    """A document of operators is one afterwards, and the stages of an aggregation are a tuple."""
    write = CompiledWrite("w", "", (WriteCommand(Action.UPDATE_ONE, "things", {"_id": {"$eq": 1}}, update=update),))
    (step,) = StandIns(MOMENT, "").bind_write(write, {}).steps
    assert isinstance(step, WriteCommand)
    assert step.update == expected
    assert type(step.update) is type(expected)
