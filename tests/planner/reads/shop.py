# ruff: noqa: ISC004 - statements run over lines
"""A small shop with nulls, ties, duplicates, empty children and dangling optional parents, and statements over it."""

from __future__ import annotations

from nestling.ir.model import Attribute, Cardinality, Entity, Model, Relationship
from nestling.ir.reading import Reading
from nestling.ir.statistics import AttributeStatistics, EntityStatistics, Quantity, Statistics
from nestling.ir.types import Type, TypeName

INTEGER, TEXT, FLOAT, DATE = (Type(name) for name in (TypeName.INTEGER, TypeName.TEXT, TypeName.FLOAT, TypeName.DATE))


def _entity(called: str, key: tuple[str, ...], /, **attributes: tuple[Type, bool]) -> Entity:
    return Entity(called, tuple(Attribute(n, kind, nullable) for n, (kind, nullable) in attributes.items()), key)


MODEL = Model(
    "shop",
    (
        _entity("customer", ("id",), id=(INTEGER, False), name=(TEXT, True), city=(TEXT, True)),
        _entity(
            "orders",
            ("id",),
            id=(INTEGER, False),
            customer_id=(INTEGER, False),
            status=(TEXT, True),
            total=(FLOAT, True),
        ),
        _entity(
            "line",
            ("order_id", "no"),
            order_id=(INTEGER, False),
            no=(INTEGER, False),
            product_id=(INTEGER, True),
            quantity=(INTEGER, True),
        ),
        _entity(
            "product", ("id",), id=(INTEGER, False), title=(TEXT, True), price=(FLOAT, True), maker_id=(INTEGER, True)
        ),
        _entity("maker", ("id",), id=(INTEGER, False), name=(TEXT, False)),
        _entity("employee", ("id",), id=(INTEGER, False), name=(TEXT, True), boss_id=(INTEGER, True)),
        _entity("passport", ("employee_id",), employee_id=(INTEGER, False), country=(TEXT, True)),
    ),
    (
        Relationship("customer_orders", "customer", "orders", ("id",), ("customer_id",), required=True),
        Relationship("order_lines", "orders", "line", ("id",), ("order_id",), required=True),
        Relationship("product_lines", "product", "line", ("id",), ("product_id",)),
        Relationship("maker_products", "maker", "product", ("id",), ("maker_id",)),
        Relationship("boss_of", "employee", "employee", ("id",), ("boss_id",)),
        Relationship(
            "employee_passport",
            "employee",
            "passport",
            ("id",),
            ("employee_id",),
            Cardinality.ONE_TO_ONE,
            required=True,
        ),
    ),
)
READING = Reading(MODEL, dialect="sqlite")


def known(**counts: int) -> Statistics:
    """So many rows of each entity, ten different values in every attribute."""
    ten = AttributeStatistics(distinct=Quantity(10))
    names = {entity.name: tuple((a.name, ten) for a in entity.attributes) for entity in MODEL.entities}
    return Statistics(tuple((n, EntityStatistics(Quantity(c), attributes=names[n])) for n, c in counts.items()))


ROWS: dict[str, list[tuple[object, ...]]] = {
    "customer": [(1, "Ann", "Oslo"), (2, "bob", None), (3, None, "Oslo"), (4, "Žofie", "Brno"), (5, "Ann", "oslo")],
    "orders": [
        (10, 1, "open", 5.5), (11, 1, "paid", None), (12, 2, None, 5.5), (13, 4, "open", 0.0), (14, 4, "open", 7.25),
    ],
    "line": [
        (10, 1, 100, 2), (10, 2, 101, None), (10, 3, 100, 2), (11, 1, None, 1), (13, 1, 102, 7), (13, 2, 100, 0), (14, 1, 101, 2),
    ],
    "product": [(100, "Pen", 1.5, 1), (101, "Ink", None, 1), (102, None, 3.0, None), (103, "Cap", 1.5, 2)],
    "maker": [(1, "Inkwell"), (2, "Hatter"), (3, "Nobody")],
    "employee": [(1, "Eve", None), (2, "Max", 1), (3, "Ida", 1), (4, None, 2), (5, "Max", 2)],
    "passport": [(1, "NO"), (3, None), (4, "NO")],
}  # fmt: skip

