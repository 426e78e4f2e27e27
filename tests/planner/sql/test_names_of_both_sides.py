"""A name that both sides of a join must have, and one that stands for whole rows."""

from __future__ import annotations

import pytest

from nestling.common.errors import GapError, WorkloadError
from nestling.planner.sql import translate
from nestling.sources.ddl import read_ddl

MODEL = read_ddl(
    "CREATE TABLE post (id int PRIMARY KEY, t text); CREATE TABLE pt (post_id int PRIMARY KEY, topic_id int);",
    "m",
    dialect="postgresql",
).model


def test_using_says_which_side_lacks_the_name() -> None:
    """The other one has it."""
    with pytest.raises(WorkloadError, match="no column `post_id` in `p`; it has `id`, `t`"):
        translate("SELECT p.id FROM post p JOIN pt USING (post_id)", MODEL, "postgresql")
    with pytest.raises(WorkloadError, match="no column `id` in `pt`; it has"):
        translate("SELECT p.id FROM post p JOIN pt USING (id)", MODEL, "postgresql")


def test_whole_rows_are_a_gap() -> None:
    """PostgreSQL counts those that differ; that is no mistake."""
    with pytest.raises(GapError, match="of whole rows"):
        translate("SELECT count(DISTINCT p.*) FROM post p", MODEL, "postgresql")
