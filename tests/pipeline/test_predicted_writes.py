"""What `prove` predicts of writes has the time in it that they wait for the disk."""

from __future__ import annotations

from pathlib import Path

import pytest

from nestling.pipeline.proving.statements import predicted
from tests.pipeline.test_least_cost_indexes import events


def test_a_write_is_predicted_with_its_wait(tmp_path: Path) -> None:
    """Once for a statement that writes, and not for one that reads."""
    application = events(tmp_path)
    proposal = application.designed()
    plain, waiting = (predicted(proposal, application.reading, seconds) for seconds in (0.0, 0.5))
    assert plain["log"] is not None
    assert waiting["log"] == pytest.approx(plain["log"] + 0.5)
    assert waiting["feed"] == plain["feed"]
