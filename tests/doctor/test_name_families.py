"""Names that are data: what rules say of each of them is told once."""

from __future__ import annotations

import random

from nestling.ir.finding import Severity
from nestling.pipeline import diagnose
from tests.doctor.looking import Db, found, look


def _settings(database: Db, names: int) -> None:
    """Users whose settings have numbered names and mixed types."""
    rng = random.Random(2)
    values = [True, "x", 3]
    database.users.insert_many(
        {
            "_id": n,
            "settings": {f"pref_{name}": rng.choice(values) for name in range(names) if n < 9 or rng.random() < 0.1},
        }
        for n in range(300)
    )


def test_the_mixed_types_of_numbered_names_are_one_finding(database: Db) -> None:
    """It says how many there are, and matters as much as they do; alone the rule still tells each."""
    _settings(database, 30)
    facts = look(database)
    told = [each for each in found(facts) if each.rule in ("mixed-types", "dynamic-field-names")]
    (finding,) = told
    assert (finding.path, finding.severity) == ("settings.pref_#", Severity.WARNING)
    assert finding.message.endswith("; `mixed-types` reports 30 of them")
    assert ("mixed-types", 30) in finding.evidence
    assert len(diagnose(facts, rules=["mixed-types"])) == 30


def test_a_few_fields_of_numbered_names_are_told_each(database: Db) -> None:
    """`address4` of four is a field of its own, with its remedy; so is a field beside a family."""
    rows = [{f"address{k}": "a" for k in range(4)} | {"other": n} for n in range(30)]
    database.users.insert_many([*rows, {"address0": 5, "other": "x"}])
    told = {each.path for each in found(look(database)) if each.rule == "mixed-types"}
    assert told == {"address0", "other"}


def test_a_wildcard_index_is_spoken_of(database: Db) -> None:
    """Names that it has entries for need no index each."""
    _settings(database, 12)
    (finding,) = [each for each in found(look(database)) if each.rule == "dynamic-field-names"]
    assert "each needs an index of its own, or all of them a wildcard index" in finding.cost
    database.users.create_index([("settings.$**", 1)])
    (finding,) = [each for each in found(look(database)) if each.rule == "dynamic-field-names"]
    assert "`settings.$**_1` has an entry for each" in finding.cost
    database.users.drop_index("settings.$**_1")
    database.users.create_index([("$**", 1)])
    (finding,) = [each for each in found(look(database)) if each.rule == "dynamic-field-names"]
    assert "`$**_1` has an entry for each" in finding.cost
