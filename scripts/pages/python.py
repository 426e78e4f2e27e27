"""`docs/python.md`: what `nestling` and `nestling.pipeline` give to Python, as their docstrings have it."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Iterator
from enum import Enum
from importlib import import_module

from nestling import pipeline, store
from nestling.pipeline import proving

HEAD = """# Python

Everything that the commands do with databases, designs and statements is also a function, for notebooks and programs. [The
tutorial](tutorials/notebook.md) shows what each returns; reports, designs and findings render themselves in a notebook. An
argument of the wrong kind raises an error that says what was expected and how to get it; every other failure is one of [the
errors](errors.md). Readings and designs are immutable values, equal if their content is equal.

```python
{example}
```

`nestling` itself has `Store`, `AsyncStore`, `Result`, `NestlingError` and `pipeline`. Everything below is in `nestling.pipeline`
unless it says otherwise; to measure rival designs, import `nestling.pipeline.proving`. A `Reading` is what is known about a
source; a `Proposal` is a design with its decisions. `watch` is called with the current activity, the amount done, and the total.
"""
STAGES = (
    "designing",
    "loading",
    "converting",
    "generating",
    "checking",
    "syncing",
    "migrating",
    "capturing",
    "diagnosing",
    "source",
    "prove",
    "effort",
)
"""The modules whose names come first, in the order data flows; the others follow by the alphabet."""
WIDTH = 100
KINDS = (store.Result, store.Store, store.Transaction, store.AsyncStore, store.AsyncTransaction)


def page() -> str:
    """The page's text."""
    import nestling

    example = inspect.cleandoc(nestling.__doc__ or "").partition("::\n\n")[2]
    parts = [HEAD.format(example=inspect.cleandoc(example))]
    for module, members in sorted(_by_home().items(), key=lambda item: _place(item[0])):
        parts.append(f"## {_heading(module)}\n")
        parts += [_member(name, member) for name, member in members]
    parts.append(f"## {_heading(store.__name__)}\n\nIn `nestling`.\n")
    parts += [_class(kind.__name__, kind) for kind in KINDS]
    return "\n".join(parts)


def _by_home() -> dict[str, list[tuple[str, object]]]:
    """The functions and classes of the pipeline, by the module that has them, in its own order."""
    offered = {name: getattr(package, name) for package in (pipeline, proving) for name in package.__all__}
    members = {name: each for name, each in offered.items() if inspect.isclass(each) or inspect.isfunction(each)}
    homes = {each.__module__ for each in members.values() if each.__module__.startswith(f"{pipeline.__name__}.")}
    return {
        home: [(name, members[name]) for name in vars(import_module(home)) if _is_of(members.get(name), home)]
        for home in homes
    }


def _is_of(member: object, home: str) -> bool:
    return getattr(member, "__module__", "") == home


def _place(module: str) -> tuple[int, str]:
    name = module.rpartition(".")[2]
    return STAGES.index(name) if name in STAGES else len(STAGES), name


def _heading(module: str) -> str:
    """The first line of a module's docstring, without its full stop."""
    return (inspect.getdoc(import_module(module)) or "").splitlines()[0].rstrip(".")


def _member(name: str, member: object) -> str:
    if inspect.isclass(member):
        return _class(name, member)
    assert callable(member)
    return f"### {name}\n\n{_signature(name, member)}\n{_words(member)}\n"


def _class(name: str, kind: type) -> str:
    parts = [f"### {name}\n\n{_words(kind)}\n"]
    if issubclass(kind, Enum):
        parts.append(f"{', '.join(f'`{name}.{each.name}`' for each in kind)}.\n")
    elif dataclasses.is_dataclass(kind):
        fields = "\n".join(f"{field.name}: {field.type}" for field in dataclasses.fields(kind) if field.name[0] != "_")
        parts += [f"```python\n{fields}\n```\n"] if fields else []
    parts += [f"{_signature(found, method)}\n{_words(method)}\n" for found, method in _methods(kind)]
    return "\n".join(parts)


def _methods(kind: type) -> Iterator[tuple[str, Callable[..., object]]]:
    """What a class offers: its own methods and those of bases that are nestling's, documented and without underscore."""
    if kind in KINDS and kind.__init__ is not object.__init__ and not dataclasses.is_dataclass(kind):
        yield kind.__name__, kind.__init__
    for name, member in inspect.getmembers(kind, inspect.isfunction):
        if not name.startswith("_") and member.__module__.startswith("nestling."):
            yield name, member


def _signature(name: str, function: Callable[..., object]) -> str:
    """How it is called, one parameter a line where one line does not hold them."""
    found = inspect.signature(inspect.unwrap(function))
    parameters = [*_parameters(found)]
    start = "async " if inspect.iscoroutinefunction(function) else ""
    answer = "" if found.return_annotation == "None" else f" -> {found.return_annotation}"
    shown = f"{start}{name}({', '.join(parameters)}){answer}"
    if len(shown) > WIDTH:
        shown = "\n".join([f"{start}{name}(", *(f"    {each}," for each in parameters), f"){answer}"])
    return f"```python\n{shown}\n```\n"


def _parameters(signature: inspect.Signature) -> Iterator[str]:
    """Each parameter as it is written, and the marks between those by position and those by name."""
    kind = None
    for each in signature.parameters.values():
        if kind is each.POSITIONAL_ONLY and each.kind is not kind:
            yield "/"
        if each.kind is each.KEYWORD_ONLY and kind is not each.kind:
            yield "*"
        kind = each.kind
        if each.name != "self":
            default = "" if each.default is each.empty else f" = {_value(each.default)}"
            yield f"{'**' if kind is each.VAR_KEYWORD else ''}{each.name}: {each.annotation}{default}"


def _value(default: object) -> str:
    """A default as it is written; of values with a name in the package, the name."""
    for name in proving.__all__:
        if getattr(proving, name) == default:
            return name
    if isinstance(default, Enum):
        return f"{type(default).__name__}.{default.name}"
    return f'"{default}"' if isinstance(default, str) else getattr(default, "__qualname__", repr(default))


def _words(documented: object) -> str:
    return inspect.getdoc(documented) or ""
