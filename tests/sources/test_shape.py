"""Declared tables become one model: relationships, their names, many-to-many, hierarchies, and gaps for the rest."""

from __future__ import annotations

import itertools

import pytest

from nestling.ir.model import Attribute, Cardinality, Model, OnDelete
from nestling.ir.types import INTEGER
from nestling.sources.roles import discriminator, parent_role
from nestling.sources.shape import shape
from nestling.sources.tables import ForeignKey, Table, find_name


def table(name, columns, key="id", uniques=(), keys=(), nullable=""):
    """A table of whole numbers from words: `columns` and `key` by blanks, `keys` as (columns, table[, referenced])."""
    return Table(
        name=name,
        columns=tuple(Attribute(column, INTEGER, nullable=column in nullable.split()) for column in columns.split()),
        key=tuple(key.split()),
        uniques=tuple(tuple(unique.split()) for unique in uniques),
        foreign_keys=tuple(
            ForeignKey(tuple(found[0].split()), found[1], tuple(found[2].split()) if len(found) > 2 else ())
            for found in keys
        ),
    )


def model_of(*tables):
    """The model, when there must be no gap."""
    model, gaps, _ = shape(tables, "m")
    assert gaps == ()
    return model


def only_gap(*tables):
    """The text of the only gap."""
    _, gaps, _ = shape(tables, "m")
    assert len(gaps) == 1
    return str(gaps[0])


def test_a_foreign_key_is_a_relationship_with_roles():
    """One foreign key: named after both tables, the parent's role from the column, the child's from the table."""
    model = model_of(table("customer", "id"), table("orders", "id buyer_id", keys=[("buyer_id", "customer")]))
    (link,) = model.relationships
    assert (link.name, link.parent, link.child) == ("customer_orders", "customer", "orders")
    assert (link.parent_role, link.child_role) == ("buyer", "orders")
    assert (link.parent_attributes, link.child_attributes) == (("id",), ("buyer_id",))
    assert (link.cardinality, link.required) == (Cardinality.ONE_TO_MANY, True)


def test_several_foreign_keys_between_two_tables_are_told_by_their_columns():
    """Home and away team: neither takes the short name."""
    model = model_of(table("team", "id"), table("game", "id home away", keys=[("home", "team"), ("away", "team")]))
    assert [link.name for link in model.relationships] == ["team_game_by_home", "team_game_by_away"]


def test_two_foreign_keys_over_the_same_columns_to_two_keys_of_one_table_get_two_names():
    """Names stay apart even when the columns are the same."""
    teams = table("team", "id code", uniques=["code"])
    model = model_of(teams, table("game", "id t", keys=[("t", "team", "id"), ("t", "team", "code")]))
    assert sorted(link.name for link in model.relationships) == ["team_game_by_t", "team_game_by_t_2"]


def test_names_that_would_collide_are_made_apart():
    """`a` + `b_c` and `a_b` + `c` both read `a_b_c`; so would a junction of that name."""
    model = model_of(
        table("a", "id"),
        table("a_b", "id"),
        table("b_c", "id a_id", keys=[("a_id", "a")]),
        table("c", "id x", keys=[("x", "a_b")]),
        table("a_b_c", "p q", key="p q", keys=[("p", "a"), ("q", "c")]),
    )
    names = [link.name for link in model.relationships] + [link.name for link in model.many_to_many]
    assert len(names) == len(set(names)) == 5
    assert [link.name for link in model.many_to_many] == ["a_b_c"]


def test_names_do_not_depend_on_the_order_of_tables():
    """A live database lists tables in another order than its DDL file."""
    tables = [
        table("a", "id"),
        table("a_b", "id"),
        table("b_c", "id a_id", keys=[("a_id", "a")]),
        table("c", "id x", keys=[("x", "a_b")]),
    ]
    found = set()
    for order in itertools.permutations(tables):
        found.add(frozenset((link.name, link.child) for link in model_of(*order).relationships))
    assert len(found) == 1


def test_a_nullable_foreign_key_is_not_required():
    """One nullable column of several is enough for a row to have no parent."""
    model = model_of(
        table("p", "x y", key="x y"), table("c", "id x y", keys=[("x y", "p")], nullable="y"),
    )  # fmt: skip
    assert not model.relationships[0].required


def test_a_foreign_key_nothing_enforces_is_not_required_and_noted_once():
    """NOT NULL says nothing about the parent's existence where the database does not look."""
    keys = tuple(ForeignKey((name,), "p", enforced=False) for name in "ab")
    child = Table("c", tuple(Attribute(name, INTEGER, nullable=False) for name in ("id", "a", "b")), ("id",), (), keys)
    model, gaps, notes = shape([table("p", "id"), child], "m")
    assert not any(link.required for link in model.relationships)
    assert gaps == ()
    assert notes == ("foreign keys that are not enforced, so rows without a parent may exist: `c` (a), `c` (b)",)


