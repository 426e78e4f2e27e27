"""What a statement accesses: every occurrence of an entity, its attributes, filters and order, and how joins reach it."""

from __future__ import annotations

import pytest

from nestling.ir.reading import Reading
from nestling.ir.text import read_reading, write_reading
from nestling.sources.ddl import read_ddl
from nestling.sources.statements import parse_workload
from tests.sources.statements.shop import accesses, gaps_of, statement


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("id = 1", "id ="), ("id = :x", "id ="), ("1 = id", "id ="), ("id IS NULL", "id ="), ("id = 1 + :x", "id ="),
        ("id = :select", "id ="), ("id BETWEEN :from AND :to", "id range"), ("id IN (:in, :order)", "id in"),
        ("id > 1", "id range"), (":x >= id", "id range"), ("id BETWEEN 1 AND :x", "id range"), ("name LIKE 'a%'", "name range"),
        ("id IN (1, :x)", "id in"), ("id IN (:xs)", "id in"), ("id IN :xs", "id in"),
        ("id = 1 OR id = 2 OR id IN (3, 4)", "id in"),
        ("name LIKE '%a'", "name pattern"), ("name LIKE :x", "name pattern"), ("id <> 1", "id other"),
        ("id IS NOT NULL", "id other"),
        ("NOT id = 1", "id other"), ("id NOT IN (1, 2)", "id other"), ("lower(name) = 'a'", "name cased"),
        ("'a' = (upper(name))", "name cased"), ("lower(name) IN ('a', :x)", "name folded"), ("lower(name) <> 'a'", "name other"),
        ("lower(name) LIKE 'a%'", "name pattern"), ("name GLOB 'a*' OR id <> 1", "name pattern, id other"),
        ("name LIKE 'a!%' ESCAPE '!'", "name pattern"), ("name NOT LIKE 'a%'", "name other"),
        ("NOT (name LIKE :x)", "name other"),
        ("name <> 'lower(a) LIKE'", "name other"),
        ("id + 1 = 2", "id other"),
        ("id = 1 OR name = 'b'", "id other, name other"), ("(id = 1 AND (name = 'a'))", "id =, name ="),
        ("(id, name) = (1, 'a')", "id =, name ="), ("(id, name) IN ((1, 'a'))", "id in, name in"),
        ("(id, name) > (:x, 'a')", "id range"), ("(:x, 'a') >= (id, name)", "id range"),
        ("id = (SELECT max(1))", "id ="),
        ("id = name", ""), ("1 = 1", ""),
    ],
)  # fmt: skip
def test_filters(condition, expected):
    """The class of comparison is what an index could do for it."""
    (line,) = accesses(f"SELECT price FROM product WHERE {condition}")
    found = line.split(" | ")[1] if " | " in line else ""
    assert found == expected


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("name", "by name"), ("name DESC, price", "by -name, price"), ("2", "by price"), ("cost", "by price"), ("p.id", "by id"),
        ("lower(name)", ""), ("9", ""),
    ],
)  # fmt: skip
def test_sort(order, expected):
    """By columns, outputs or positions; an expression helps no index."""
    (line,) = accesses(f"SELECT name, price AS cost FROM product p ORDER BY {order}")
    assert (line.split(" | ")[1:] or [""])[-1] == expected


def test_sort_of_a_union_reaches_all_its_parts():
    """The order of the whole is an order of each."""
    lines = accesses("SELECT id, name FROM customer UNION ALL SELECT id, name FROM product ORDER BY name")
    assert lines == ["select customer: id, name | by name", "select product: id, name | by name"]


@pytest.mark.parametrize(
    ("select", "expected"),
    [
        ("*", "id, name, price"), ("p.*", "id, name, price"), ("count(*)", ""), ("NAME", "name"), ('"name"', "name"),
        ("max(price) - min(price)", "price"), ("name AS id", "name"), ("CASE WHEN price > 1 THEN name END", "name, price"),
    ],
)  # fmt: skip
def test_attributes_read(select, expected):
    """Whatever names a column reads it; a star reads all, count(*) none."""
    assert accesses(f"SELECT {select} FROM product p") == [f"select product: {expected}"]


