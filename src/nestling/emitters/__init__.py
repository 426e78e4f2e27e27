"""Emitters: a design turned into text, without effects. A module here that has `files` is a format, by its own name."""

from __future__ import annotations

from collections.abc import Mapping

from nestling.common.errors import InputError, unknown
from nestling.common.folders import member, module_names
from nestling.ir.proposal import Proposal


def formats() -> tuple[str, ...]:
    """The names `emit` knows, sorted."""
    return tuple(name for name in module_names(__path__) if hasattr(member(__name__, name), "files"))


def emit(proposal: Proposal, as_name: str) -> Mapping[str, str]:
    """Return file name to text for one format. Raises `InputError` that lists the formats if there is none of that name."""
    module = member(__name__, as_name) if as_name in module_names(__path__) else None
    if module is None or not hasattr(module, "files"):
        raise InputError(unknown("format", as_name, formats()))
    found: Mapping[str, str] = module.files(proposal)
    return found