@pytest.mark.parametrize(
    ("key", "uniques", "columns", "expected"),
    [
        ("id", ["u"], "u", Cardinality.ONE_TO_ONE),
        ("u", [], "u", Cardinality.ONE_TO_ONE),
        ("id", ["v"], "u", Cardinality.ONE_TO_MANY),
        ("id", ["u v"], "u", Cardinality.ONE_TO_MANY),
        ("u v", [], "u", Cardinality.ONE_TO_MANY),
    ],
)
def test_unique_foreign_keys_are_one_to_one(key, uniques, columns, expected):
    """1:1 exactly when the foreign key's columns hold a whole unique group."""
    model = model_of(table("p", "id"), table("c", "id u v", key=key, uniques=uniques, keys=[(columns, "p")]))
    assert model.relationships[0].cardinality is expected


def test_a_unique_column_makes_a_wider_foreign_key_one_to_one():
    """A composite foreign key with a unique column in it cannot repeat."""
    model = model_of(table("p", "x y", key="x y"), table("c", "id x y", uniques=["x"], keys=[("x y", "p")]))
    assert model.relationships[0].cardinality is Cardinality.ONE_TO_ONE


# --- many-to-many ----------------------------------------------------------------------------------------------------


def test_a_junction_is_a_many_to_many_with_its_payload():
    """The key is exactly two foreign keys; further attributes do not matter."""
    model = model_of(
        table("book", "id"),
        table("author", "id"),
        table(
            "wrote",
            "author_id book_id share",
            key="author_id book_id",
            keys=[("book_id", "book"), ("author_id", "author")],
        ),
    )
    (link,) = model.many_to_many
    assert (link.name, link.through, link.left, link.right) == ("wrote", "wrote", "author_wrote", "book_wrote")
    assert model.entity("wrote").attribute_names == ("author_id", "book_id", "share")


def test_a_junction_by_a_unique_group_with_a_key_of_its_own():
    """A surrogate key beside a unique pair is the same thing."""
    keys = [("a", "p"), ("b", "q")]
    junction = table("j", "id a b", uniques=["a b"], keys=keys)
    assert [link.name for link in model_of(table("p", "id"), table("q", "id"), junction).many_to_many] == ["j"]


def test_a_nullable_unique_pair_is_no_junction():
    """NULLs may repeat in a unique group, and such rows link nothing."""
    junction = table("j", "id a b", uniques=["a b"], keys=[("a", "p"), ("b", "q")], nullable="b")
    assert model_of(table("p", "id"), table("q", "id"), junction).many_to_many == ()


def test_a_junction_of_a_table_with_itself():
    """Followers: both foreign keys lead to the same table."""
    model = model_of(
        table("person", "id"),
        table(
            "follows",
            "follower followee",
            key="follower followee",
            keys=[("follower", "person"), ("followee", "person")],
        ),
    )
    (link,) = model.many_to_many
    assert (link.left, link.right) == ("person_follows_by_follower", "person_follows_by_followee")


def test_foreign_keys_of_a_junction_may_share_a_column():
    """Tenants: both foreign keys hold the tenant."""
    model = model_of(
        table("a", "tenant id", key="tenant id"),
        table("b", "tenant id", key="tenant id"),
        table("j", "tenant a b", key="tenant a b", keys=[("tenant a", "a"), ("tenant b", "b")]),
    )
    assert [link.name for link in model.many_to_many] == ["j"]


@pytest.mark.parametrize(
    ("columns", "key", "keys"),
    [
        ("a b n", "a b n", [("a", "p"), ("b", "q")]),
        ("a b c", "a b c", [("a", "p"), ("b", "q"), ("c", "p")]),
        ("a b", "a b", [("a", "p")]),
        ("id a b", "id", [("a", "p"), ("b", "q")]),
    ],
)
def test_what_is_no_junction(columns, key, keys):
    """A key wider than two foreign keys, three of them, only one, or a key of its own without a unique pair."""
    assert model_of(table("p", "id"), table("q", "id"), table("j", columns, key=key, keys=keys)).many_to_many == ()


# --- hierarchies -----------------------------------------------------------------------------------------------------


def test_two_tables_that_share_their_parents_key_are_subtypes():
    """Cars and boats: the vehicle's key is their own."""
    model = model_of(
        table("vehicle", "id wheels"),
        table("car", "id", keys=[("id", "vehicle")]),
        table("boat", "id", keys=[("id", "vehicle")]),
    )
    (hierarchy,) = model.hierarchies
    assert (hierarchy.name, hierarchy.supertype) == ("vehicle", "vehicle")
    assert hierarchy.subtypes == ("vehicle_car", "vehicle_boat")
    assert {link.cardinality for link in model.relationships} == {Cardinality.ONE_TO_ONE}