@pytest.mark.parametrize(
    "join",
    [
        "customer c JOIN orders o ON o.customer_id = c.id",
        "customer c LEFT JOIN orders o ON c.id = o.customer_id AND o.id > 0",
        "customer c, orders o WHERE c.id = o.customer_id",
        "customer c CROSS JOIN orders o WHERE (c.id = o.customer_id)",
        "(customer c JOIN orders o ON o.customer_id = c.id)",
    ],
)
def test_joins_go_along_a_relationship(join):
    """However the join is written."""
    lines = accesses(f"SELECT c.name, o.placed FROM {join}")
    assert [line.split(":")[0] for line in lines] == ["select customer", "select orders via customer_orders"]


@pytest.mark.parametrize(
    "join",
    [
        "((orders o JOIN customer c ON o.customer_id = c.id) LEFT JOIN order_line l ON l.order_id = o.id)",
        "(((orders o JOIN customer c ON o.customer_id = c.id)) LEFT JOIN order_line l ON l.order_id = o.id)",
        "((orders o JOIN customer c ON o.customer_id = c.id)) LEFT JOIN (order_line l) ON l.order_id = o.id",
    ],
)
def test_parentheses_around_joins_change_nothing(join):
    """However deep they are: PostgreSQL writes the joins of a view so."""
    select = "SELECT o.placed, c.name, l.amount FROM {} WHERE c.name = 'x'"
    plain = "orders o JOIN customer c ON o.customer_id = c.id LEFT JOIN order_line l ON l.order_id = o.id"
    assert accesses(select.format(join)) == accesses(select.format(plain))


def test_joins_by_using_and_natural():
    """The columns both sides have are equal; a composite relationship needs all of them."""
    using = "SELECT amount FROM order_line JOIN delivery USING (order_id, no)"
    assert accesses(using)[1].startswith("select delivery via order_line_delivery: order_id, no")
    natural = "SELECT order_id, amount FROM order_line NATURAL JOIN delivery"
    assert accesses(natural)[1].startswith("select delivery via order_line_delivery")


def test_a_composite_relationship_needs_all_its_columns():
    """Half of it is no join along it; the same parameter on both sides makes up for a column, not for all."""
    half = "SELECT l.no FROM order_line l JOIN delivery d ON d.order_id = l.order_id"
    assert accesses(half)[1].startswith("select delivery: ")
    shared = half + " WHERE d.no = :n AND l.no = :n"
    assert accesses(shared)[1].startswith("select delivery via order_line_delivery: ")
    apart = half + " WHERE d.no = :n AND l.no = :m"
    assert accesses(apart)[1].startswith("select delivery: ")
    constants = (
        "SELECT l.no FROM order_line l, delivery d WHERE d.no = 1 AND l.no = 1 AND d.order_id = 2 AND l.order_id = 2"
    )
    assert accesses(constants)[1].startswith("select delivery: ")


def test_a_join_by_way_of_a_third_column():
    """a = b and b = c is a = c."""
    lines = accesses(
        "SELECT 1 FROM customer c, orders o, order_line l WHERE c.id = :x AND c.id = o.customer_id AND l.order_id = o.id"
    )
    assert [line.split(":")[0] for line in lines] == [
        "select customer",
        "select orders via customer_orders",
        "select order_line via orders_order_line",
    ]


def test_accesses_come_in_the_order_joins_reach_them():
    """A table named early but joined through a later one comes after that one."""
    lines = accesses(
        """SELECT p.name FROM customer c, product p, orders o, order_line l
        WHERE c.id = o.customer_id AND o.id = l.order_id AND l.product_id = p.id"""
    )
    assert [line.split(":")[0].removeprefix("select ") for line in lines] == [
        "customer",
        "orders via customer_orders",
        "order_line via orders_order_line",
        "product via product_order_line",
    ]


