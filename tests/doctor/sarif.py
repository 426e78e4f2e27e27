"""The standard's own schema of SARIF 2.1.0, and reports held against it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jsonschema

from nestling.doctor.report import Accepted, report
from nestling.doctor.reports import sarif
from nestling.ir.facts import Facts
from nestling.ir.finding import Finding

SCHEMA = json.loads(Path(__file__).with_name("sarif-2.1.0.schema.json").read_text(encoding="utf-8"))
SARIF = jsonschema.Draft7Validator(SCHEMA)


def valid_log(facts: Facts, findings: Sequence[Finding], accepted: Sequence[Accepted] = ()) -> dict[str, Any]:
    """The report as SARIF, parsed; raises what is wrong with it by the schema."""
    log: dict[str, Any] = json.loads(sarif(report(facts, findings, accepted), "1.0"))
    SARIF.validate(log)
    return log
