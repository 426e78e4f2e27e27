"""When two answers are the same, when SQL leaves a choice, and when one of them is wrong."""

from __future__ import annotations

from decimal import Decimal

import pytest

from nestling.executors.drive import AnswerShape, Likeness, StatementAnswer, digest, likeness

BAG, ORDERED = AnswerShape(), AnswerShape((0,))
TOP = AnswerShape((0,), limited=True, choice="ties")
ANY_TEN = AnswerShape(limited=True, choice="no order")
BY_SUM = AnswerShape((0, 1))
TOP_SUMS = AnswerShape((0, 1), limited=True, choice="last digits")
PAGE = AnswerShape((0,), limited=True, skipped=True, choice="ties")
BARE = AnswerShape(open=(1,), choice="any row")
TEXTS = AnswerShape(loose=(1,), choice="any order")
NOCASE = AnswerShape((0, 1), collated=(0,))
INSIDE = AnswerShape((0,), any_rows=True, choice="a LIMIT inside")
NEAR = 6.2, 6.199999999999999


def rows(*found: tuple[object, ...]) -> StatementAnswer:
    """An answer of these rows."""
    return StatementAnswer(found)


def said(one: StatementAnswer, other: StatementAnswer, shape: AnswerShape) -> Likeness:
    """What is said of two answers, whichever comes first."""
    found = likeness(one, other, shape)
    assert likeness(other, one, shape) is found
    return found


@pytest.mark.parametrize(
    ("one", "other", "shape"),
    [
        (rows((1, "a"), (2, "b")), rows((2, "b"), (1, "a")), BAG),
        (rows((0.1 + 0.2,)), rows((0.3,)), BAG),
        (rows((5,)), rows((Decimal("5.00"),)), BAG),
        (rows((1, "a"), (1, "b")), rows((1, "b"), (1, "a")), ORDERED),
        (rows((1, "a"), (2, "b")), rows((1, "a"), (2, "b")), TOP),
        (rows((NEAR[0], 1), (NEAR[1], 2)), rows((NEAR[1], 2), (NEAR[0], 1)), BY_SUM),
        (rows((NEAR[0], 3), (NEAR[1], 1)), rows((Decimal("6.2"), 1), (Decimal("6.2"), 3)), BY_SUM),
        (rows((6.2, 1), (6.2 + 3e-9, 2)), rows((6.2 - 3e-9, 2), (6.2 + 4e-9, 1)), BY_SUM),  # tied in one answer only
        (rows(("a", 1), ("A", 2)), rows(("A", 2), ("a", 1)), AnswerShape((0,), collated=(0,))),
        (rows((10**10, 0.1 + 0.2), (10**10 + 1, 1)), rows((10**10 + 1, 1), (10**10, 0.3)), BAG),
        (StatementAnswer(affected=2), StatementAnswer(affected=2), BAG),
        (StatementAnswer(refused="key"), StatementAnswer(refused="unique"), BAG),
        (rows((float("nan"),)), rows((float("nan"),)), BAG),
    ],
)
def test_equal(one: StatementAnswer, other: StatementAnswer, shape: AnswerShape) -> None:
    """Order where none is asked for, the last digits of sums, in an order too, and what a refusal is called: all equal."""
    assert said(one, other, shape) is Likeness.EQUAL
    assert digest(one, shape) == digest(other, shape)


@pytest.mark.parametrize(
    ("one", "other", "shape"),
    [
        (rows((1, "a"), (2, "b")), rows((1, "a"), (2, "c")), TOP),
        (rows((1,), (2,)), rows((3,), (4,)), ANY_TEN),
        (rows((2, 1), (NEAR[0], 1)), rows((2, 1), (NEAR[1], 2)), TOP_SUMS),
        (rows((1, "x"), (2, "b"), (3, "c")), rows((1, "y"), (2, "b"), (3, "d")), PAGE),
        (rows((1, "a"), (2, "b")), rows((1, "b"), (2, None)), BARE),
        (rows((1, "a,b")), rows((1, "B,A")), TEXTS),
        (rows((1,), (2,)), rows((1,), (3,), (4,)), INSIDE),
    ],
)
def test_a_choice(one: StatementAnswer, other: StatementAnswer, shape: AnswerShape) -> None:
    """Where SQL leaves a choice and what it fixes is the same, both may be right; nobody says that they are equal."""
    assert said(one, other, shape) is Likeness.OPEN
    assert said(one, one, shape) is Likeness.EQUAL


@pytest.mark.parametrize(
    ("one", "other", "shape"),
    [
        (rows((1, "a")), rows((1, "b")), BAG),
        (rows((1,)), rows((1,), (1,)), BAG),
        (rows((1,)), rows(("1",)), BAG),
        (rows((None,)), rows((0,)), BAG),
        (rows((0.3,)), rows((0.3001,)), BAG),
        (rows((10**10,)), rows((10**10 + 1,)), BAG),
        (rows((1,), (2,)), rows((2,), (1,)), ORDERED),
        (rows((1, "a"), (2, "b")), rows((1, "x"), (2, "b")), TOP),
        (rows((1, "a"), (2, "b")), rows((1, "a"), (3, "b")), TOP),
        (
            rows((1,), (2,)),
            rows(
                (3,),
            ),
            ANY_TEN,
        ),
        (rows((6.2, 1), (6.2, 2)), rows((6.2, 2), (6.2, 1)), BY_SUM),
        (rows((7.2, 1), (6.2, 2)), rows((6.2, 2), (7.2, 1)), BY_SUM),
        (rows((1, "x"), (2, "b"), (3, "c")), rows((1, "x"), (2, "z"), (3, "c")), PAGE),
        (rows((1, "a"), (2, "b")), rows((1, "a"), (3, "b")), BARE),
        (rows((1, "a,b")), rows((1, "a,c")), TEXTS),
        (rows(("a", 1), ("A", 2)), rows(("A", 2), ("a", 1)), NOCASE),
        (StatementAnswer(affected=2), StatementAnswer(affected=1), BAG),
        (StatementAnswer(affected=0), StatementAnswer(refused="key"), BAG),
        (StatementAnswer(failed="it broke"), StatementAnswer(failed="it broke"), BAG),
    ],
)
def test_other(one: StatementAnswer, other: StatementAnswer, shape: AnswerShape) -> None:
    """Another value where the statement fixes it, another number of rows, another order, another change: none of them passes."""
    assert said(one, other, shape) is Likeness.OTHER
