"""The front doors: every place where nestling takes a text from outside, with sound texts to damage and who reads them."""

from __future__ import annotations

import copy
import json
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from hypothesis import strategies as st

from nestling.cost import default_profile
from nestling.cost.profile_text import profile_text
from nestling.ir.text.yaml_reader import read_yaml
from tests.cases.pattern_case import FOLDER as PATTERNS
from tests.cases.pattern_case import PatternCase
from tests.fuzz.damage import bytes_damage, token_damage, tree_damage

Small = Mapping[str, bytes]
"""Sound files by name."""
Input = bytes | tuple[str, ...]
"""The damaged content of a file, or the arguments of a command."""
Inputs = st.SearchStrategy[Input]
Command = tuple[str, ...]

HERE = Path(__file__).parent
TEXTS = HERE / "texts"
STARTS_SERVERS = ("demo", "load", "prove", "server", "calibrate")
DIALECTS = ("sqlite", "postgresql", "mysql")
FAST = "serverSelectionTimeoutMS=10"
NOWHERE = f"mongodb://127.0.0.1:1/x?{FAST}"


@dataclass(frozen=True, slots=True)
class Door:
    """A way in: the inputs, the file they are written to (none: they are the arguments), and the commands that read it."""

    inputs: Callable[[Small], Inputs]
    file: str = ""
    commands: tuple[Command, ...] = ()


def _words(name: str) -> tuple[str, ...]:
    return tuple((HERE / "words" / name).read_text(encoding="utf-8").splitlines())


def _commands(name: str) -> tuple[Command, ...]:
    return tuple(tuple(shlex.split(line.replace("NOWHERE", NOWHERE))) for line in _words(name))


def _damaged(whole: bytes, *, is_tree: bool) -> Inputs:
    """A text damaged as bytes, and as the tree or the tokens it is."""
    if not is_tree:
        return bytes_damage(whole) | token_damage(whole, _words("sql.txt"))
    tree = read_yaml(whole.decode(), "whole")[0].value
    return bytes_damage(whole) | tree_damage(tree) | tree_damage(tree)


def _file(name: str) -> Callable[[Small], Inputs]:
    return lambda small: _damaged(small[name], is_tree=name.endswith((".yaml", ".json")))


def _binary(name: str) -> Callable[[Small], Inputs]:
    return lambda small: bytes_damage(small[name])


def _log(small: Small) -> Inputs:
    """Lines of a server's log, one of them damaged as the tree it is."""
    lines = [line for line in small["mongod.log"].splitlines() if line.endswith(b"}")]  # the server cuts long ones

    @st.composite
    def one_odd_line(draw: st.DrawFn) -> bytes:
        place = draw(st.integers(0, len(lines) - 1))
        odd = draw(tree_damage(json.loads(lines[place]))).replace(b'{"t": {"$', b'{"t":{"$')
        return b"\n".join([*lines[:place], odd, *lines[place + 1 :]])

    return one_odd_line() | bytes_damage(small["mongod.log"])


def _recording(small: Small) -> Inputs:
    """A recording damaged as a whole, or the clauses of one of its shapes."""
    whole = json.loads(small["capture.json"])

    @st.composite
    def odd_clauses(draw: st.DrawFn) -> bytes:
        made = copy.deepcopy(whole)
        shape = draw(st.sampled_from(made["seen"]))["shape"]
        shape["text"] = draw(tree_damage(json.loads(shape["text"]))).decode()
        return json.dumps(made).encode()

    return odd_clauses() | _file("capture.json")(small)


def _patterns(_: Small) -> Inputs:
    """Designs of every pattern, so that all primitives are hit."""
    cases = [PatternCase(path.stem, path.read_text(encoding="utf-8")) for path in sorted(PATTERNS.glob("*.md"))]
    return st.sampled_from(cases).flatmap(lambda case: _damaged(case.proposal_text.encode(), is_tree=True))


def _profile(_: Small) -> Inputs:
    return _damaged(profile_text(default_profile()).encode(), is_tree=True)