def test_a_self_join_goes_along_the_self_relationship():
    """Two occurrences of one entity are two accesses."""
    lines = accesses("SELECT a.name, b.name FROM customer a JOIN customer b ON b.referred_by = a.id")
    assert lines == ["select customer: id, name", "select customer via customer_customer: name, referred_by"]


def test_a_column_compared_with_itself_or_another_of_its_row_is_no_join():
    """Both ends must be different occurrences."""
    assert accesses("SELECT name FROM customer WHERE id = referred_by") == ["select customer: id, name, referred_by"]


def test_a_join_of_unrelated_columns_is_no_relationship():
    """Names may be equal by chance."""
    assert accesses("SELECT 1 FROM customer c JOIN product p ON p.name = c.name")[1] == "select product: name"


@pytest.mark.parametrize(
    ("condition", "reached"),
    [
        (
            "id IN (SELECT customer_id FROM orders WHERE status = :s)",
            "select orders via customer_orders: customer_id, status | status =",
        ),
        ("id NOT IN (SELECT customer_id FROM orders)", "select orders via customer_orders: customer_id"),
        (
            "EXISTS (SELECT * FROM orders o WHERE o.customer_id = customer.id)",
            "select orders via customer_orders: customer_id",
        ),
        (
            "NOT EXISTS (SELECT 1 FROM orders WHERE customer_id = customer.id)",
            "select orders via customer_orders: customer_id",
        ),
        (
            "1 < (SELECT count(*) FROM orders WHERE customer_id = customer.id)",
            "select orders via customer_orders: customer_id",
        ),
        (
            "id = (SELECT customer_id FROM orders WHERE orders.id = 5)",
            "select orders via customer_orders: id, customer_id | id =",
        ),
    ],
)
def test_subqueries(condition, reached):
    """Correlated ones and IN reach their entity by the relationship whose columns they make equal."""
    assert accesses(f"SELECT name FROM customer WHERE {condition}")[1] == reached


def test_a_scalar_subquery_in_the_output():
    """It is an access like any other."""
    lines = accesses("SELECT name, (SELECT max(placed) FROM orders o WHERE o.customer_id = c.id) FROM customer c")
    assert lines[1] == "select orders via customer_orders: customer_id, placed"


def test_derived_tables_and_with_queries_are_seen_through():
    """A column keeps its origin under other names; what is computed has none."""
    derived = """SELECT c.name, s.n FROM customer c
        JOIN (SELECT customer_id AS who, count(*) AS n FROM orders GROUP BY customer_id) s ON s.who = c.id"""
    assert accesses(derived)[1] == "select orders via customer_orders: customer_id"
    named = """WITH big (oid, buyer) AS (SELECT id, customer_id FROM orders)
        SELECT name FROM customer JOIN big ON buyer = customer.id WHERE oid = 3"""
    assert accesses(named) == [
        "select orders: id, customer_id | id =",
        "select customer via customer_orders: id, name",
    ]


def test_a_recursive_query_walks_the_tree():
    """Its own name is no entity."""
    sql = """WITH RECURSIVE up AS (SELECT id, referred_by FROM customer WHERE id = :id
        UNION ALL SELECT c.id, c.referred_by FROM customer c JOIN up ON c.id = up.referred_by) SELECT * FROM up"""
    assert accesses(sql) == [
        "select customer: id, referred_by | id =",
        "select customer via customer_customer: id, referred_by",
    ]


def test_set_operations_access_both_sides():
    """INTERSECT and EXCEPT read too."""
    sql = "SELECT name FROM customer INTERSECT SELECT name FROM product EXCEPT SELECT status FROM orders"
    assert [line.split(":")[0] for line in accesses(sql)] == ["select customer", "select product", "select orders"]


