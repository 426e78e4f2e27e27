"""The text form of profiles: a readable YAML file with a line per coefficient. The default profiles are such files."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from nestling.common.errors import InputError, Problem
from nestling.cost.profile import Coefficient, Identity, Profile
from nestling.ir.text.text_given import text_given
from nestling.ir.text.yaml_reader import read_yaml
from nestling.ir.text.yaml_writer import BlockMap, yaml_text

FORMAT = 1
DEFAULT = "wiredtiger"
_FOLDER = files("nestling.cost") / "profiles"


def profile_names() -> tuple[str, ...]:
    """The profiles that ship."""
    return tuple(
        sorted(entry.name.removesuffix(".yaml") for entry in _FOLDER.iterdir() if entry.name.endswith(".yaml"))
    )


@cache
def default_profile(engine: str = DEFAULT) -> Profile:
    """The profile that ships for an engine. Raises `InputError` if there is none."""
    from nestling.common.errors import unknown

    if engine not in profile_names():
        raise InputError(unknown("cost profile", engine, profile_names()))
    return parse_profile((_FOLDER / f"{engine}.yaml").read_text(encoding="utf-8"), f"{engine}.yaml")


def read_profile(path: Path) -> Profile:
    """The profile in a file; raises `InputError` with every mistake in it."""
    return parse_profile(
        text_given(path, "name a profile, as `nestling calibrate -o profile.yaml` writes one"), str(path)
    )


def parse_profile(text: str, file: str) -> Profile:
    """The profile a text describes; raises `InputError` with every mistake in it, each with its line."""
    document, problems = read_yaml(text, file)
    reading = _Reading(problems)
    profile = reading.profile(document.value)
    if profile is None:
        raise InputError(*map(document.placed, reading.problems))
    return profile


def profile_text(profile: Profile) -> str:
    """The YAML text of a profile; `parse_profile` reads it back."""
    identity = profile.identity
    value: dict[str, object] = {
        "nestling_profile": FORMAT,
        "name": profile.name,
        "measured": profile.measured,
        **({"note": profile.note} if profile.note else {}),
        "identity": BlockMap(
            server=identity.server,
            engine=identity.engine,
            cache_bytes=int(identity.cache_bytes),
            hardware=identity.hardware,
        ),
        "compression": profile.compression,
        "coefficients": BlockMap(
            {
                each.name: {
                    "seconds": float(f"{each.seconds:.3g}"),
                    "unit": each.unit,
                    "doubt": float(f"{each.doubt:.2g}"),
                    "source": each.source,
                }
                for each in profile.coefficients
            }
        ),
    }
    return yaml_text(value)


class _Reading:
    """Reads one profile and collects its mistakes."""

    def __init__(self, problems: list[Problem]) -> None:
        self.problems = problems

    def profile(self, value: object) -> Profile | None:
        """The profile, or None if there is a mistake."""
        top = self._map(value, ())
        if top.get("nestling_profile") != FORMAT:
            self._wrong("no cost profile of this version", (), f"its first line is `nestling_profile: {FORMAT}`")
            return None
        identity = self._identity(self._map(top.get("identity"), ("identity",)))
        coefficients = self._coefficients(self._map(top.get("coefficients"), ("coefficients",)))
        name, note = self._text(top, "name", ()), str(top.get("note", ""))
        compression = self._number(top, "compression", (), default=1.0)
        if self.problems:
            return None
        return Profile(name, identity, coefficients, compression, bool(top.get("measured", True)), note)

    def _identity(self, value: Mapping[str, Any]) -> Identity:
        at = ("identity",)
        texts = {name: self._text(value, name, at) for name in ("server", "engine", "hardware")}
        return Identity(cache_bytes=self._number(value, "cache_bytes", at), **texts)

    def _coefficients(self, value: Mapping[str, Any]) -> tuple[Coefficient, ...]:
        found = []
        for name, given in value.items():
            at = ("coefficients", name)
            entry = self._map(given, at)
            seconds, doubt = self._number(entry, "seconds", at), self._number(entry, "doubt", at)
            try:
                found.append(Coefficient(name, seconds, self._text(entry, "source", at), doubt))
            except InputError as error:
                self.problems.extend(error.problems)
        return tuple(found)

    def _map(self, value: object, path: tuple[str, ...]) -> Mapping[str, Any]:
        if isinstance(value, dict):
            return value
        self._wrong("a map is expected", path, "")
        return {}

    def _text(self, value: Mapping[str, Any], name: str, path: tuple[str, ...]) -> str:
        if name not in value:
            self._wrong(f"`{name}` is missing", path, "")
        return str(value.get(name, ""))

    def _number(
        self, value: Mapping[str, Any], name: str, path: tuple[str, ...], default: float | None = None
    ) -> float:
        given = value.get(name, default)
        if isinstance(given, int | float) and not isinstance(given, bool):
            return float(given)
        self._wrong(f"`{name}` is no number" if name in value else f"`{name}` is missing", path, "")
        return 0.0

    def _wrong(self, what: str, path: tuple[str, ...], next_move: str) -> None:
        self.problems.append(Problem(what, path=path, next_move=next_move))
