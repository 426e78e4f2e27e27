"""Asking the server for the rows of a check that differ."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from pymongo.database import Database
from pymongo.errors import ExecutionTimeout

from nestling.executors.calls import ONE_MOMENT
from nestling.executors.check.same import nearly_same
from nestling.executors.check.scope import Stage
from nestling.executors.read_errors import read_errors
from nestling.ir.drift import ID, Check, CompiledCheck, Drift, PathStep
from nestling.ir.names import join
from nestling.ir.primitives import CollectionKind
from nestling.ir.program import MISSING
from nestling.ir.values import CODEC

Row: TypeAlias = Mapping[str, Any]


class OutOfTime(Exception):
    """A command took longer than it may."""


def readable(database: Database[Any]) -> Database[Any]:
    """The database seen at one moment by each command, so that no write is seen half done; a standalone server cannot do that."""
    hello = database.client.admin.command("hello")
    is_one_server = "setName" not in hello and hello.get("msg") != "isdbgrid"
    return database.with_options(codec_options=CODEC, read_concern=None if is_one_server else ONE_MOMENT)


def differing_rows(database: Database[Any], compiled: CompiledCheck, stages: Sequence[Stage], seconds: float) -> list[Row]:
    """The rows that differ among the documents the stages choose; raises `OutOfTime`, `ReadError`."""
    check, read = compiled.check, compiled.read
    options = {"collation": read.collation_option} if read.collation_option else {}
    with read_errors(check.id, database):
        try:
            cursor = database[check.collection].aggregate(
                [*stages, *read.pipeline], allowDiskUse=True, maxTimeMS=math.ceil(seconds * 1000), **options
            )
            with cursor:
                return [row for row in cursor if not check.inexact or _differs(check, row)]
        except ExecutionTimeout as error:
            raise OutOfTime from error


