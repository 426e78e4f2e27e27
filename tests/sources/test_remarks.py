"""Notes on what a model's own words do not tell."""

from __future__ import annotations

from pathlib import Path

import pytest

from nestling import pipeline


@pytest.mark.parametrize(
    ("mine", "its", "is_told"),
    [
        ("text", "integer!", True),
        ("integer", "text!", True),
        ("integer", "uuid!", True),
        ("integer", '"decimal(10,0)!"', False),
        ("any", "integer!", False),
        ("text", "\"enum('a', 'b')!\"", False),
    ],
)
def test_foreign_keys_of_another_type(tmp_path: Path, mine: str, its: str, is_told: bool) -> None:
    """A foreign key whose values equal none of the key it refers to is noted, once."""
    path = tmp_path / "model.yaml"
    path.write_text(
        "nestling: 1\nmodel:\n  name: x\n  entities:\n"
        f"    a: {{key: id, attributes: {{id: {its}}}}}\n"
        f"    b: {{key: id, attributes: {{id: integer!, a_id: {mine}}}}}\n"
        "  relationships:\n    ab: {parent: a, child: b, attributes: a_id}\n",
        encoding="utf-8",
    )
    notes = [note for note in pipeline.inspect(path).notes if note.startswith("`ab`: `b.a_id` is")]
    assert len(notes) == is_told


@pytest.mark.parametrize(("kind", "is_told"), [("VARCHAR(9)", True), ("ENUM('a', 'b')", False)])
def test_texts_unique_whatever_the_case(tmp_path: Path, kind: str, is_told: bool) -> None:
    """Beside texts that are unique to the letter; an enum keeps its labels in one spelling."""
    (tmp_path / "s.sql").write_text(
        f"CREATE TABLE v (id INT PRIMARY KEY, kind {kind}, ref VARCHAR(9) COLLATE utf8mb4_bin, UNIQUE KEY k (kind, ref))"
        " ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;",
        encoding="utf-8",
    )
    notes = [note for note in pipeline.inspect(tmp_path / "s.sql").notes if "unique regardless of case" in note]
    assert len(notes) == is_told
