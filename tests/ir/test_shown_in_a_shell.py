"""What a Python shell shows of a reading, a design, a proof and findings is a line or two, however much there is of them."""

from __future__ import annotations

from dataclasses import replace

from nestling import pipeline
from nestling.ir.finding import Confidence, Finding, Findings, Severity
from tests.emitters.proofs import PROOF
from tests.planner.reads.shop import READING


def test_a_shell_shows_a_line() -> None:
    """The name, and how much there is."""
    assert repr(READING) == "<Reading 'shop' of no source: 7 entities, 6 relationships, 0 statements, 0 gaps>"
    proposal = pipeline.design(READING, "normalized")
    assert repr(proposal) == "<Proposal 'shop' by strategy 'normalized': 7 collections, 5 indexes, 6 decisions>"


def test_a_shell_shows_a_proof_in_a_line() -> None:
    """The designs by name, and the best."""
    text = repr(PROOF)
    assert text.startswith("<Proof of ")
    assert f"best {PROOF.best or 'none'}" in text
    assert len(text) < 300


def test_a_shell_counts_findings_by_rule() -> None:
    """The rules that found most stand first."""
    one = Finding("a-rule", Severity.INFO, Confidence.CERTAIN, "db.c", "p", "m", 1.0, "", None, "", "", "")
    assert repr(Findings((replace(one, rule="other"), one, one))) == "<3 findings: a-rule 2, other 1>"
    assert repr(Findings()) == "<0 findings>"
