"""What the documents of a collection are on average: how many, how long they and their arrays are, and what is in them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from nestling.ir.design import Design
from nestling.ir.freshness import TRANSACTION
from nestling.ir.model import Attribute, Entity, Relationship
from nestling.ir.paths.write_path import Constant, FieldMatch, Set, UpdateDocuments, WritePlan
from nestling.ir.primitives import (
    Before,
    Bucket,
    Collection,
    Computed,
    Copy,
    Document,
    Embedding,
    Field,
    Form,
    Holder,
    Member,
    Order,
    Overflow,
    Pairs,
    Reference,
    Slots,
    Split,
    Variant,
)
from nestling.ir.rows import AggregateKind, Hop
from nestling.ir.statistics import EntityStatistics, Quantity, RelationshipStatistics
from nestling.ir.types import INTEGER
from nestling.planner.work import documents_of, estimate_write
from nestling.planner.work.average_documents import AverageDocuments
from tests.planner.work.town import (
    BIO_BYTES,
    MODEL,
    OF_PEOPLE,
    OF_PETS,
    PEOPLE,
    PETS,
    PETS_EACH,
    STATISTICS,
    UNDATED,
    WITH_NICK,
    apart,
    inside,
    work,
)

OLD = Split("old_people", rows=Before("joined", "2010-01-01"))
"""Half of those whose day is known."""
OLD_SHARE = (1 - UNDATED) / 2


def documents(design: Design, name: str = "person") -> AverageDocuments:
    """Those of a collection."""
    store = next(each for each in design.stores if each.name == name)
    return documents_of(store, design, STATISTICS)


def of_person(body: Document, *others: Collection, splits: tuple[Split, ...] = ()) -> Design:
    """People stored like this, and other collections."""
    return Design(MODEL, (replace(OF_PEOPLE, body=body, splits=splits), *others))


def pets(overflow: Overflow | None = None, slots: Slots | None = None) -> Document:
    """A person with its pets in an array."""
    array = Embedding("pets", "owns", Form.ARRAY, Document("pet"), overflow=overflow, slots=slots)
    return Document("person", embeddings=(array,))


def test_a_document_is_as_large_as_what_lies_in_it() -> None:
    """A parent with its children is longer by these, and has their fields as often as there are children."""
    alone, together = documents(apart()), documents(inside())
    assert alone.count == together.count == PEOPLE
    assert alone.bytes > BIO_BYTES
    assert together.arrays == {"pets": PETS_EACH}
    assert together.bytes - alone.bytes == pytest.approx(together.array_bytes["pets"], abs=20)
    assert together.fields - alone.fields == pytest.approx(2 * PETS_EACH)
    kinds = together.known["pets.kind"]
    assert (kinds.distinct, kinds.each) == (10, PETS_EACH)
    assert together.known["nick"].missing == pytest.approx(1 - WITH_NICK)


def test_what_nobody_mentions_is_not_looked_at() -> None:
    """Of a document whose arrays a plan does not speak of, the rest is; a path in one or above it speaks of it."""
    found = documents(inside())
    assert found.read_bytes(frozenset({"pets.kind"})) == found.read_bytes(frozenset({"pets"})) == found.bytes
    assert found.bytes - found.read_bytes(frozenset({"rank"})) == pytest.approx(found.array_bytes["pets"])


def test_no_more_elements_than_an_array_takes() -> None:
    """Two stay, and the few owners' further ones lie in pages of two; places that are there before their rows are all there."""
    over = of_person(pets(Overflow(2, "more_pets")))
    assert documents(over).arrays["pets"] == 2
    assert documents(over).bytes < documents(inside()).bytes
    pages = documents(over, "more_pets")
    assert 1 <= pages.count < PETS / 10
    assert pages.arrays["pets"] == 2
    roomy = documents(of_person(pets(Overflow(50, "more_pets"))))
    assert roomy.arrays["pets"] == PETS_EACH
    assert documents(of_person(pets(slots=Slots("kind", 6, 0)))).arrays["pets"] == 6


def test_a_list_of_ids_has_one_for_each_child() -> None:
    """As many different ones as children; the child holds none."""
    listed = Document("person", references=(Reference("owns", Holder.PARENT, "pet_ids"),))
    design = of_person(listed, replace(OF_PETS, body=Document("pet")))
    found = documents(design)
    assert (found.arrays["pet_ids"], found.known["pet_ids"].distinct) == (PETS_EACH, PETS)
    assert found.bytes > documents(apart()).bytes + PETS_EACH * 8
    assert "owner" not in documents(design, "pet").known


