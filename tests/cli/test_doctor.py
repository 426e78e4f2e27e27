"""`nestling doctor`: reports in every form, exit codes, and words instead of tracebacks."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling.doctor import explanation, rule_names
from nestling.ir.facts import OUT_OF_TIME, Skipped
from nestling.ir.facts.form import facts_text
from tests.cli.commands import nestling
from tests.doctor.faults import FAULTS, clean
from tests.doctor.looking import look

KEYS = {
    *("rule", "severity", "confidence", "namespace", "path", "message", "number", "unit", "threshold"),
    *("threshold_source", "cost", "cost_seconds", "cost_measured", "remedy", "commands", "evidence"),
}


@pytest.fixture
def ill(database: Database[dict[str, Any]]) -> Database[dict[str, Any]]:
    """A database with mixed types, and nothing else wrong."""
    clean(database)
    FAULTS["mixed-types"].plant(database, True)
    return database


def test_a_healthy_database_exits_zero(database: Database[dict[str, Any]], target: str) -> None:
    """Nothing found: 0, and it says so."""
    clean(database)
    done = nestling("doctor", target)
    assert done.code == 0, done.out
    assert "Nothing found" in done.out


def test_a_database_that_is_not_there_is_not_healthy(target: str) -> None:
    """A name that is misspelt is told, and no clean bill given."""
    done = nestling("doctor", target)
    assert (done.code, done.out) == (2, "")
    assert "there are no collections to read" in done.err


def test_findings_exit_one_and_say_everything(ill: Database[dict[str, Any]], target: str) -> None:
    """Place, number, threshold and whose, cost, remedy and command are on the screen."""
    done = nestling("doctor", target)
    assert done.code == 1
    for told in ("mixed-types", f"{ill.name}.things: rating", "threshold 0 values", "costs:", "do:", "$merge"):
        assert told in re.sub(r"\s+", " ", done.out)


def test_no_remedy_is_cut(database: Database[dict[str, Any]], target: str) -> None:
    """A long remedy is told to its end, as that warns of what applications do."""
    database.things.insert_many(
        {"_id": n, "rating": "4.20" if n < 9 else "4.2" if n < 200 else 4.2} for n in range(400)
    )
    done = nestling("doctor", target)
    assert "9 stay because a number would be written differently" in done.out
    assert "first deploy a version that queries for both types and writes the new one." in done.out
    assert "--json has all of it" not in done.out


def test_json_has_the_documented_shape(ill: Database[dict[str, Any]], target: str) -> None:
    """Exactly the documented keys."""
    done = nestling("doctor", target, "--json")
    assert done.code == 1
    assert set(done.json) == {"findings", "ignored", "skipped", "facts"}
    (finding,) = done.json["findings"]
    assert set(finding) == KEYS
    assert (finding["rule"], finding["namespace"], finding["path"]) == ("mixed-types", f"{ill.name}.things", "rating")


@pytest.mark.thorough
def test_fail_on_chooses_what_exits_one(ill: Database[dict[str, Any]], target: str) -> None:
    """A warning does not fail a run that fails on errors only."""
    assert nestling("doctor", target, "--fail-on", "error").code == 0
    assert nestling("doctor", target, "--fail-on", "info").code == 1
    assert nestling("doctor", target, "--fail-on", "never").code == 0


def test_saved_facts_give_the_same_report(ill: Database[dict[str, Any]], target: str, tmp_path: Path) -> None:
    """A facts file needs no server and gives the same findings; growth is told against an earlier one."""
    first = nestling("doctor", target, "--json", "--save", "facts.json", cwd=tmp_path)
    again = nestling("doctor", "--facts", "facts.json", "--since", "facts.json", "--json", cwd=tmp_path)
    assert again.json == first.json


def test_all_reports_are_written(ill: Database[dict[str, Any]], target: str, tmp_path: Path) -> None:
    """SARIF with rule, place and fingerprint; HTML that needs nothing else; Markdown."""
    files = ("--sarif", "a.sarif", "--html", "a.html", "--markdown", "a.md")
    assert nestling("doctor", target, *files, cwd=tmp_path).code == 1
    sarif = json.loads((tmp_path / "a.sarif").read_text())
    (result,) = sarif["runs"][0]["results"]
    assert (sarif["version"], result["ruleId"], result["level"]) == ("2.1.0", "mixed-types", "warning")
    assert sarif["runs"][0]["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == "mixed-types"
    assert result["locations"][0]["logicalLocations"][0]["fullyQualifiedName"] == f"{ill.name}.things: rating"
    html = (tmp_path / "a.html").read_text()
    assert not re.findall(r"(?:src|href)=", html)
    assert "rating" in html
    assert "## Mixed types" in (tmp_path / "a.md").read_text()


def test_names_cannot_break_a_report(database: Database[dict[str, Any]], target: str, tmp_path: Path) -> None:
    """A field called like a tag, or with escape codes in it, is text in every report."""
    FAULTS["mixed-types"].plant(database, False)
    name = "<script>alert(1)</script>\x1b[31m`|"
    database.things.insert_many([{name: 1}, {name: "x"}])
    done = nestling("doctor", target, "--html", "a.html", "--markdown", "a.md", cwd=tmp_path)
    assert done.code == 1
    assert "\x1b" not in done.out
    assert "<script>" not in (tmp_path / "a.html").read_text()
    assert "\x1b" not in (tmp_path / "a.html").read_text() + (tmp_path / "a.md").read_text()


def test_ignored_findings_keep_their_reason(ill: Database[dict[str, Any]], target: str, tmp_path: Path) -> None:
    """What the ignore file names is set aside with its reason, and no longer fails."""
    (tmp_path / "ignore.yaml").write_text("- {rule: mixed-types, where: '*things: rating', reason: as it came}\n")
    done = nestling("doctor", target, "--ignore", "ignore.yaml", "--json", cwd=tmp_path)
    assert done.code == 0
    assert [each["reason"] for each in done.json["ignored"]] == ["as it came"]


@pytest.mark.thorough
def test_a_baseline_leaves_what_is_new(ill: Database[dict[str, Any]], target: str, tmp_path: Path) -> None:
    """Findings of an earlier report do not fail; a new one does."""
    (tmp_path / "before.json").write_text(nestling("doctor", target, "--json").out)
    assert nestling("doctor", target, "--baseline", "before.json", cwd=tmp_path).code == 0
    ill.things.insert_many([{"rating": 3, "other": 1}, {"rating": 3, "other": "x"}])
    done = nestling("doctor", target, "--baseline", "before.json", "--json", cwd=tmp_path)
    assert done.code == 1
    assert [each["path"] for each in done.json["findings"]] == ["other"]


def test_rules_and_thresholds_can_be_chosen(ill: Database[dict[str, Any]], target: str) -> None:
    """One rule alone, and a threshold of one's own, which the finding names."""
    assert nestling("doctor", target, "--rule", "no-validator").code == 0
    own = nestling("doctor", target, "--threshold", "unbounded-array.values=1", "--json").json["findings"]
    arrays = [each for each in own if each["rule"] == "unbounded-array"]
    assert [(each["threshold"], each["threshold_source"]) for each in arrays] == [(1, "yours")]
    assert nestling("doctor", target, "--threshold", "mixed-types.values=5").code == 0


