"""When two answers are the same."""

from __future__ import annotations

from decimal import Decimal

import pytest

from nestling.executors.drive import Answer, Shape, digest, same

BAG, ORDERED, TOP = Shape(), Shape((0,)), Shape((0,), limited=True)


@pytest.mark.parametrize(
    ("one", "other", "shape"),
    [
        (Answer(((1, "a"), (2, "b"))), Answer(((2, "b"), (1, "a"))), BAG),
        (Answer(((0.1 + 0.2,),)), Answer(((0.3,),)), BAG),
        (Answer(((5,),)), Answer(((Decimal("5.00"),),)), BAG),
        (Answer(((1, "a"), (1, "b"))), Answer(((1, "b"), (1, "a"))), ORDERED),
        (Answer(((1, "a"), (2, "b"))), Answer(((1, "a"), (2, "c"))), TOP),
        (Answer(affected=2), Answer(affected=2), BAG),
        (Answer(refused="key"), Answer(refused="unique"), BAG),
        (Answer(((float("nan"),),)), Answer(((float("nan"),),)), BAG),
    ],
)
def test_the_same(one: Answer, other: Answer, shape: Shape) -> None:
    """Order where none is asked for, the last digits of sums, ties, and what a refusal is called make no difference."""
    assert same(one, other, shape)
    assert same(other, one, shape)
    assert digest(one, shape) == digest(other, shape)


@pytest.mark.parametrize(
    ("one", "other", "shape"),
    [
        (Answer(((1, "a"),)), Answer(((1, "b"),)), BAG),
        (Answer(((1,),)), Answer(((1,), (1,))), BAG),
        (Answer(((1,),)), Answer((("1",),)), BAG),
        (Answer(((None,),)), Answer(((0,),)), BAG),
        (Answer(((0.3,),)), Answer(((0.3001,),)), BAG),
        (Answer(((1, "a"), (2, "b"))), Answer(((1, "x"), (2, "b"))), TOP),
        (Answer(((1, "a"), (2, "b"))), Answer(((1, "a"), (3, "b"))), TOP),
        (Answer(affected=2), Answer(affected=1), BAG),
        (Answer(affected=0), Answer(refused="key"), BAG),
        (Answer(failed="it broke"), Answer(failed="it broke"), BAG),
    ],
)
def test_not_the_same(one: Answer, other: Answer, shape: Shape) -> None:
    """Another value, another number of rows, another change: none of them passes; nor does an error."""
    assert not same(one, other, shape)
    assert not same(other, one, shape)


def test_order_counts_where_it_is_asked_for() -> None:
    """Rows in another order than the statement asks for are another answer."""
    assert not same(Answer(((1,), (2,))), Answer(((2,), (1,))), ORDERED)