def test_one_subtype_needs_a_column_that_tells_it():
    """One detail table is a 1:1; with a `type` beside it, a subtype."""
    car = table("car", "id", keys=[("id", "vehicle")])
    assert model_of(table("vehicle", "id wheels"), car).hierarchies == ()
    (hierarchy,) = model_of(table("vehicle", "id vehicle_type"), car).hierarchies
    assert hierarchy.subtypes == ("vehicle_car",)


def test_a_type_that_refers_to_a_table_does_not_make_one_detail_table_a_subtype():
    """`artist.type` refers to `artist_type`: a classification."""
    model = model_of(
        table("artist_type", "id"),
        table("artist", "id type", keys=[("type", "artist_type")]),
        table("artist_meta", "id", keys=[("id", "artist")]),
    )
    assert model.hierarchies == ()


def test_tables_that_share_keys_in_a_ring_do_not_hang():
    """Two tables that are each other's supertype are a cycle; there is at most one reading of it."""
    model = model_of(
        table("a", "id type", keys=[("id", "b")]), table("b", "id type", keys=[("id", "a")]),
    )  # fmt: skip
    assert len(model.relationships) == 2
    assert model.hierarchies == ()


def test_three_levels_are_two_hierarchies():
    """A subtype may itself be a supertype."""
    model = model_of(
        table("party", "id kind"),
        table("person", "id kind", keys=[("id", "party")]),
        table("employee", "id", keys=[("id", "person")]),
    )
    assert [(h.supertype, h.subtypes) for h in model.hierarchies] == [
        ("party", ("party_person",)),
        ("person", ("person_employee",)),
    ]


# --- names -----------------------------------------------------------------------------------------------------------


def test_names_in_foreign_keys_may_differ_by_case():
    """SQL does not care; the model uses the declared spelling."""
    model = model_of(
        table("Album", "AlbumId", key="AlbumId"),
        table("Track", "Id AlbumID", key="Id", keys=[("ALBUMid", "ALBUM", "albumid")]),
    )
    (link,) = model.relationships
    assert (link.parent, link.child_attributes, link.parent_attributes) == ("Album", ("AlbumID",), ("AlbumId",))


def test_tables_that_differ_only_by_case_stay_two():
    """An exact match wins; without one the reference is ambiguous and a gap."""
    tables = [table("T", "id"), table("t", "id"), table("c", "id t_id", keys=[("t_id", "t")])]
    assert model_of(*tables).relationships[0].parent == "t"
    assert "no table `tT`" in only_gap(table("Tt", "id"), table("tt", "id"), table("c", "id x", keys=[("x", "tT")]))


@pytest.mark.parametrize("name", ["Order Details", "a.b", "$system", "größe", "table", "naïve 名前", 'has "quotes"'])
def test_odd_names_stay_as_they_are(name):
    """Whatever a table or column may be called, it is called that in the model."""
    model = model_of(
        Table(name, (Attribute(name, INTEGER, nullable=False),), (name,)),
        Table(
            "child",
            (Attribute("id", INTEGER, nullable=False), Attribute("ref", INTEGER)),
            ("id",),
            (),
            (ForeignKey(("ref",), name),),
        ),
    )
    (link,) = model.relationships
    assert (link.name, link.parent, link.parent_attributes) == (f"{name}_child", name, (name,))


@pytest.mark.parametrize(
    ("column", "role"),
    [
        ("author_id", "author"), ("AuthorId", "Author"), ("AUTHOR_ID", "AUTHOR"), ("emp_no", "emp"), ("authorID", "author"),
        ("parent", "parent"), ("id", "person"), ("paid", "paid"), ("_id", "_id"), ("valid", "valid"), ("country_code", "country"),
    ],
)  # fmt: skip
def test_parent_roles(column, role):
    """A role is the column without the suffix that says it is a key."""
    assert parent_role((column,), "person") == role


def test_a_composite_foreign_key_has_its_parents_name_for_a_role():
    """Several columns have no one name."""
    assert parent_role(("a_id", "b_id"), "person") == "person"


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ("id type", "type"),
        ("id blood_type kind", "kind"),
        ("id vehicleType", "vehicleType"),
        ("id prototype", None),
        ("id", None),
    ],
)
def test_discriminators(columns, expected):
    """`type` or `kind`, alone before with more in front; not any word that ends so."""
    assert discriminator(model_of(table("t", columns)).entity("t")) == expected