def test_a_statement_without_tables_accesses_nothing():
    """It is a statement all the same."""
    assert accesses("SELECT 1 AS one") == []


# --- writes ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("INSERT INTO product (id, NAME) VALUES (:id, :name)", ["insert product: id, name"]),
        ("INSERT INTO product VALUES (1, 'a', 2)", ["insert product: id, name, price"]),
        ("INSERT INTO product DEFAULT VALUES", ["insert product: id, name, price"]),
        ("UPDATE product SET price = price * 2 WHERE id = :id", ["update product: price | id ="]),
        (
            "UPDATE product AS p SET name = :n, price = 1 WHERE p.price > 5",
            ["update product: name, price | price range"],
        ),
        ("DELETE FROM product WHERE name IN ('a', 'b')", ["delete product: name in"]),
        ("DELETE FROM product", ["delete product: "]),
        (
            "INSERT INTO orders (id, customer_id) SELECT :id, id FROM customer WHERE name = :n",
            ["insert orders: id, customer_id", "select customer: id, name | name ="],
        ),
        (
            "DELETE FROM orders WHERE customer_id IN (SELECT id FROM customer WHERE city = 'x')",
            ["delete orders: ", "select customer via customer_orders: id, city | city ="],
        ),
        (
            "UPDATE orders SET status = (SELECT name FROM customer c WHERE c.id = orders.customer_id) WHERE id = 1",
            ["update orders: status | id =", "select customer via customer_orders: id, name"],
        ),
        (
            "INSERT INTO product (id, price) VALUES (1, 2) ON CONFLICT (id) DO UPDATE SET price = excluded.price WHERE price < 9",
            ["insert product: id, price", "update product: price | id =, price range"],
        ),
        (
            "INSERT INTO product (id, name) VALUES (1, 'a') ON CONFLICT (lower(name)) DO UPDATE SET price = 3",
            ["insert product: id, name", "update product: price | name cased"],
        ),
        ("INSERT INTO product (id) VALUES (1) ON CONFLICT DO NOTHING", ["insert product: id"]),
        ("INSERT OR REPLACE INTO product (id) VALUES (1)", ["insert product: id", "delete product: id ="]),
        ("REPLACE INTO product (id) VALUES (1)", ["insert product: id", "delete product: id ="]),
        ("WITH x AS (SELECT 1 AS a) INSERT INTO product (id) SELECT a FROM x", ["insert product: id"]),
    ],
)
def test_writes(sql, expected):
    """Attributes set, rows found, and what is read on the way."""
    assert accesses(sql) == expected


@pytest.mark.parametrize(
    ("dialect", "sql", "expected"),
    [
        (
            "postgresql",
            "UPDATE orders SET status = c.city FROM customer c WHERE c.id = orders.customer_id AND c.name = $1",
            ["update orders: status", "select customer via customer_orders: id, name, city | name ="],
        ),
        (
            "postgresql",
            "DELETE FROM orders o USING customer c WHERE c.id = o.customer_id AND c.id = $1",
            ["delete orders: ", "select customer via customer_orders: id | id ="],
        ),
        (
            "mysql",
            "UPDATE customer c JOIN orders o ON o.customer_id = c.id SET o.status = 'x' WHERE c.id = ?",
            ["select customer: id | id =", "update orders via customer_orders: status"],
        ),
        (
            "mysql",
            "DELETE o FROM orders o JOIN customer c ON o.customer_id = c.id WHERE c.city = ?",
            ["delete orders: ", "select customer via customer_orders: id, city | city ="],
        ),
        (
            "mysql",
            "INSERT INTO product (id, price) VALUES (?, ?) ON DUPLICATE KEY UPDATE price = VALUES(price) + 1",
            ["insert product: id, price", "update product: price | id ="],
        ),
        (
            "postgresql",
            "SELECT name FROM product WHERE id = ANY(:ids) FOR UPDATE",
            ["select product: id, name | id in"],
        ),
        ("mysql", "SELECT `name` FROM `shop`.`product` WHERE `id` = @x", ["select product: id, name | id ="]),
    ],
)
def test_forms_of_one_dialect(dialect, sql, expected):
    """UPDATE and DELETE over joins, and other forms only one dialect has."""
    assert accesses(sql, dialect) == expected


