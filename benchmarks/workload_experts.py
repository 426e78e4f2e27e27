"""Experts' pipelines for statements of the shared workload files, by database and statement, with the sample values put in.

Written like TPC-H's: for the collections of the normalized design, from the statement's meaning.
"""

from __future__ import annotations

from datetime import datetime

from benchmarks.tpch.experts import Pipeline, join, shown

TODAY = datetime(2002, 8, 1)  # noqa: DTZ001 - a date


def _invoice() -> tuple[str, Pipeline]:
    fields = {"InvoiceId": "$_id", "InvoiceDate": 1, "Total": 1, "Quantity": "$l.Quantity", "UnitPrice": "$l.UnitPrice"}
    return "Invoice", [
        {"$match": {"_id": 5}},
        *join("InvoiceLine", "_id", "InvoiceId", "l"),
        *join("Track", "l.TrackId", "_id", "t"),
        *join("Album", "t.AlbumId", "_id", "al"),
        *join("Artist", "al.ArtistId", "_id", "ar"),
        shown(**fields, track="$t.Name", album="$al.Title", artist="$ar.Name"),
    ]


def _metallica() -> tuple[str, Pipeline]:
    return "Artist", [
        {"$match": {"Name": "Metallica"}},
        *join("Album", "_id", "ArtistId", "a"),
        {"$count": "COUNT(*)"},
    ]


def _rock() -> tuple[str, Pipeline]:
    return "Genre", [{"$match": {"Name": "Rock"}}, *join("Track", "_id", "GenreId", "t"), {"$count": "COUNT(*)"}]


def _history(collection: str, value: str) -> tuple[str, Pipeline]:
    dated = "$_id.from_date"
    shown_value = f"$_id.{value}" if collection == "title" else 1
    return collection, [
        {"$match": {"_id.emp_no": 10001}},
        {"$sort": {"_id.from_date": 1}},
        shown(**{value: shown_value, "from_date": dated, "to_date": 1}),
    ]


def _managers() -> tuple[str, Pipeline]:
    fields = {"dept_no": "$_id.dept_no", "dept_name": "$d.dept_name", "emp_no": "$_id.emp_no"}
    return "dept_manager", [
        {"$match": {"to_date": {"$gt": TODAY}}},
        *join("department", "_id.dept_no", "_id", "d"),
        *join("employee", "_id.emp_no", "_id", "e"),
        shown(**fields, first_name="$e.first_name", last_name="$e.last_name"),
    ]


def _hired() -> tuple[str, Pipeline]:
    dates = {"$gte": datetime(1990, 1, 1), "$lte": datetime(1990, 2, 1)}  # noqa: DTZ001 - dates
    return "employee", [
        {"$match": {"hire_date": dates}},
        {"$sort": {"hire_date": 1}},
        shown(emp_no="$_id", first_name=1, last_name=1, hire_date=1),
    ]


def _named() -> tuple[str, Pipeline]:
    return "employee", [
        {"$match": {"last_name": "Facello"}},
        {"$limit": 50},
        shown(emp_no="$_id", first_name=1, last_name=1, hire_date=1),
    ]


def _category() -> tuple[str, Pipeline]:
    return "film", [
        {"$match": {"title": "HUNGER ROOF"}},
        *join("film_category", "_id", "_id.film_id", "f"),
        *join("category", "f._id.category_id", "_id", "c"),
        shown(name="$c.name"),
    ]


def _cities() -> tuple[str, Pipeline]:
    australia = {"$match": {"country": "Australia"}}
    return "country", [australia, *join("city", "_id", "country_id", "c"), {"$count": "COUNT(*)"}]


EXPERTS: dict[str, dict[str, tuple[str, Pipeline]]] = {
    "chinook": {"invoice_with_lines": _invoice(), "chinook_1_q08": _metallica(), "chinook_1_q18": _rock()},
    "employees": {
        "salary_history": _history("salary", "amount"),
        "title_history": _history("title", "title"),
        "v_full_departments": _managers(),
        "hired_between": _hired(),
        "find_by_last_name": _named(),
    },
    "sakila": {"sakila_1_q20": _category(), "sakila_1_q09": _cities()},
}
