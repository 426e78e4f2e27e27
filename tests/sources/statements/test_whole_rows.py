"""A table's name in place of its row, in PostgreSQL."""

from tests.sources.statements.shop import accesses, gaps_of


def test_a_row_reads_all_its_columns():
    """In a table's and a subquery's name; other dialects have no such rows."""
    sql = "SELECT row_to_json(p) FROM product p"
    assert accesses(sql, "postgresql") == ["select product: id, name, price"]
    assert accesses("SELECT json_agg(x) FROM (SELECT id, name FROM product) x", "postgresql") == [
        "select product: id, name"
    ]
    assert gaps_of(sql, "sqlite")