# --- names -----------------------------------------------------------------------------------------------------------


def test_odd_names():
    """Blanks, dollars and letters of any script, quoted as the dialect quotes."""
    assert accesses("SELECT [größe] FROM [Log Entries] WHERE `At$` > :x") == [
        "select Log Entries: At$, größe | At$ range"
    ]
    assert accesses('SELECT "sent on" FROM delivery', "postgresql") == ["select delivery: sent on"]


def test_text_in_double_quotes_is_a_string_where_no_column_has_that_name():
    """SQLite takes it so; the statement is kept with the string as every database writes it."""
    found = statement("""SELECT name FROM customer WHERE city = "St. John's" AND "name" = "AC/DC" """)
    assert found.sql.rstrip() == """SELECT name FROM customer WHERE city = 'St. John''s' AND "name" = 'AC/DC'"""
    assert [f"{f.attribute} {f.operator}" for f in found.accesses[0].filters] == ["city =", "name ="]
    assert accesses('SELECT name FROM customer WHERE city = "x"', "mysql") == ["select customer: name, city | city ="]
    assert gaps_of('SELECT name FROM customer WHERE city = "x"', "postgresql") == [
        "no attribute `x` in `customer`; it has `id`, `name`, `city`, `referred_by`"
    ]
    assert gaps_of("SELECT name FROM customer WHERE city = [x]") != []


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("SELECT * FROM custmer", "no entity `custmer`; there is `customer`, "),
        ("SELECT * FROM shop.custmer c", "no entity `shop.custmer`; there is `customer`, "),
        ("SELECT nam FROM customer", "no attribute `nam` in `customer`; it has `name`, "),
        ("SELECT c.nam FROM customer c", "no attribute `nam` in `customer`; it has `name`, "),
        ("SELECT d.name FROM customer c", "no table or alias `d` here; there is `c`"),
        ("SELECT d.* FROM customer c", "no table or alias `d` here; there is `c`"),
        ("SELECT nam FROM customer, product", "no column `nam` in `customer`, `product`; there is `name`"),
        ("SELECT name FROM customer, product", "column `name` is ambiguous: it is in `customer` and `product`"),
        ("SELECT x.b FROM (SELECT id AS a FROM product) x", "no column `b` in `x`; it has `a`"),
        ("SELECT id FROM product WHERE nope = 1", "no attribute `nope` in `product`"),
        ("SELECT id FROM product ORDER BY nope", "no attribute `nope` in `product`"),
        (
            "SELECT id FROM product WHERE EXISTS (SELECT 1 FROM orders WHERE orders.nope = product.id)",
            "no attribute `nope` in `orders`",
        ),
        ("INSERT INTO product (id, nope) VALUES (1, 2)", "no attribute `nope` in `product`"),
        ("UPDATE product SET nope = 1", "no attribute `nope` in `product`"),
        ("DELETE FROM product WHERE nope = 1", "no attribute `nope` in `product`"),
        ("INSERT INTO nope (id) VALUES (1)", "no entity `nope`"),
        ("UPDATE nope SET a = 1", "no entity `nope`"),
        ("DELETE FROM nope", "no entity `nope`"),
        ("SELECT 1 FROM customer JOIN product USING (city)", "no column `city` to join by in `product`"),
        (
            "MERGE INTO product USING orders ON 1 = 1 WHEN MATCHED THEN DELETE",
            "MERGE is not SELECT, INSERT, UPDATE or DELETE",
        ),
        ("SELEC * FROM product", "no statement begins with `SELEC`; did you mean SELECT?"),
        ("CREATE TABLE x (id int)", "CREATE is not SELECT, INSERT, UPDATE or DELETE"),
        ("SELECT FROM WHERE", "it cannot be read as SQL"),
        ("SELECT (1 FROM product", "it cannot be read as SQL"),
        ("INSERT INTO", "it cannot be read as SQL"),
    ],
)
def test_what_is_not_there_is_a_gap_that_says_what_is(sql, said):
    """One gap, with what exists; the other statements are untouched."""
    (gap,) = gaps_of(sql)
    assert said in gap


