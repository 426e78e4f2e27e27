"""What is said of a load that somebody stops."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling import pipeline
from nestling.pipeline import loading
from tests.bundled_shop import write_shop


def test_a_stop_while_rows_are_compared_says_so(
    database: Database[dict[str, Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Everything is loaded: nothing is there to go on with, but to compare."""

    def stopped(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(loading, "_verified", stopped)
    address = write_shop(tmp_path)
    proposal = pipeline.design(pipeline.inspect(address), "normalized")
    with pytest.raises(KeyboardInterrupt) as caught:
        pipeline.load(proposal, address, database)
    assert caught.value.__notes__ == [loading.NOT_COMPARED]
    monkeypatch.undo()
    assert pipeline.verify(proposal, address, database).equal
