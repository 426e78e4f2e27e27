"""`nestling explain`."""

from __future__ import annotations

from pathlib import Path

from tests.cli.commands import nestling, process


def test_one_decision(shop: Path) -> None:
    """The question, the number found, the rule, the seven factors and the alternatives of one relationship."""
    done = process("explain", "design.yaml", "product_review", cwd=shop)
    assert done.code == 0
    assert done.out.startswith("product_review: parent-reference (product 1:N review)\n")
    assert "at most 347" in done.out
    assert "  rule-4    arrays must not grow without bound" in done.out
    assert done.out.count("\n    ") == 7
    assert "  not embed: " in done.out


def test_every_decision(shop: Path) -> None:
    """Without a relationship all decisions are explained, one block each."""
    done = nestling("explain", "design.yaml", cwd=shop)
    assert done.out.count("factors (A7)") == 10


def test_json_shape(shop: Path) -> None:
    """`--json` has the documented keys; a part of a many-to-many is explained by the whole."""
    found = nestling("explain", "design.yaml", "category_product_category", "--json", cwd=shop).json
    assert set(found) == {"strategy", "decisions", "gaps", "notes"}
    (decision,) = found["decisions"]
    assert set(decision) == {"relationship", "subject", "choice", "patterns", "steps", "factors", "alternatives"}
    assert decision["relationship"] == "product_category"
    assert len(decision["factors"]) == 7


def test_an_unknown_relationship(shop: Path) -> None:
    """The closest names are suggested first."""
    done = nestling("explain", "design.yaml", "product_revew", cwd=shop)
    assert done.code == 2
    assert done.err.startswith("Error: no relationship `product_revew`; there is `product_review`, ")


def test_a_design_by_hand(tmp_path: Path, library: Path) -> None:
    """A design without decisions says so instead of printing nothing."""
    text = (library / "design.yaml").read_text(encoding="utf-8")
    head, _, rest = text.partition("\ndecisions:")
    kept = rest.split("\n")
    after = next((n for n, line in enumerate(kept[1:], 1) if line and not line.startswith((" ", "-"))), len(kept))
    (tmp_path / "hand.yaml").write_text(head + "\n" + "\n".join(kept[after:]), encoding="utf-8")
    done = nestling("explain", "hand.yaml", cwd=tmp_path)
    assert done.code == 0, done.err
    assert "written by hand" in done.err