def test_columns_of_an_unknown_table_are_no_further_gaps():
    """One mistake is told once."""
    assert len(gaps_of("SELECT a, x.b, c FROM nope x JOIN product ON x.id = product.id WHERE d = 1")) == 1


def test_what_is_set_is_the_target_s_whatever_else_has_such_a_column():
    """UPDATE … FROM names no table before what it sets."""
    sql = "UPDATE orders SET customer_id = c.id FROM customer c WHERE c.id = orders.customer_id AND c.city = 'Oslo'"
    assert not gaps_of(sql)
    assert not gaps_of("UPDATE orders SET id = p.id FROM product p WHERE p.id = orders.id")


def test_what_is_computed_of_a_column_that_is_set_changes_too():
    """Also what is computed of that; nothing else."""
    ddl = """CREATE TABLE person (id int PRIMARY KEY, first text, last text, age int,
        whole text GENERATED ALWAYS AS (first || ' ' || last), shout text GENERATED ALWAYS AS (upper(whole)));"""
    model = read_ddl(ddl, "people", dialect="postgresql").model
    workload, _ = parse_workload(
        "-- rate: 1/s\nUPDATE person SET last = 'x' WHERE id = 1;", model, dialect="postgresql"
    )
    (access,) = workload.statements[0].accesses
    assert access.attributes == ("last", "whole", "shout")


@pytest.mark.parametrize(
    "join", ["CROSS JOIN LATERAL ({}) x", "LEFT JOIN LATERAL ({}) x ON true", ", LATERAL ({}) AS x"]
)
def test_lateral_sees_the_tables_on_its_left(join: str) -> None:
    """What it gives is what its own tables have."""
    newest = "SELECT o.id FROM orders o WHERE o.customer_id = c.id ORDER BY o.id DESC LIMIT 3"
    lines = accesses(f"SELECT c.name, x.id FROM customer c {join.format(newest)} WHERE x.id > 5")
    assert lines == [
        "select customer: id, name",
        "select orders via customer_orders: id, customer_id | id range | by -id",
    ]


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("'a' = ANY(tags)", "tags contains"), ("tags @> ARRAY['a', :x]", "tags contains"),
        ("tags && ARRAY['a']", "tags contains"), ("ARRAY['a'] <@ tags", "tags contains"),
        ("NOT 'a' = ANY(tags)", "tags other"), ("tags = ARRAY['a']", "tags ="),
        ("'a' = ANY(tags) OR id = 1", "tags other, id other"), ("'a' = ANY(tags) AND id = 1", "tags contains, id ="),
        ("cardinality(tags) = 2", "tags other"), ("tags <@ ARRAY['a']", "tags other"), ("'a' <> ALL(tags)", "tags other"),
    ],
)  # fmt: skip
def test_filters_on_elements(condition: str, expected: str) -> None:
    """Elements that a row must have are found by an index; those it must not have, or may have, are not."""
    model = read_ddl("CREATE TABLE t (id int PRIMARY KEY, tags text[]);", "m", dialect="postgresql").model
    workload, _ = parse_workload(f"-- name: s\nSELECT id FROM t WHERE {condition}", model, "postgresql", "w.sql")
    (access,) = workload.statements[0].accesses
    assert ", ".join(f"{each.attribute} {each.operator}" for each in access.filters) == expected


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("span > interval '1 hour'", "span other"), ("span = :x", "span other"), ("span BETWEEN :x AND :y", "span other"),
        ("span IN (:x, :y)", "span other"), ("host > :x", "host other"), ("host = :x", "host ="), ("late < :x", "late other"),
        ("raw >= :x", "raw other"), ("raw = :x", "raw ="), ("n > :x", "n range"), ("span > :x OR n = 1", "span other, n other"),
    ],
)  # fmt: skip
def test_what_is_stored_in_another_order_is_in_no_range(condition: str, expected: str) -> None:
    """Nor is it an index's order: intervals, addresses and times with a zone are texts, bytes go by length."""
    ddl = "CREATE TABLE t (id int PRIMARY KEY, span interval, host inet, late timetz, raw bytea, n int NOT NULL);"
    model = read_ddl(ddl, "m", dialect="postgresql").model
    column = condition.split()[0]
    sql = f"-- name: s\nSELECT id FROM t WHERE {condition} ORDER BY {column} NULLS FIRST, id"
    workload, _ = parse_workload(sql, model, "postgresql", "w.sql")
    (access,) = workload.statements[0].accesses
    assert ", ".join(f"{each.attribute} {each.operator}" for each in access.filters) == expected
    assert access.sort == (("n", "id") if column == "n" else ())
    assert not access.any_of