def test_a_copy_has_the_values_of_what_it_copies() -> None:
    """Of the row above, once; of those below as many as there are, or as are let in."""
    up = Copy("who", (Hop("owns", up=True),), (Field("city", "city"),), Form.OBJECT, TRANSACTION)
    above = Design(MODEL, (OF_PEOPLE, replace(OF_PETS, body=replace(OF_PETS.body, copies=(up,)))))
    assert documents(above, "pet").known["who.city"] == documents(apart()).known["city"]

    def down(form: Form, limit: int | None) -> AverageDocuments:
        order = (Order("id"),) if limit else ()
        some = Copy(
            "some", (Hop("owns", up=False),), (Field("kind", "kind"),), form, TRANSACTION, order=order, limit=limit
        )
        return documents(of_person(Document("person", copies=(some,)), OF_PETS))

    first, every, bare = down(Form.ARRAY, 2), down(Form.ARRAY, 50), down(Form.SCALARS, None)
    assert [each.arrays["some"] for each in (first, every, bare)] == [2, PETS_EACH, PETS_EACH]
    assert first.bytes < every.bytes
    assert first.known["some.kind"].distinct == bare.known["some"].distinct == 10
    assert first.known["some.kind"].each == 2


def test_an_archive_has_the_rows_of_before() -> None:
    """Rows without a date are never before one, so they stay; both collections have all people between them."""
    design = of_person(OF_PEOPLE.body, OF_PETS, splits=(OLD,))
    home, archive = documents(design), documents(design, "old_people")
    assert (home.count, archive.count) == pytest.approx((PEOPLE * (1 - OLD_SHARE), PEOPLE * OLD_SHARE), rel=0.001)
    assert archive.known["joined"].missing == 0
    assert home.known["joined"].missing == pytest.approx(UNDATED / (1 - OLD_SHARE), rel=0.001)
    assert home.known["city"].distinct == archive.known["city"].distinct == 100


@pytest.mark.parametrize(
    ("asked", "share", "archive"),
    [
        ("joined >= '2015-01-01'", (1 - UNDATED) / 4, False),
        ("joined >= '2010-01-01'", (1 - UNDATED) / 2, False),
        ("joined >= '2005-01-01'", (1 - UNDATED) * 3 / 4, True),
        ("joined < '2005-01-01'", (1 - UNDATED) / 4, True),
        ("city = 5", 0.01, True),
    ],
)
def test_an_archive_is_left_out_where_all_it_has_is_too_old(asked: str, share: float, archive: bool) -> None:
    """It is asked like the home; a range that begins no earlier than the home's rows has it left alone."""
    design = of_person(OF_PEOPLE.body, OF_PETS, splits=(OLD,))
    found = work(f"SELECT bio FROM person WHERE {asked}", design)
    assert found.results == pytest.approx(PEOPLE * share, rel=0.002)
    assert found.scanned == pytest.approx(PEOPLE if archive else PEOPLE * (1 - OLD_SHARE), rel=0.001)
    assert found.lookups == archive


def test_what_is_split_off_is_read_only_where_it_is_asked_for() -> None:
    """The text lies in documents of its own, as many as people; their others are shorter by it."""
    design = of_person(OF_PEOPLE.body, OF_PETS, splits=(Split("texts", ("bio",)),))
    whole, rest, part = documents(apart()), documents(design), documents(design, "texts")
    assert whole.bytes - rest.bytes == pytest.approx(BIO_BYTES, rel=0.05)
    assert (part.count, "bio" in rest.known, "bio" in part.known) == (PEOPLE, False, True)
    one, other = (work(f"SELECT {what} FROM person WHERE id = 5", design) for what in ("rank", "bio"))
    assert (one.documents, one.read_bytes) == pytest.approx((1, rest.bytes))
    assert other.read_bytes > BIO_BYTES


def test_buckets_are_as_few_as_their_rows_fill() -> None:
    """Three thousand pets of each kind, a thousand in a bucket: three buckets of a kind."""
    by_kind = Design(MODEL, (OF_PEOPLE, replace(OF_PETS, id=(), bucket=Bucket(("kind",), "events", 1_000))))
    found = documents(by_kind, "pet")
    assert (found.count, found.arrays["events"]) == pytest.approx((PETS / 1_000, 1_000))
    assert found.known["kind"].distinct == 10
    assert found.bytes > 1_000 * 2 * 8


def test_pairs_are_as_many_as_there_are_values() -> None:
    """A nickname six in ten have, a day nine in ten: one and a half pairs each."""
    found = documents(of_person(Document("person", pairs=(Pairs("extra", ("nick", "joined")),)), OF_PETS))
    assert found.arrays["extra"] == pytest.approx(WITH_NICK + 1 - UNDATED)
    assert found.known["extra.nick"].missing == pytest.approx(1 - WITH_NICK)