def test_thresholds_are_named_by_whose_they_are(database: Database[dict[str, Any]], target: str) -> None:
    """The same array is too long for one and not for the other."""
    FAULTS["unbounded-array"].plant(database, True)
    assert nestling("doctor", target, "--as", "atlas").code == 0
    done = nestling("doctor", target, "--json", "--fail-on", "info").json
    assert done["findings"][0]["threshold_source"] == "published schema design rules"


def test_a_rule_is_explained() -> None:
    """Its page, and its thresholds with whose they are."""
    done = nestling("doctor", "--rule", "unbounded-array", "--explain")
    assert done.code == 0
    assert "atlas 10,000" in done.out


def test_a_rule_is_explained_to_machines() -> None:
    """`--json` has exactly the documented keys, the same page and the same numbers; without `--rule` it has all rules."""
    told = nestling("doctor", "--rule", "unbounded-array", "--explain", "--json").json
    assert list(told) == ["rules"]
    assert list(told["rules"]["unbounded-array"]) == ["title", "severity", "text", "thresholds"]
    assert told["rules"]["unbounded-array"]["text"] == explanation("unbounded-array")
    threshold = told["rules"]["unbounded-array"]["thresholds"]["documents"]
    assert (list(threshold), threshold["values"]["atlas"]) == (["text", "unit", "values"], 10_000)
    assert tuple(nestling("doctor", "--explain", "--json").json["rules"]) == rule_names()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((), "no MongoDB given"),
        (("sqlite:///x.db",), "looks at a live MongoDB"),
        (("mongodb://",), "URI"),
        (("mongodb://ada:secret@127.0.0.1:1/shop?serverSelectionTimeoutMS=200",), "cannot reach"),
        (("mongodb://127.0.0.1:1/x", "--rule", "unbound-array"), "unbounded-array"),
        (("mongodb://127.0.0.1:1/x", "--threshold", "a.b=1"), "no threshold `a.b`"),
        (("mongodb://127.0.0.1:1/x", "--threshold", "a.b"), "RULE.NAME=NUMBER"),
        (("--facts", "broken.json"), "not JSON"),
        (("--facts", "nothing.json"), "does not exist"),
        (("--facts", "broken.json", "--ignore", "broken.json"), "must be a list"),
        (("--facts", "broken.json", "--baseline", "broken.json"), "not a JSON report"),
        (("mongodb://127.0.0.1:1/x", "--html", "broken.json/y.html"), "cannot be written"),
    ],
)
def test_bad_input_is_said_in_words(arguments: tuple[str, ...], told: str, tmp_path: Path) -> None:
    """What is wrong and what to do, with exit code 2 and no password."""
    (tmp_path / "broken.json").write_text("hello")
    done = nestling("doctor", *arguments, cwd=tmp_path)
    assert done.code == 2
    assert told in done.err
    assert "secret" not in done.err
    assert not done.out


