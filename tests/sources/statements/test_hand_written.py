"""A model file written by hand may leave out what its statements touch: their SQL says it."""

from __future__ import annotations

from pathlib import Path

from nestling.ir.text import write_reading
from nestling.pipeline import design
from nestling.sources.front import read_source

FILE = """nestling: 1
model:
  name: library
  entities:
    book:
      key: [isbn]
      attributes: {isbn: text!, title: text!}
    loan:
      key: [isbn, no]
      attributes: {isbn: text!, no: integer!, due: date}
  relationships:
    loans: {parent: book, child: loan, attributes: [isbn], required: true}
statistics:
  entities:
    book: {count: 5000}
    loan: {count: 20000}
workload:
  page: {rate: 20/s, sql: "SELECT b.title, l.due FROM book b JOIN loan l ON l.isbn = b.isbn WHERE b.isbn = :i LIMIT 9"}
  wrong: {sql: "SELECT titel FROM book"}
"""


def test_the_sql_says_what_is_touched(tmp_path: Path) -> None:
    """Accesses, parameters and the limit, and as gaps what is not understood; written again, the file says the same."""
    path = tmp_path / "model.yaml"
    path.write_text(FILE, encoding="utf-8")
    reading = read_source(str(path))
    page = reading.workload.statement("page")
    assert page is not None
    assert [(each.entity, each.via) for each in page.accesses] == [("book", None), ("loan", "loans")]
    assert (page.parameters, page.limit) == (("i",), 9)
    assert [gap.what for gap in reading.gaps] == [
        "statement `wrong`: no attribute `titel` in `book`; it has `title`, `isbn`"
    ]
    assert design(reading).costs is not None
    path.write_text(write_reading(reading), encoding="utf-8")
    again = read_source(str(path))
    assert (again.workload, again.gaps) == (reading.workload, reading.gaps)
