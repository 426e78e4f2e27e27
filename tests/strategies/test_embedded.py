"""`embedded`: what the invariants allow lives in its owner, what they forbid says why."""

from __future__ import annotations

from nestling.ir.model import OnDelete
from nestling.ir.primitives import Collection, Embedding
from nestling.ir.proposal import Choice, Proposal
from nestling.ir.workload import Requirements
from nestling.strategies import Thresholds, design
from tests.strategies.readings import entity, fan_out, reading, relationship, rows


def roots(proposal: Proposal) -> list[str]:
    return [each.root for each in proposal.design.collections]


def embedding(collection: Collection) -> Embedding:
    (found,) = collection.body.embeddings
    return found


def why_not(proposal: Proposal, name: str) -> str:
    decision = proposal.decision(name)
    assert decision is not None
    assert decision.choice is Choice.PARENT_REFERENCE
    return next(other.text for other in decision.alternatives if other.choice is Choice.EMBED)


def test_chains_are_embedded_all_the_way_down():
    """Orders in customers, lines in orders, and one collection in the end."""
    found = reading(
        [entity("customer"), entity("order", "customer_id"), entity("line", "order_id")],
        [relationship("customer", "order"), relationship("order", "line")],
    )
    proposal = design(found, "embedded")
    assert roots(proposal) == ["customer"]
    assert embedding(proposal.design.collections[0]).body.embeddings[0].relationship == "order_line"


def test_a_cycle_is_broken_once():
    """Stores with staff, staff with stores: one way is embedded, the other says why not."""
    found = reading(
        [entity("store", "staff_id"), entity("staff", "store_id")],
        [relationship("store", "staff"), relationship("staff", "store")],
    )
    proposal = design(found, "embedded")
    assert roots(proposal) == ["staff"]
    assert "cycle" in why_not(proposal, "store_staff")


def test_a_self_relationship_stays_a_reference():
    """A tree of employees cannot be embedded in itself."""
    found = reading(
        [entity("employee", "boss_id?")],
        [relationship("employee", "employee", by="boss_id", required=False)],
    )
    assert "itself" in why_not(design(found, "embedded"), "employee_employee")


def test_the_document_bound_is_kept_by_the_largest_fan_out():
    """Two thousand children of 10,000 bytes pass 16 MiB, though the mean of one child does not (A12)."""
    found = reading(
        [entity("host"), entity("message", "host_id", "text")],
        [relationship("host", "message")],
        counts={"message": rows(5000, text=10_000)},
        fan_outs={"host_message": fan_out(2000, mean=1)},
    )
    proposal = design(found, "embedded")
    assert roots(proposal) == ["host", "message"]
    assert "20," in why_not(proposal, "host_message")


def test_the_bound_holds_for_documents_that_grow_from_below():
    """An embedding deep down counts for the document it ends up in, whatever the order of embedding."""
    found = reading(
        [entity("a"), entity("b", "a_id"), entity("c", "b_id", "text")],
        [relationship("a", "b"), relationship("b", "c")],
        counts={"c": rows(100, text=2_000)},
        fan_outs={"a_b": fan_out(200), "b_c": fan_out(100)},
    )
    assert len(roots(design(found, "embedded"))) == 2


def test_the_array_bound_is_kept():
    """A required bound of 10 elements keeps 11 out."""
    found = reading(
        [entity("host"), entity("message", "host_id")],
        [relationship("host", "message")],
        fan_outs={"host_message": fan_out(11)},
        requirements=Requirements(array_bound=10),
    )
    assert roots(design(found, "embedded")) == ["host", "message"]


def test_what_is_declared_to_grow_is_not_embedded():
    """Growth without end is the one thing statistics of today cannot bound."""
    found = reading(
        [entity("host"), entity("message", "host_id")],
        [relationship("host", "message")],
        fan_outs={"host_message": fan_out(3, grows=1)},
    )
    assert "declared to grow" in why_not(design(found, "embedded"), "host_message")


def orphaned(share: float):
    return reading(
        [entity("host"), entity("message", "host_id?")],
        [relationship("host", "message", required=False)],
        counts={"message": rows(1000)},
        fan_outs={"host_message": fan_out(3, orphans=1000 * share, dangling=0)},
    )


def test_few_rows_without_a_parent_have_an_orphans_collection():
    """One in a hundred lacks its parent: embedded, the rest beside."""
    proposal = design(orphaned(0.01), "embedded")
    assert embedding(proposal.design.collections[0]).orphans == "message_orphans"


def test_many_rows_without_a_parent_are_referenced():
    """One in ten lacks its parent: that is no exception, unless the threshold says so."""
    assert "10.0%" in why_not(design(orphaned(0.1), "embedded"), "host_message")
    assert roots(design(orphaned(0.1), "embedded", Thresholds(orphan_share=0.2))) == ["host"]


def test_rows_that_dangle_against_the_schema_have_a_home_too():
    """A database that does not enforce its foreign keys: NOT NULL, required, and yet dangling."""
    found = reading(
        [entity("host"), entity("message", "host_id")],
        [relationship("host", "message")],
        fan_outs={"host_message": fan_out(3, dangling=2, orphans=0)},
    )
    assert embedding(design(found, "embedded").design.collections[0]).orphans == "message_orphans"


def test_the_owner_is_the_parent_the_key_contains():
    """A line is identified by its order, not by its product, though the product has fewer lines."""
    found = reading(
        [entity("sale"), entity("product"), entity("item", "product_id", key=("sale_id", "no"))],
        [relationship("sale", "item"), relationship("product", "item", on_delete=OnDelete.CASCADE)],
        fan_outs={"sale_item": fan_out(30), "product_item": fan_out(2)},
    )
    proposal = design(found, "embedded")
    assert roots(proposal) == ["sale", "product"]
    assert "already stored in `sale`" in why_not(proposal, "product_item")


def test_audit_columns_attract_nothing():
    """Creator and changer are mentions: a user does not own what it touched."""
    found = reading(
        [entity("user"), entity("visit", "creator_id", "changer_id")],
        [
            relationship("user", "visit", by="creator_id", name="created"),
            relationship("user", "visit", by="changer_id", name="changed"),
        ],
    )
    proposal = design(found, "embedded")
    assert roots(proposal) == ["user", "visit"]
    assert "2 times" in why_not(proposal, "created")


def test_a_hub_owns_only_what_says_so():
    """Of many relationships to one parent, the one whose deletion cascades is embedded."""
    names = [f"t{number}" for number in range(24)]
    found = reading(
        [entity("user"), *(entity(name, "user_id") for name in names)],
        [relationship("user", n, on_delete=OnDelete.CASCADE if n == "t3" else OnDelete.RESTRICT) for n in names],
    )
    proposal = design(found, "embedded")
    assert [name for name in names if name not in roots(proposal)] == ["t3"]


def test_huge_values_go_to_gridfs_and_keep_their_own_collection():
    """A column with values of 40 MB cannot lie in a document, embedded or not."""
    found = reading(
        [entity("album"), entity("scan", "album_id", "image")],
        [relationship("album", "scan")],
        counts={"scan": rows(10, image=40_000_000)},
    )
    for strategy in ("embedded", "normalized", "tree"):
        proposal = design(found, strategy)
        (split,) = next(each for each in proposal.design.collections if each.root == "scan").splits
        assert split.gridfs
        assert split.attributes == ("image",)
