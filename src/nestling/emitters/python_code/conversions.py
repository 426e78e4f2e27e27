"""The conversions of the parameters of one function: one that is used more than once is done once, and has a local name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, fields, is_dataclass

from nestling.emitters.mql.write_constants import StoredParameter
from nestling.emitters.python_code.parameters import TAKEN, argument, given, stored
from nestling.emitters.python_code.source_layout import INDENT, CallCode, PlainCode, laid_out
from nestling.ir.free_names import free_name
from nestling.ir.programs.compiled import Placeholder
from nestling.ir.programs.program import ReadRows

_OTHERS = frozenset(("path", "plan", "skip", "limit"))
"""Fields of compiled statements that contain no value to convert."""


@dataclass(frozen=True, slots=True)
class Conversions:
    """The local names of the calls that are used more than once."""

    names: dict[CallCode, str]

    @staticmethod
    def of(asked: object, arguments: Collection[str]) -> Conversions:
        """The conversions for a function's query, given its arguments."""
        found = list(_placeholders(asked))
        calls = {_call(each): each.name for each in found}
        times = Counter(map(_call, found))
        taken, names = {*arguments, *TAKEN}, dict[CallCode, str]()
        for call, parameter in calls.items():
            if times[call] > 1:
                names[call] = free_name(f"{argument(parameter)}_{call.function}", taken)
                taken.add(names[call])
        return Conversions(names)

    def lines(self, *, late: Collection[str] = ()) -> Iterator[str]:
        """The assignments in a function's body, except for parameters that are known `late`."""
        for call, name in self.names.items():
            if call.arguments[1] not in late:
                yield INDENT + laid_out(call, before=f"{name} = ", level=1)

    def late_lines(self, late: Collection[str]) -> Iterator[str]:
        """The assignments for the parameters that are known `late`."""
        for call, name in self.names.items():
            if call.arguments[1] in late:
                yield laid_out(call, before=f"{name} = ")

    def given(self, placeholder: Placeholder) -> CallCode | PlainCode:
        """The value as a query takes it."""
        return self._once(given(placeholder))

    def stored(self, placeholder: StoredParameter) -> CallCode | PlainCode:
        """The value as a field keeps it."""
        return self._once(stored(placeholder))

    def _once(self, call: CallCode) -> CallCode | PlainCode:
        return PlainCode(self.names[call]) if call in self.names else call


def _call(placeholder: Placeholder) -> CallCode:
    return stored(placeholder) if isinstance(placeholder, StoredParameter) else given(placeholder)


def _placeholders(node: object) -> Iterator[Placeholder]:
    """The parameters that the caller gives, once per occurrence. Those of LIMIT and OFFSET are converted separately."""
    if isinstance(node, str):
        return
    if isinstance(node, Placeholder):
        yield node
    elif isinstance(node, ReadRows):
        yield from (each for each in _placeholders(node.read) if each.name not in node.inner)
    elif isinstance(node, dict):
        yield from _placeholders([each for name, each in node.items() if name not in ("$limit", "$skip")])
    elif isinstance(node, list | tuple):
        for each in node:
            yield from _placeholders(each)
    elif is_dataclass(node) and not isinstance(node, type):
        yield from _placeholders([getattr(node, item.name) for item in fields(node) if item.name not in _OTHERS])
