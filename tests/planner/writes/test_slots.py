"""Rows inside arrays with places: an empty place is no row, and nothing is written into one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling.ir.text import read_proposal
from tests.write_traces import Rows, trace

DESIGN = """
nestling: 1
strategy: by hand
model:
  name: shows
  entities:
    show: {key: [show_id], attributes: {show_id: integer!, title: text}}
    booking: {key: [booking_id], attributes: {booking_id: integer!, show_id: integer!, seat: integer!, guest: text}}
    ticket: {key: [ticket_id], attributes: {ticket_id: integer!, booking_id: integer!, note: text}}
  relationships:
    bookings: {parent: show, child: booking, attributes: [show_id], required: true}
    tickets: {parent: booking, child: ticket, attributes: [booking_id], required: true}
design:
  collections:
    shows:
      root: show
      id: [show_id]
      embeddings:
        seats:
          of: bookings
          as: array
          slots: {attribute: seat, count: 4}
          embeddings: {tickets: {of: tickets, as: array}}
          copies: {show: {of: "bookings:up", attributes: [title], as: object, freshness: transaction}}
          computed: {tickets_there: {count: tickets, freshness: transaction}}
"""
ROWS: Rows = {"show": [(1, "a")], "booking": [(10, 1, 2, "x"), (11, 1, 4, None)], "ticket": [(5, 10, "n")]}
STATEMENTS = (
    "UPDATE ticket SET note = 'm' WHERE ticket_id = 5",
    "UPDATE ticket SET note = 'q'",
    "INSERT INTO ticket VALUES (6, 11, 'z')",
    "UPDATE show SET title = 'b'",
    "UPDATE booking SET guest = 'g' WHERE guest IS NULL",
    "UPDATE booking SET guest = 'h'",
    "UPDATE ticket SET booking_id = 11 WHERE ticket_id = 5",
    "DELETE FROM ticket WHERE ticket_id = 6",
    "UPDATE booking SET seat = 3 WHERE booking_id = 11",
    "INSERT INTO booking VALUES (12, 1, 1, 'w')",
    "DELETE FROM booking WHERE booking_id = 12",
    "DELETE FROM ticket",
)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("short", [True, False])
def test_rows_below_an_array_with_empty_places(short: bool, database: Database[Any], tmp_path: Path) -> None:
    """Every statement does what SQLite does, however many places are empty."""
    run = trace(read_proposal(DESIGN, "shows.yaml").design, ROWS, database, tmp_path)
    run.short = short
    run.run_all(STATEMENTS)
    assert len(run.done) == len(STATEMENTS)
