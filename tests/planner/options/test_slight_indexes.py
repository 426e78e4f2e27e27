"""Which index is worth it: none that saves a hundredth, and no second one for that."""

from __future__ import annotations

from nestling.ir.design_problem import Mode, StatementStep
from nestling.planner.options.structures.slight_indexes import without_slight

INDEXES = ("by shop", "by shop, day", "by shop, day, id")
APART, NOTED = 5e-6, 2e-3


def found(*modes: Mode, home: str = "apart") -> dict[str, float]:
    """By text, what modes cost that are left; the statement costs a millisecond at least, once a second, as another does."""
    every = tuple(Mode(each.text, (home, *each.needs), each.cost, loads=each.loads) for each in modes)
    step = StatementStep("page", "0", every)
    (left,) = without_slight([step], INDEXES, {"page": 1e-3, "other": 1e-3}, {"page": 1.0, "other": 1.0})
    return {each.text: each.cost for each in left.modes}


def test_an_index_saves_a_hundredth() -> None:
    """Of a millisecond: 10 µs are nothing, 2 ms are something."""
    scan = Mode("scan", (), 4e-3)
    assert found(scan, Mode("by shop", ("by shop",), 4e-3 - APART)).keys() == {"scan"}
    assert found(scan, Mode("by shop", ("by shop",), 4e-3 - NOTED)).keys() == {"scan", "by shop"}


def test_a_second_index_saves_a_hundredth_more() -> None:
    """Two that are nearly as good cost nearly the same, the better a little less; others cost what they did."""
    wide, narrow = Mode("wide", ("by shop, day, id",), 1e-3), Mode("narrow", ("by shop, day",), 1e-3 - APART)
    short = Mode("short", ("by shop",), 3e-3)
    costs = found(wide, narrow, short, Mode("scan", (), 9e-3))
    assert costs["wide"] == 1e-3
    assert costs["short"] == 3e-3
    assert 1e-3 - APART / 10 < costs["narrow"] < 1e-3


def test_what_is_no_index_alone_stays_apart() -> None:
    """Modes of other homes, and such as have a price by a load, are told apart as they are."""
    one, other = (
        Mode("one", ("by shop",), 1e-3, loads=(("bytes", 1e-9),)),
        Mode("other", ("by shop, day",), 1e-3 - APART),
    )
    assert found(one, other)["other"] == 1e-3 - APART
    two = Mode("two", ("by shop", "by shop, day, id"), 1e-3)
    assert found(two, other)["other"] == 1e-3 - APART