def test_a_look_cut_short_can_fail(ill: Database[dict[str, Any]], tmp_path: Path) -> None:
    """The last line says that time was too short, and a job may fail on that alone."""
    facts = look(ill)
    for name, skipped in (
        ("whole", ()),
        ("cut", (Skipped("the rows of shop.orders", f"only some were read: {OUT_OF_TIME}"),)),
    ):
        (tmp_path / name).write_text(facts_text(replace(facts, skipped=skipped)))
    done = nestling("doctor", "--facts", "cut", "--fail-on", "never", cwd=tmp_path)
    assert done.code == 0
    late = "Not looked at for lack of time (--budget-seconds gives more): the rows of shop.orders."
    assert done.out.splitlines()[1] == late
    nestling("doctor", "--facts", "cut", "--markdown", "a.md", "--fail-on", "never", cwd=tmp_path)
    assert late in (tmp_path / "a.md").read_text()
    whole = nestling("doctor", "--facts", "whole", "--fail-on", "never", cwd=tmp_path).out
    assert "lack of time" not in whole
    assert done.out.rstrip().endswith("1 warning; incomplete: 1 question not answered for lack of time.")
    both = ("--fail-on", "incomplete", "--fail-on", "never")
    assert nestling("doctor", "--facts", "cut", *both, cwd=tmp_path).code == 1
    assert nestling("doctor", "--facts", "whole", *both, cwd=tmp_path).code == 0


def test_a_name_in_another_case_is_told(ill: Database[dict[str, Any]], target: str) -> None:
    """The server tells the databases of two such names apart, and takes no second."""
    done = nestling("doctor", target.replace(ill.name, ill.name.upper()))
    assert (done.code, f"but there is `{ill.name}`" in done.err) == (2, True), done.err


def test_what_was_not_read_is_told(database: Database[dict[str, Any]], target: str) -> None:
    """The measurements of a time series are not among the documents looked at."""
    clean(database)
    database.create_collection("heat", timeseries={"timeField": "at"})
    done = nestling("doctor", target)
    assert (
        f"Not looked at: the measurements of {database.name}.heat: time series collections are not read yet" in done.out
    )


def test_names_that_differ_in_case_alone_are_one_finding(database: Database[dict[str, Any]], target: str) -> None:
    """With both names, and the command that renames the rarer."""
    clean(database)
    database.rides.insert_many({"status": "open"} if n % 4 else {"Status": "open"} for n in range(40))
    (finding,) = (
        e for e in nestling("doctor", target, "--json").json["findings"] if e["rule"] == "awkward-field-names"
    )
    assert finding["message"] == "names that differ only in case: `status` in 30 documents, `Status` in 10 documents"
    assert "$rename" in finding["commands"][0]
