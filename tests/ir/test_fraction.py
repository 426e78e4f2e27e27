"""The fraction of a second a column keeps: in the model file, and as DDL declares it."""

from __future__ import annotations

import pytest

from nestling.common.errors import InputError
from nestling.ir.fraction import Fraction
from nestling.ir.model import Attribute, Entity, Model
from nestling.ir.reading import Reading
from nestling.ir.text import read_reading, write_reading
from nestling.ir.types import Type
from nestling.ir.words.model_words import difference

KINDS = (("timestamp", Fraction(0)), ("timestamptz", Fraction(3, cut=True)), ("time", Fraction(5)), ("timestamp", None))
MODEL = "model:\n  name: m\n  entities:\n    t:\n      attributes:\n        at: {type: %s, fraction_digits: %s}\n"


def _model(*fractions: tuple[str, Fraction | None]) -> Model:
    columns = (Attribute(f"c{n}", Type.parse(kind), fraction=of) for n, (kind, of) in enumerate(fractions))
    return Model("m", (Entity("t", tuple(columns)),))


def test_the_model_file_keeps_it() -> None:
    """In words that say whether the rest is rounded or cut."""
    text = write_reading(Reading(_model(*KINDS)))
    assert read_reading(text, "model.yaml").model == _model(*KINDS)
    for words in (
        "{type: timestamp, fraction_digits: 0}",
        "fraction_digits: 3, fraction_cut: true}",
        "c3: timestamp\n",
    ):
        assert words in text


def test_six_digits_are_all() -> None:
    """No column keeps more, so it says nothing."""
    assert read_reading(MODEL % ("timestamp", 6), "model.yaml").model == _model_of_at(None)
    assert read_reading(MODEL % ("timestamp", 2), "model.yaml").model == _model_of_at(Fraction(2))


@pytest.mark.parametrize(
    ("kind", "digits", "said"), [("timestamp", 7, "0 to 6 digits"), ("text", 3, "is only for times")]
)
def test_what_cannot_be_is_refused(kind: str, digits: int, said: str) -> None:
    """More digits than there are, and types without a time of day."""
    with pytest.raises(InputError, match=said):
        read_reading(MODEL % (kind, digits), "model.yaml")


def test_two_models_differ_by_it() -> None:
    """And the difference is said."""
    said = difference(_model(("timestamp", None)), _model(("timestamp", Fraction(0, cut=True))))
    assert said == "`t.c0` was timestamp and is now timestamp that keeps 0 digits of a second, cut"


def _model_of_at(fraction: Fraction | None) -> Model:
    return Model("m", (Entity("t", (Attribute("at", Type.parse("timestamp"), fraction=fraction),)),))
