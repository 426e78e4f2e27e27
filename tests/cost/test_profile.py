"""Profiles: what ships, what is refused, what is said of a profile that is another server's."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from nestling.common.errors import InputError
from nestling.cost import Profile, default_profile, profile_names, read_profile
from nestling.cost.profile import UNITS
from nestling.cost.profile_text import parse_profile, profile_text
from nestling.ir.facts import Facts, ServerFacts
from nestling.ir.paths.work import NAMES
from nestling.pipeline import price_notes


@pytest.mark.parametrize("name", profile_names())
def test_a_shipped_profile_prices_everything(name: str) -> None:
    """Each quantity has a coefficient with a unit, a source and a doubt."""
    profile = default_profile(name)
    assert [each.name for each in profile.coefficients] == list(NAMES)
    assert all(each.unit and each.source and 0 <= each.doubt <= 1 for each in profile.coefficients)


def test_units_are_those_of_the_quantities() -> None:
    """Every quantity of work has a unit, and nothing else has."""
    assert tuple(UNITS) == NAMES


def test_both_engines_ship() -> None:
    """WiredTiger's profile is measured, that of MMAPv1 says that it is not."""
    assert {"wiredtiger", "mmapv1"} <= set(profile_names())
    assert default_profile().measured
    assert not default_profile("mmapv1").measured


def test_an_engine_that_moves_documents() -> None:
    """Under MMAPv1 an update in place is cheaper than one that moves the document; WiredTiger does not care."""
    assert default_profile("mmapv1").seconds["moves"] > default_profile("mmapv1").seconds["updates"]
    assert default_profile("wiredtiger").seconds["moves"] == 0


@pytest.mark.parametrize("name", profile_names())
def test_text_round_trip(name: str) -> None:
    """A profile's text reads back as the same profile."""
    profile = default_profile(name)
    assert parse_profile(profile_text(profile), "here") == profile


def test_an_unknown_engine_is_refused() -> None:
    """The error says which profiles there are."""
    with pytest.raises(InputError, match="wiredtiger"):
        default_profile("rocksdb")


def test_every_mistake_is_told(tmp_path: Path) -> None:
    """A profile with several mistakes: all of them, each with its line."""
    text = profile_text(default_profile()).replace("  lookups:", "  lokups:").replace("doubt: 0.05", "doubt: none", 1)
    file = tmp_path / "profile.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_profile(file)
    message = str(caught.value)
    assert "no quantity `lokups`" in message
    assert f"{file}:" in message


@pytest.mark.parametrize("seconds", ["-1.0", ".nan", "fast"])
def test_a_price_must_be_a_number_from_0(seconds: str) -> None:
    """Negative, endless and wordy prices are refused."""
    text = "\n".join(
        line if "cold_pages" not in line else f'  cold_pages: {{seconds: {seconds}, doubt: 1.0, source: "x"}}'
        for line in profile_text(one_line_each()).splitlines()
    )
    with pytest.raises(InputError, match="seconds"):
        parse_profile(text, "profile.yaml")


def one_line_each() -> Profile:
    """The default profile, sources cut so that each coefficient is one line."""
    profile = default_profile()
    return replace(profile, coefficients=tuple(replace(each, source="x") for each in profile.coefficients))


def test_a_file_that_is_no_profile() -> None:
    """Other YAML is refused with what the first line should be."""
    with pytest.raises(InputError, match="no cost profile"):
        parse_profile("model: shop\n", "model.yaml")


def test_a_profile_of_another_version_is_noted() -> None:
    """The same series is fine; another one, another engine and unmeasured numbers are said, with what to do."""
    profile = default_profile()
    assert profile.notes_for("6.0.27", "wiredTiger") == ()
    assert profile.notes_for("6.0.27", "") == ()
    (note,) = profile.notes_for("8.0.4", "wiredTiger")
    assert "MongoDB 6.0" in note
    assert "8.0.4" in note
    assert "nestling calibrate" in note
    assert len(default_profile("mmapv1").notes_for("6.0.5", "wiredTiger")) == 3


def test_the_engine_a_server_runs_is_the_one_that_counts() -> None:
    """What the doctor prices by a profile of another engine says so; of a server that may not be asked nothing is said."""
    notes = [
        price_notes(Facts("", ServerFacts("6.0.5", engine=engine), ("shop",), ()))
        for engine in ("", "wiredTiger", "inMemory")
    ]
    assert notes[:2] == [(), ()]
    assert "the server runs inMemory" in notes[2][0]
