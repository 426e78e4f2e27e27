"""Commands that SQL does not say: the most frequent first."""

from __future__ import annotations

from tests.sources.capture.shops import Shop


def test_the_most_frequent_gap_comes_first(shops: dict[str, Shop]) -> None:
    """Gaps stand in the order of their rates, each with a name of its own."""
    shop = shops["normalized"]
    with shop.recorded("gaps.json") as (recorder, database):
        for field, times in (("rare", 1), ("often", 9), ("sometimes", 4)):
            for _ in range(times):
                database.product.find_one({field: 1})
    said = shop.said(recorder)
    assert [each.gap.what for each in said.not_expressed] == [
        f"`{name}` is not an attribute of the model" for name in ("often", "sometimes", "rare")
    ]
    assert len({each.name for each in said.not_expressed}) == 3
    assert list(said.gaps) == [each.gap for each in said.not_expressed]