@st.composite
def _statements(draw: st.DrawFn, dialect: str) -> Command:
    sql = draw(token_damage(draw(st.sampled_from(_words("statements.sql"))).encode(), _words("sql.txt"))).decode()
    join, form = draw(st.sampled_from(("server", "client"))), draw(st.sampled_from(("mongosh", "python", "json")))
    return ("convert", "design.yaml", "--dialect", dialect, "--join", join, "--as", form, "--", sql)


@st.composite
def _addresses(draw: st.DrawFn) -> Command:
    """None of them has a server behind it."""
    scheme, user, host, name, query = (
        draw(st.sampled_from(_words(f"{part}.txt"))) for part in ("schemes", "users", "hosts", "names", "queries")
    )
    address = f"{scheme}{user}{host}{name}?{FAST}{query}"
    command = draw(st.sampled_from(_commands("commands_with_address.txt")))
    return tuple(part.replace("{}", address) for part in command)


@st.composite
def _options(draw: st.DrawFn) -> Command:
    """Numbers and names given as options, once or twice."""
    texts = st.sampled_from(_words("options.txt")) | st.text(st.characters(exclude_characters="\0"), max_size=6)
    *command, option = draw(st.sampled_from(_commands("commands_with_option.txt")))
    return (*command, *(f"{option}={text}" for text in draw(st.lists(texts, min_size=1, max_size=2))))


@st.composite
def _arguments(draw: st.DrawFn) -> Command:
    """Any words in any order, but for the commands that start servers."""
    words = st.sampled_from((*_words("arguments.txt"), "\udcff", "a" * 5000))
    found = draw(st.lists(words | st.text(st.characters(exclude_characters="\0")), max_size=7))
    return tuple(word for word in found if word not in STARTS_SERVERS)


def _door(inputs: Callable[[Small], Inputs], file: str, *commands: str) -> Door:
    """A door whose commands read FILE."""
    return Door(inputs, file, tuple(tuple(command.replace("FILE", file).split()) for command in commands))


def _captured(inputs: Callable[[Small], Inputs]) -> Door:
    doctor = "doctor --facts facts.json --captured FILE"
    return _door(inputs, "captured", "capture FILE --design design.yaml --json", doctor)


def _ddl(dialect: str) -> Door:
    design = f"design FILE --strategy tree --dialect {dialect}"
    return _door(_file(f"{dialect}.sql"), "any.sql", design, "inspect FILE --json")


DOORS: dict[str, Door] = {
    "model": _door(_file("model.yaml"), "any.yaml", "inspect FILE --json", "design FILE --json"),
    "design": _door(_file("design.yaml"), "any.yaml", "explain FILE", "emit FILE --as mongosh", "inspect FILE"),
    "design of a pattern": _door(
        _patterns, "any.yaml", "explain FILE", "emit FILE --as python", "emit FILE --as jsonschema"
    ),
    **{f"DDL of {dialect}": _ddl(dialect) for dialect in DIALECTS},
    "workload": _door(
        _file("workload.sql"),
        "any.sql",
        "inspect schema.sql --workload FILE --json",
        "convert design.yaml --file FILE --bind",
    ),
    **{f"statement of {dialect}": Door(partial(lambda of, _: _statements(of), dialect)) for dialect in DIALECTS},
    "SQLite file": _door(_binary("shop.db"), "any.db", "inspect sqlite:///FILE --json"),
    "arguments": Door(lambda _: _arguments()),
    "address": Door(lambda _: _addresses()),
    "options": Door(lambda _: _options()),
    "profile": _door(_profile, "profile.yaml", "design model.yaml --profile FILE --json"),
    "facts": _door(
        _file("facts.json"),
        "any.json",
        "doctor --facts FILE --json",
        "doctor --facts facts.json --since FILE --markdown out.md --html out.html",
        "doctor --facts FILE --since facts.json --sarif out.sarif",
    ),
    "baseline": _door(_file("baseline.json"), "any.json", "doctor --facts facts.json --baseline FILE"),
    "doctor's config": _door(_file("config.yaml"), "any.yaml", "doctor --facts facts.json --config FILE"),
    "doctor's ignore file": _door(_file("ignore.yaml"), "any.yaml", "doctor --facts facts.json --ignore FILE"),
    "recording": _captured(_recording),
    "server's log": _captured(_log),
}
