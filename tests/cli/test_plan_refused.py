"""The last word of `plan` on a migration that would be refused: the options that it lacks."""

from __future__ import annotations

import pytest

from nestling.cli.plan import show
from nestling.ir.migration import Loss, MigrationPlan


@pytest.mark.parametrize(
    ("refused", "lost", "told"),
    [
        (("a",), (), "`migrate` would REFUSE this: see the risks."),
        (
            ("a", "b"),
            (Loss.INDEXES, Loss.ID_ORDER),
            "`migrate` would REFUSE this without `--drop-indexes` `--drop-id-order`: ",
        ),
        (
            ("a", "b"),
            (Loss.NULLS,),
            "would REFUSE this: see the risks. Besides, it needs `--drop-nulls`, if what they name may",
        ),
    ],
)
def test_options_that_are_missing(
    refused: tuple[str, ...], lost: tuple[Loss, ...], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """All of them are named; where no option helps, that is not promised."""
    show(MigrationPlan((), (), (), (), (), refused, {}, (), (), refused=refused, lost=lost))
    assert told in capsys.readouterr().out
