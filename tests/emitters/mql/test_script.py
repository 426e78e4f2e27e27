"""Reads and writes for the shell."""

from __future__ import annotations

from nestling.doctor.commands import in_database
from nestling.emitters.mql.script import read_shell
from nestling.ir.literals import of_collection
from nestling.ir.programs.compiled import CompiledRead, Operation


def test_a_collection_is_called_alike_everywhere() -> None:
    """By its name as people write it; what would end a line of a script is escaped."""
    read = CompiledRead("s", "", collection="größe\u2028", operation=Operation.FIND)
    assert read_shell(read).startswith(of_collection("db", "größe\u2028"))
    assert of_collection("db", "größe\u2028") == 'db.getCollection("größe\\u2028")'
    assert in_database("a", "größe") == 'db.getSiblingDB("a").getCollection("größe")'
