"""The names one write gives: to row sets and aliases, to lists of what was read, and to new ids and numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from nestling.common.trees import nodes_in
from nestling.ir.paths.write_path import Fetch, IdForm, ListParameter, NewId, NewNumbers
from nestling.ir.programs.compiled import ReadPlan
from nestling.ir.statements.expression import Parameter
from nestling.ir.types import Type, TypeName


def parameters_in(node: object) -> Iterator[str]:
    """The parameters anywhere in a plan, each as often as it is there."""
    return (each.name for each in nodes_in(node) if isinstance(each, Parameter))


_FORMS = {TypeName.UUID: IdForm.UUID, TypeName.OBJECT_ID: IdForm.OBJECT_ID}


@dataclass
class NewNames:
    """The names given so far. Each is given once."""

    new_ids: list[NewId] = field(default_factory=list)
    new_numbers: list[NewNumbers] = field(default_factory=list)
    _numbers: dict[str, int] = field(default_factory=dict)
    _lists: dict[str, ListParameter] = field(default_factory=dict)  # by the parameter

    def free(self, wish: str) -> str:
        """A name for a row set or alias that no other has."""
        number = self._numbers.get(wish, 0) + 1
        self._numbers[wish] = number
        return wish if number == 1 else f"{wish} {number}"

    def new_id(self, kind: Type) -> Parameter:
        """A parameter that stands for an id nobody else has: an ObjectId where that is the type, else a UUID."""
        form = _FORMS.get(kind.name, IdForm.TEXT)
        made = NewId(f"_{'id' if form is IdForm.OBJECT_ID else 'uuid'}_{len(self.new_ids) + 1}", form)
        self.new_ids.append(made)
        return Parameter(made.name, kind)

    def next_numbers(self, counter: str, highest: ReadPlan, kind: Type, count: int) -> list[Parameter]:
        """Parameters that stand for the next numbers of a counter."""
        return self._numbers_of(kind, NewNumbers(self._number_names(count), counter, highest))

    def numbers_for_rows(self, counter: str, highest: ReadPlan, kind: Type, count: ReadPlan) -> list[Parameter]:
        """Two parameters: the first and the last of as many next numbers as are counted."""
        return self._numbers_of(kind, NewNumbers(self._number_names(2), counter, highest, count))

    def _number_names(self, count: int) -> tuple[str, ...]:
        before = sum(len(each.names) for each in self.new_numbers)
        return tuple(f"_number_{before + place + 1}" for place in range(count))

    def _numbers_of(self, kind: Type, made: NewNumbers) -> list[Parameter]:
        self.new_numbers.append(made)
        return [Parameter(name, kind) for name in made.names]

    def list_of(self, column: str, rows: tuple[str, ...]) -> str:
        """The parameter that stands for what a column holds in these row sets, which are read before it is asked for."""
        made = ListParameter(self.free(f"list of {rows[0]}"), column, rows)
        self._lists[made.parameter] = made
        return made.parameter

    def lists_in(self, node: object) -> tuple[ListParameter, ...]:
        """The lists whose parameters are in a plan or expression."""
        if not self._lists:
            return ()
        return tuple(self._lists[name] for name in dict.fromkeys(parameters_in(node)) if name in self._lists)

    def with_lists(self, read: Fetch) -> Fetch:
        """The read with the lists that it asks for."""
        return replace(read, lists=self.lists_in(read.plan))
