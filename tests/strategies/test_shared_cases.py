"""Real schemas nobody here wrote: every table and relationship is decided on, quickly; and of our own."""

from __future__ import annotations

from pathlib import Path

import pytest

from nestling.sources.ddl import read_ddl
from nestling.strategies import design, strategy_names
from tests.shared_cases import CASES, OWN_SCHEMAS, case_name, shared

SCHEMAS = (*OWN_SCHEMAS, *sorted(CASES.glob("ddl/*/schema.sql")))


@pytest.mark.one_in(8)
@pytest.mark.parametrize("schema", SCHEMAS, ids=case_name)
def test_a_real_schema_has_three_designs(schema: Path):
    """Every entity has one home and every relationship a decision."""
    found = read_ddl(schema.read_text(errors="replace"), schema.parent.name)
    linked = {name for both in found.model.many_to_many for name in (both.left, both.right)}
    expected = len(found.model.relationships) - len(linked) + len(found.model.many_to_many)
    for strategy in strategy_names():
        proposal = design(found, strategy)
        assert len(proposal.decisions) == expected
        assert set(proposal.design.places) == {each.name for each in found.model.entities}


@shared
def test_audit_columns_of_openmrs_embed_nothing_in_users():
    """Dozens of tables name their creator; only what a user's key identifies lives with the user."""
    found = read_ddl((CASES / "ddl" / "openmrs" / "schema.sql").read_text(errors="replace"), "openmrs")
    proposal = design(found, "embedded")
    (place,) = proposal.design.places["users"]
    keys = [found.model.entity(each.body.entity).key for each in place.node.body.embeddings]
    assert keys
    assert all("user_id" in key for key in keys)