def test_arrays_found_by_an_element_are_longer() -> None:
    """Evenly from none to six pets: who has a certain one has a third more than people have, and a longer document by these."""
    lying = RelationshipStatistics(mean=Quantity(3), p50=Quantity(3), maximum=Quantity(6))
    found = documents_of(inside().store("person"), inside(), replace(STATISTICS, relationships=(("owns", lying),)))
    some = found.holding("pets.kind", 0.0)
    assert some.arrays["pets"] == pytest.approx(4)
    assert some.bytes - found.bytes == pytest.approx(found.array_bytes["pets"] / 3)
    assert found.holding("pets", 1.0).arrays == found.arrays
    assert found.arrays["pets"] < found.holding("pets", 0.5).arrays["pets"] < 4
    assert found.holding("city", 0.0) == found


def test_documents_of_two_kinds_are_mixed_by_their_numbers() -> None:
    """One in four is a person: three in four documents have no city, and of a person's own fields a quarter counts."""
    both = Variant("what", "person", (Member("pet", Document("pet", references=OF_PETS.body.references)),))
    design = Design(MODEL, (replace(OF_PEOPLE, variant=both),))
    mixed, person, pet = documents(design), documents(apart()), documents(apart(), "pet")
    assert mixed.count == PEOPLE + PETS
    assert mixed.known["city"].missing == pytest.approx(PETS / mixed.count)
    assert mixed.known["nick"].missing == pytest.approx(1 - PEOPLE / mixed.count * WITH_NICK)
    assert mixed.known["kind"].missing == pytest.approx(PEOPLE / mixed.count)
    apiece = (PEOPLE * person.bytes + PETS * pet.bytes) / mixed.count
    assert mixed.bytes == pytest.approx(apiece, abs=30)


@pytest.mark.parametrize("kind", ["person", "pet"])
def test_children_of_either_kind_are_as_many_as_for_their_own_parents(kind: str) -> None:
    """Where nobody counted fan-outs, children are shared out among the documents of their parents' kind."""
    toy = Entity("toy", (Attribute("id", INTEGER, nullable=False), Attribute("of", INTEGER, nullable=False)), ("id",))
    link = Relationship("has", kind, "toy", ("id",), ("of",), required=True)
    toys = (Embedding("toys", "has", Form.ARRAY, Document("toy")),)
    person = Document("person", embeddings=toys if kind == "person" else ())
    pet = Document("pet", references=OF_PETS.body.references, embeddings=toys if kind == "pet" else ())
    both = Variant("what", "person", (Member("pet", pet),))
    model = replace(MODEL, entities=(*MODEL.entities, toy), relationships=(*MODEL.relationships, link))
    design = Design(model, (replace(OF_PEOPLE, body=person, variant=both),))
    known = replace(STATISTICS, entities=(*STATISTICS.entities, ("toy", EntityStatistics(Quantity(60_000)))))
    found = documents_of(design.store("person"), design, known)
    of_kind = {"person": PEOPLE, "pet": PETS}[kind]
    assert found.arrays["toys"] == pytest.approx(60_000 / of_kind * (of_kind / (PEOPLE + PETS)))


@pytest.mark.parametrize(("step", "written"), [(1, 1.0), (20, 0.05)])
def test_an_approximation_is_seldom_written(step: int, written: float) -> None:
    """A count in steps of twenty is what it was nineteen times of twenty; other fields beside it are written each time."""
    count = Computed("pets", (Hop("owns", up=False),), AggregateKind.COUNT, TRANSACTION, step=step)
    design = of_person(Document("person", computed=(count,)), OF_PETS)
    by_id = (FieldMatch("_id", Constant(5)),)

    def updates(*fields: str) -> float:
        changes = tuple(Set(name, Constant(1)) for name in fields)
        plan = WritePlan((UpdateDocuments("person", by_id, changes),), ())
        return estimate_write(plan, design, STATISTICS).updates

    assert updates("pets") == pytest.approx(written)
    assert updates("rank") == updates("rank", "pets") == 1


def test_what_the_cache_does_not_hold_is_read_from_disk() -> None:
    """A tenth of the people: of the documents that are fetched that share costs a page each, and its bytes."""
    sql = "SELECT bio FROM person WHERE id = 5"
    held, cold = work(sql, apart()), work(sql, apart(), cold={"person": 0.1})
    assert held.cold_pages == held.cold_bytes == 0
    assert cold.cold_pages == pytest.approx(0.1, rel=0.02)
    assert cold.cold_bytes == pytest.approx(0.1 * held.read_bytes)
    assert cold._replace(cold_pages=0.0, cold_bytes=0.0) == held
    assert work(sql, inside(), cold={"pet": 0.2}).cold_bytes == pytest.approx(0.2 * work(sql, inside()).read_bytes)
    assert work(sql, apart(), cold={"pet": 0.2}).cold_bytes == 0