def test_find_name_prefers_the_exact_one():
    """Exact, else the only one but for case, else none."""
    assert find_name("a", ["A", "a"]) == "a"
    assert find_name("A", ["a", "b"]) == "a"
    assert find_name("aB", ["AB", "ab"]) is None
    assert find_name("ẞ", ["ß", "x"]) == "ß"


# --- what cannot stand -----------------------------------------------------------------------------------------------


def test_a_foreign_key_to_an_unknown_table_is_a_gap_with_a_suggestion():
    """What exists is said, the closest first; the tables stay."""
    gap = only_gap(table("customer", "id"), table("orders", "id c", keys=[("c", "custmer")]))
    assert "foreign key (c) of `orders` to `custmer`: no table `custmer`; there is `customer`, `orders`" in gap


def test_a_foreign_key_over_or_to_an_unknown_column_is_a_gap():
    """Both sides are looked at."""
    parent = table("p", "id")
    assert "no column `y` in `c`; it has `id`, `x`" in only_gap(parent, table("c", "id x", keys=[("y", "p")]))
    assert "no column `di` in `p`; it has `id`" in only_gap(parent, table("c", "id x", keys=[("x", "p", "di")]))


def test_a_foreign_key_to_columns_that_are_not_unique_is_a_gap():
    """A relationship leads to one parent row or none."""
    assert "v of `p` is not unique" in only_gap(table("p", "id v"), table("c", "id x", keys=[("x", "p", "v")]))
    assert "`p` has no key" in only_gap(table("p", "v", key=""), table("c", "id x", keys=[("x", "p")]))


def test_a_foreign_key_of_another_length_than_its_target_is_a_gap():
    """One column cannot refer to two."""
    assert "1 columns refer to 2" in only_gap(table("p", "x y", key="x y"), table("c", "id x", keys=[("x", "p")]))


def test_a_foreign_key_may_name_the_targets_columns_in_another_order():
    """The pairs count, not their order."""
    model = model_of(table("p", "x y", key="x y"), table("c", "id a b", keys=[("b a", "p", "y x")]))
    assert model.relationships[0].parent_attributes == ("y", "x")


def test_a_foreign_key_declared_twice_is_one_relationship_and_a_note():
    """The same pairs to the same table, in whatever order."""
    child = table("c", "id x y", keys=[("x y", "p"), ("y x", "p", "b a")])
    model, gaps, notes = shape([table("p", "a b", key="a b"), child], "m")
    assert len(model.relationships) == 1
    assert gaps == ()
    assert notes == ("foreign key (y, x) of `c` to `p` is declared twice",)


def test_tables_and_columns_declared_twice_and_tables_without_columns_are_gaps():
    """Each is listed, and the rest of the model stands."""
    twice = Table("t", (Attribute("id", INTEGER), Attribute("id", INTEGER)), ("id",))
    model, gaps, _ = shape([twice, twice, Table("empty", ())], "m")
    assert [entity.attribute_names for entity in model.entities] == [("id",)]
    assert sorted(gap.what for gap in gaps) == [
        "column `id` of `t` is declared twice; the first declaration counts",
        "table `empty` has no columns",
        "table `t` is declared twice; the first declaration counts",
    ]


def test_keys_and_uniques_over_unknown_columns_are_gaps():
    """The table stays, without that key."""
    model, gaps, _ = shape([table("t", "id", key="di", uniques=["x"])], "m")
    assert model.entity("t").key == ()
    assert [gap.what for gap in gaps] == [
        "the key of `t` names `di`; it has `id`",
        "the unique constraint of `t` names `x`; it has `id`",
    ]


def test_a_unique_group_that_repeats_the_key_is_left_out():
    """Nor is one said twice kept twice."""
    assert model_of(table("t", "a b", key="a b", uniques=["b a", "a", "a"])).entity("t").uniques == (("a",),)


def test_self_references_and_cycles_are_relationships():
    """A tree, and two tables that refer to each other."""
    model = model_of(
        table("a", "id b_id parent_id", keys=[("b_id", "b"), ("parent_id", "a")]), table("b", "id a_id", keys=[("a_id", "a")]),
    )  # fmt: skip
    assert {(link.name, link.is_self) for link in model.relationships} == {
        ("b_a", False),
        ("a_a", True),
        ("a_b", False),
    }


def test_on_delete_is_kept():
    """What happens to children stays known."""
    key = ForeignKey(("p_id",), "p", on_delete=OnDelete.CASCADE)
    child = Table("c", (Attribute("p_id", INTEGER),), (), (), (key,))
    assert model_of(table("p", "id"), child).relationships[0].on_delete is OnDelete.CASCADE


def test_no_tables_are_an_empty_model():
    """An empty database is a model without entities."""
    assert model_of() == Model("m", ())
