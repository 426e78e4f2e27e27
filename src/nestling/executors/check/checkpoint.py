"""How far a check has come, in a file of one BSON document, so that an interrupted one goes on where it was."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import bson
from bson.errors import BSONError
from bson.min_key import MinKey

from nestling.common.errors import InputError, Problem
from nestling.common.files import write_whole
from nestling.executors.check.report import CheckVerdict
from nestling.ir.codec import CODEC
from nestling.ir.drift import Drift, DriftKind
from nestling.ir.freshness import Freshness
from nestling.ir.programs.program import MISSING


@dataclass(slots=True)
class CheckProgress:
    """`done`: checks that are over, `at`: the one being made and the `_id` its documents are compared up to.

    `unfinished`: checks for which the time was too short.
    """

    verdicts: dict[str, CheckVerdict] = field(default_factory=dict)
    findings: list[Drift] = field(default_factory=list)
    done: set[str] = field(default_factory=set)
    at: str = ""
    after: Any = field(default_factory=MinKey)
    unfinished: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class CheckCheckpoint:
    """A file, and what the check is of: another design's progress is refused."""

    path: Path
    fingerprint: str

    def read(self) -> CheckProgress:
        """The progress in the file; empty if there is no file. Raises `InputError`."""
        if not self.path.exists():
            return CheckProgress()
        try:
            kept = bson.decode(self.path.read_bytes(), CODEC)
            if kept["fingerprint"] == self.fingerprint:
                return _progress(kept)
        except (BSONError, KeyError, TypeError, ValueError, OSError) as error:
            raise InputError(Problem(f"is not the progress of a check: {error}", where=str(self.path))) from None
        move = "delete it to start over"
        raise InputError(
            Problem(
                "is the progress of another check (different design, database or options)",
                where=str(self.path),
                next_move=move,
            )
        )

    def write(self, progress: CheckProgress) -> None:
        """Replace the file. Raises `InputError` where that cannot be."""
        kept = {
            "fingerprint": self.fingerprint,
            "verdicts": {key: list(verdict) for key, verdict in progress.verdicts.items()},
            "findings": [_document(each) for each in progress.findings],
            "done": sorted(progress.done),
            "at": progress.at,
            "after": progress.after,
        }
        try:
            write_whole(self.path, bson.encode(kept, codec_options=CODEC))
        except OSError as error:
            what, move = f"the progress cannot be saved: {error.strerror}", "choose a file that can be written"
            raise InputError(Problem(what, where=str(self.path), next_move=move)) from None

    def forget(self) -> None:
        """Remove the file: the check is over."""
        self.path.unlink(missing_ok=True)


def _progress(kept: Mapping[str, Any]) -> CheckProgress:
    verdicts = {key: CheckVerdict(*numbers) for key, numbers in kept["verdicts"].items()}
    findings = [_drift(each) for each in kept["findings"]]
    return CheckProgress(verdicts, findings, set(kept["done"]), kept["at"], kept["after"])


_VALUES = ("expected", "found")


def _document(drift: Drift) -> dict[str, object]:
    document: dict[str, object] = {
        "check": drift.check,
        "kind": str(drift.kind),
        "collection": drift.collection,
        "id": drift.id,
        "path": drift.path,
        "freshness": str(drift.freshness) if drift.freshness is not None else None,
        "repaired": drift.repaired,
        "next_move": drift.next_move,
    }
    return document | {name: value for name in _VALUES if (value := getattr(drift, name)) is not MISSING}


def _drift(kept: Mapping[str, Any]) -> Drift:
    return Drift(
        kept["check"],
        DriftKind(kept["kind"]),
        kept["collection"],
        kept["id"],
        kept["path"],
        kept.get("expected", MISSING),
        kept.get("found", MISSING),
        Freshness.parse(kept["freshness"]) if kept["freshness"] is not None else None,
        kept["repaired"],
        kept["next_move"],
    )
