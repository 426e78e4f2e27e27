"""Conceptual values as BSON: what is refused, in words, and what comes back."""

from __future__ import annotations

import json
from decimal import Decimal

import bson
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from nestling.common.errors import LoadError
from nestling.ir.codec import CODEC
from nestling.ir.types import Type, TypeName
from nestling.ir.values import Policy, decoder, encode, encoder


def test_long_numbers_are_cut_where_they_are_refused() -> None:
    """How many digits there are is said, not all of them; a number that fits on a line is shown whole."""
    with pytest.raises(LoadError) as refused:
        encode(Decimal("7" * 401))
    assert f"the number {'7' * 60}… has 401 digits" in str(refused.value)
    with pytest.raises(LoadError, match="7" * 40 + " has 40 digits"):
        encode(Decimal("7" * 40))


SCALARS: st.SearchStrategy[object] = st.sampled_from(
    [None, True, 1, 1.5, "x", "NaN", "1e5", "a" * 24, "2020-01-01T00:00:00Z", [], {}, 10**20]
)
SUBTYPES = st.sampled_from(["00", "03", "04", "05", "80", "81", "82"])
OPERANDS = st.one_of(
    SCALARS,
    st.builds(lambda subtype: {"base64": "AA==", "subType": subtype}, SUBTYPES),
    st.builds(lambda pattern: {"pattern": pattern, "options": "i"}, SCALARS),
    st.builds(lambda time: {"t": time, "i": 2}, SCALARS),
)
NAMES = st.sampled_from((
    "$date", "$oid", "$binary", "$type", "$regularExpression", "$timestamp", "$code", "$scope", "$dbPointer", "$uuid",
    "$numberLong", "$numberDouble", "$numberDecimal", "$minKey", "$undefined", "$symbol", "$ref", "$id", "$other", "plain",
))  # fmt: skip
EXTENDED = st.dictionaries(NAMES, OPERANDS, min_size=1, max_size=2)


@pytest.mark.thorough
@settings(max_examples=500)
@given(st.one_of(EXTENDED, EXTENDED.map(lambda value: [value]), EXTENDED.map(lambda value: {"in": value})))
@example({"$timestamp": {"t": True, "i": 2}})
def test_json_that_looks_like_extended_json_comes_back_to_the_letter(value: object) -> None:
    """A source's JSON may hold `{"$date": …}` as it likes: what a driver would read otherwise is kept as text."""
    stored = bson.encode({"at": encoder(Type(TypeName.JSON))(value)}, codec_options=CODEC)
    found = decoder(Type(TypeName.JSON))(bson.decode(stored, codec_options=CODEC)["at"])
    assert json.dumps(found) == json.dumps(value)


def test_a_uuid_of_an_old_driver_in_json_is_stored_as_one() -> None:
    """What a live database held so is read as Extended JSON, and is a binary value of subtype 3 again."""
    stored = bson.Binary(bytes(range(16)), 3)
    value = decoder(Type(TypeName.JSON))({"at": [stored]})
    assert value == {"at": [{"$binary": {"base64": "AAECAwQFBgcICQoLDA0ODw==", "subType": "03"}}]}
    assert encoder(Type(TypeName.JSON))(value) == {"at": [stored]}


@pytest.mark.parametrize(
    "value", [10**37 + 1, -(10**40), {"c": 12345678901234567890123456789012345678}, [1, 10**36 + 7]]
)
def test_a_long_number_in_json_is_no_text(value: object) -> None:
    """Its JSON is kept as text, whatever is said of decimals, so that the number and the text of its digits stay two."""
    stored = encoder(Type(TypeName.JSON), Policy(long_decimals="text"))(value)
    assert isinstance(stored, bson.Binary)
    assert decoder(Type(TypeName.JSON))(stored) == value