STATEMENTS = (
    "SELECT * FROM customer",
    "SELECT name, id AS number FROM customer WHERE city = 'Oslo' ORDER BY id DESC LIMIT 2 -- total order",
    "SELECT id FROM customer ORDER BY city DESC, name, id LIMIT 3 OFFSET 1 -- total order",
    "SELECT id FROM customer ORDER BY city NULLS LAST, id DESC -- total order",
    "SELECT id FROM customer WHERE name IS NULL OR city IS NULL",
    "SELECT id FROM customer WHERE NOT (city = 'Oslo')",
    "SELECT count(*), count(city), count(DISTINCT city), min(name), max(name) FROM customer",
    "SELECT count(*), sum(total), avg(total), min(total) FROM orders WHERE id > 1000",
    "SELECT o.id, c.name FROM orders o JOIN customer c ON c.id = o.customer_id",
    "SELECT c.id, o.id FROM customer c LEFT JOIN orders o ON o.customer_id = c.id",
    "SELECT c.id, o.id FROM customer c LEFT JOIN orders o ON o.customer_id = c.id AND o.status = 'open'",
    "SELECT c.id, o.id FROM customer c LEFT JOIN orders o ON o.customer_id = c.id WHERE o.id IS NULL",
    "SELECT c.id, o.id FROM orders o RIGHT JOIN customer c ON o.customer_id = c.id",
    "SELECT e.id, p.country FROM employee e LEFT JOIN passport p ON p.employee_id = e.id",
    "SELECT e.name, p.country FROM passport p JOIN employee e ON p.employee_id = e.id WHERE p.country IS NOT NULL",
    "SELECT a.id, b.no FROM product a FULL JOIN line b ON a.id = b.product_id AND b.quantity > 1",
    "SELECT a.id, b.id FROM maker a CROSS JOIN customer b",
    "SELECT c.name, o.id, l.no, p.title FROM customer c JOIN orders o ON o.customer_id = c.id "
    "JOIN line l ON l.order_id = o.id LEFT JOIN product p ON p.id = l.product_id WHERE l.quantity >= 0",
    "SELECT c.name, l.no FROM line l JOIN orders o ON o.id = l.order_id JOIN customer c ON c.id = o.customer_id "
    "WHERE l.quantity = 2",
    "SELECT a.no, b.no FROM line a JOIN line b ON a.order_id = b.order_id AND a.no < b.no",
    "SELECT o.id, a.no, b.no FROM orders o JOIN line a ON a.order_id = o.id JOIN line b ON b.order_id = o.id",
    "SELECT l.order_id, l.no FROM line l JOIN orders o ON o.id = l.order_id",
    "SELECT l.order_id, l.no FROM line l LEFT JOIN product p ON p.id = l.product_id",
    "SELECT quantity FROM line WHERE order_id = 10 AND no = 2",
    "SELECT no FROM line WHERE order_id = 10 AND quantity IS NULL",
    "SELECT m.name, count(p.id) FROM maker m LEFT JOIN product p ON p.maker_id = m.id GROUP BY m.id, m.name",
    "SELECT p.title, m.name FROM product p JOIN maker m ON m.id = p.maker_id WHERE m.name LIKE 'ink%'",
    "SELECT o.id, l.no FROM orders o JOIN line l ON l.order_id = o.id AND l.quantity > o.customer_id",
    "SELECT id FROM customer WHERE substr(name, 1, 2) IN ('An', 'bo', 'Ž')",
    "SELECT id FROM customer WHERE substr(name, 1, 3) = 'Ann' AND name NOT LIKE '%o%' AND city NOT LIKE 'oslo'",
    "SELECT c.id, c.name, count(*), sum(o.total) FROM orders o JOIN customer c ON c.id = o.customer_id GROUP BY c.id, c.name",
    "SELECT c.name, o.customer_id, count(*) FROM orders o JOIN customer c ON c.id = o.customer_id "
    "GROUP BY o.customer_id, c.name LIMIT 9",
    "SELECT m.id, m.name, sum(l.quantity) AS n FROM line l JOIN product p ON p.id = l.product_id "
    "JOIN maker m ON m.id = p.maker_id GROUP BY m.id, m.name ORDER BY n DESC, m.id LIMIT 1 -- total order",
    "SELECT p.id, p.title, m.name, count(*) FROM line l JOIN product p ON p.id = l.product_id "
    "JOIN maker m ON m.id = p.maker_id GROUP BY p.id, p.title, m.name HAVING count(*) > 1",
    "SELECT o.id, l.no FROM orders o JOIN line l ON l.order_id = o.id "
    "WHERE l.quantity = (SELECT max(x.quantity) FROM line x WHERE x.order_id = o.id)",
    "SELECT o.id, l.no FROM orders o JOIN line l ON l.order_id = o.id "
    "WHERE o.status = 'open' AND l.no = (SELECT min(x.no) FROM line x WHERE x.order_id = o.id)",
    "SELECT o.id, l.no FROM orders o JOIN line l ON l.order_id = o.id AND l.no < o.id "
    "WHERE l.no > (SELECT min(x.no) FROM line x WHERE x.order_id = o.id AND x.no < l.no)",
    "SELECT o.id, l.no FROM orders o JOIN line l ON l.order_id = o.id "
    "WHERE l.no = (SELECT max(x.no) FROM line x WHERE l.order_id = l.order_id)",
    "SELECT c.id, o.id FROM customer c JOIN orders o ON o.customer_id = c.id "
    "WHERE o.total >= (SELECT avg(x.total) FROM orders x WHERE x.customer_id = c.id) OR o.id = 12",
    "WITH per AS (SELECT customer_id, count(*) AS n FROM orders GROUP BY customer_id) "
    "SELECT c.id, n FROM customer c JOIN per ON customer_id = c.id WHERE n = (SELECT max(n) FROM per)",
    "SELECT city, count(*) FROM customer GROUP BY city",
    "SELECT status, count(*) AS n, sum(total) FROM orders GROUP BY status HAVING count(*) > 1 ORDER BY n",
    "SELECT product_id, quantity FROM line GROUP BY product_id, quantity",
    "SELECT DISTINCT city FROM customer",
    "SELECT DISTINCT c.city, o.status FROM customer c JOIN orders o ON o.customer_id = c.id ORDER BY 1, 2 -- total order",
    "SELECT city FROM customer UNION SELECT status FROM orders",
    "SELECT city FROM customer UNION ALL SELECT status FROM orders",
    "SELECT product_id FROM line INTERSECT SELECT id FROM product",
    "SELECT id FROM product EXCEPT SELECT product_id FROM line",
    "SELECT name FROM customer WHERE id IN (SELECT customer_id FROM orders WHERE status = 'open')",
    "SELECT id FROM product WHERE id NOT IN (SELECT product_id FROM line)",
    "SELECT id FROM product WHERE id NOT IN (SELECT product_id FROM line WHERE product_id IS NOT NULL)",
    "SELECT id, maker_id IN (SELECT boss_id FROM employee) FROM product",
    "SELECT id FROM product p WHERE NOT EXISTS (SELECT 1 FROM line l WHERE l.product_id = p.id)",
    "SELECT id FROM customer c WHERE EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.id AND o.total > 5)",
    "SELECT id, EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.id) FROM customer c",
    "SELECT id, (SELECT count(*) FROM orders o WHERE o.customer_id = c.id) AS n FROM customer c",
    "SELECT id, (SELECT max(total) FROM orders o WHERE o.customer_id = c.id) FROM customer c",
    "SELECT id FROM orders WHERE total > (SELECT avg(total) FROM orders)",
    "SELECT id FROM orders o WHERE total = (SELECT max(total) FROM orders i WHERE i.customer_id = o.customer_id)",
    "SELECT c.id FROM customer c WHERE EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.id AND EXISTS "
    "(SELECT 1 FROM line l WHERE l.order_id = o.id AND l.quantity > o.total))",
    "SELECT x.city, x.n FROM (SELECT city, count(*) AS n FROM customer GROUP BY city) x WHERE x.n > 1",
    "WITH busy AS (SELECT customer_id, count(*) AS n FROM orders GROUP BY customer_id) "
    "SELECT c.name, b.n FROM customer c JOIN busy b ON b.customer_id = c.id",
    "SELECT a.name, b.name FROM employee a JOIN employee b ON a.boss_id = b.id",
    "SELECT a.name, b.name FROM employee a LEFT JOIN employee b ON a.boss_id = b.id WHERE b.name IS NULL",
    "SELECT id, row_number() OVER (PARTITION BY customer_id ORDER BY id) FROM orders",
    "SELECT id, rank() OVER (ORDER BY total DESC) FROM orders",
    "SELECT id, sum(total) OVER (PARTITION BY status) FROM orders",
    "SELECT id, id, name AS id FROM maker",
    "SELECT 1 AS one, 'x' AS \"a.b\", NULL AS n",
    "SELECT o.id, CASE WHEN o.total > 5 THEN 'big' ELSE c.name END FROM orders o JOIN customer c ON c.id = o.customer_id",
    "SELECT o.id FROM orders o JOIN customer c ON c.id = o.customer_id AND c.city = 'Brno' WHERE o.total >= 0",
    "SELECT c.id FROM customer c, orders o WHERE o.customer_id = c.id AND o.id BETWEEN 11 AND 13",
    "SELECT upper(c.name), length(c.city) FROM customer c WHERE c.id IN (1, 3, NULL)",
    "SELECT p.id, m.name FROM product p JOIN maker m USING (id)",
    "WITH RECURSIVE up(id, boss_id) AS (SELECT id, boss_id FROM employee WHERE id = 4 UNION ALL "
    "SELECT e.id, e.boss_id FROM up JOIN employee e ON e.id = up.boss_id) SELECT * FROM up",
    "WITH RECURSIVE down(id, name, root, depth) AS (SELECT id, name, id, 0 FROM employee UNION "
    "SELECT e.id, e.name, d.root, d.depth + 1 FROM employee e, down d WHERE e.boss_id = d.id) SELECT * FROM down",
)  # fmt: skip