@pytest.mark.parametrize("dialect", ["sqlite", "postgresql", "mysql"])
@pytest.mark.parametrize(
    ("condition", "expected", "constants"),
    [
        ("name IS NOT NULL", "name other", ["name is not null"]),
        ("NOT name IS NULL", "name other", ["name is not null"]),
        ("name IS NULL", "name =", ["name is null"]),
        ("name NOT LIKE 'a%'", "name other", []),
    ],
)
def test_what_is_denied_is_denied_in_every_dialect(
    condition: str, expected: str, constants: list[str], dialect: str
) -> None:
    """However its grammar says so."""
    (access,) = statement(f"SELECT price FROM product WHERE {condition}", dialect).accesses
    assert ", ".join(f"{each.attribute} {each.operator}" for each in access.filters) == expected
    assert [str(each) for each in access.constants] == constants


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("p.name = :n OR r.stars = 5", [["name =", ""], ["", "stars ="]]),
        ("(p.name = :n AND r.stars > 3) OR r.stars = 1", [["name =", ""], ["stars range", "stars ="]]),
        ("p.name = :n OR r.stars <> 5", [[], []]),
        ("p.name = :n OR r.stars = p.price", [[], []]),
    ],
)
def test_an_or_of_two_tables_has_the_sides_of_each(condition: str, expected: list[list[str]]) -> None:
    """What each side compares of a table, nothing where it is about the other; none unless an index could find each side."""
    model = read_ddl(
        "CREATE TABLE p (id int PRIMARY KEY, name text, price int);"
        "CREATE TABLE r (id int PRIMARY KEY, p_id int NOT NULL REFERENCES p, stars int);",
        "m",
        dialect="postgresql",
    ).model
    sql = f"-- name: s\nSELECT r.id FROM p JOIN r ON r.p_id = p.id WHERE {condition}"
    workload, _ = parse_workload(sql, model, "postgresql", "w.sql")
    accesses = workload.statements[0].accesses
    found = [[", ".join(f"{each.attribute} {each.operator}" for each in side) for side in a.any_of] for a in accesses]
    assert found == expected
    assert [bool(access.sides) for access in accesses] == [bool(sides) and all(sides) for sides in expected]
    assert [len(access.own_sides) for access in accesses] == [sum(map(bool, sides)) for sides in expected]
    reading = Reading(model, workload, dialect="postgresql")
    assert read_reading(write_reading(reading), "m.yaml").workload.statements[0].accesses == accesses
