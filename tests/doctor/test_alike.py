"""Findings told once for several collections."""

from __future__ import annotations

import pytest

from nestling.cli.doctor import show
from nestling.doctor.report import Report
from nestling.doctor.reports.merged_findings import alike
from nestling.ir.facts import Facts, ServerFacts
from nestling.ir.finding import Confidence, Finding, Severity

COST = "documents of any shape are silently accepted"


def finding(name: str, number: float, *, rule: str = "no-validator", path: str = "", message: str = "") -> Finding:
    said = message or (f"{number:,.0f} documents and no validator" if number != 1 else "1 document and no validator")
    unit, source = ("bytes", "nestling") if rule == "large" else ("documents", "nestling")
    return Finding(
        rule, Severity.INFO, Confidence.CERTAIN, f"shop.{name}", path, said, number, unit, 0, source, COST, "Add one."
    )


def test_the_same_of_several_collections_is_one_row() -> None:
    """Those of a family are named as one, and the numbers go from the least to the largest."""
    found = [finding(name, number) for name, number in (("users", 1), ("orders", 5_000))]
    found += [finding(f"logs_2025_{month:02}", 100 * month) for month in range(1, 13)]
    (told,) = alike(found)
    assert told.first.namespace == "shop.orders"
    assert told.place == "shop.logs_2025_# (12 collections), shop.orders, shop.users"
    assert told.measured == "1 to 5,000 documents (threshold 0 documents: nestling)"


@pytest.mark.parametrize(
    "other",
    [
        finding("users", 7, path="name"),
        finding("users", 7, rule="weak-validator"),
        finding("users", 7, message="7 documents and a validator that refuses nothing"),
    ],
)
def test_another_place_rule_or_text_is_another_row(other: Finding) -> None:
    """Nothing that differs in more than its numbers is told as the same."""
    assert [each.findings for each in alike([finding("orders", 7), other])] == [(finding("orders", 7),), (other,)]


def test_sizes_keep_their_units() -> None:
    """Bytes are told in the unit each reads best in."""
    large, small = finding("a", 3e6, rule="large", message="x"), finding("b", 900, rule="large", message="x")
    (told,) = alike([small, large])
    assert told.measured.startswith("900 bytes to 3.0 MB")


def test_the_verdict_counts_the_rows_too(capsys: pytest.CaptureFixture[str]) -> None:
    """Where the table has fewer rows than there are findings."""
    facts = Facts("", ServerFacts("6.0.5"), ("shop",), ())
    show(Report(facts, tuple(finding(name, 7) for name in ("users", "orders", "lines"))))
    assert capsys.readouterr().out.endswith("\n3 infos. The table has 1 row, as those alike share one.\n")
    show(Report(facts, (finding("users", 7), finding("users", 7, path="name"))))
    assert capsys.readouterr().out.endswith("\n2 infos.\n")
