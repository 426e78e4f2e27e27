"""Errors say what, where, what was known and the next move."""

from __future__ import annotations

import pickle
import re

import pytest

from nestling.common import errors
from nestling.common.errors import DesignError, InputError, NestlingError, Problem, path_text, suggest, unknown

ALL_ERRORS = [found for found in vars(errors).values() if isinstance(found, type) and issubclass(found, NestlingError)]


def test_problem_text_has_place_fault_knowledge_and_move():
    """A problem reads as one line with the place first, and the next move below it."""
    problem = Problem(
        "no attribute `titel` in `movie`",
        where="model.yaml:12:7",
        known="it has `title`, `year`",
        next_move="rename it",
    )
    assert problem.text() == "model.yaml:12:7: no attribute `titel` in `movie`; it has `title`, `year`\n  → rename it"


def test_problem_text_leaves_out_what_is_not_given():
    """A problem with nothing but a fault is just the fault."""
    assert Problem("no entities").text() == "no entities"


def test_path_stands_in_for_a_missing_place():
    """The path inside a document is shown when no place in words is known, and only then."""
    assert Problem("unknown", path=("copies", 2, "of")).text() == "copies[2].of: unknown"
    assert Problem("unknown", where="d.yaml:3:1", path=("copies", 2)).text() == "d.yaml:3:1: unknown"


def test_path_text_of_a_list_at_the_top():
    """A path may start with an index."""
    assert path_text((0, "keys", 1)) == "[0].keys[1]"


def test_error_prints_every_problem_as_a_paragraph():
    """All the mistakes of an input are printed, not only the first."""
    assert str(InputError(Problem("one"), Problem("two", next_move="mend it"))) == "one\n\ntwo\n  → mend it"


def test_a_next_move_that_several_share_is_said_once():
    """Problems in a row that want the same done are one paragraph; the others keep theirs."""
    alike = [Problem(f"no collection `{name}`", next_move="name the right design") for name in "ab"]
    text = str(NestlingError(*alike, Problem("c"), Problem("d")))
    assert text == "no collection `a`\nno collection `b`\n  → name the right design\n\nc\n\nd"


def test_error_without_problems_is_refused():
    """An error that cannot say what is wrong cannot be built."""
    with pytest.raises(ValueError, match="DesignError needs at least one problem"):
        DesignError()


@pytest.mark.parametrize("kind", ALL_ERRORS)
def test_errors_survive_pickling(kind: type[NestlingError]):
    """An error raised in another process arrives whole."""
    error = kind(Problem("one", path=("a", 1)), Problem("two"))
    arrived = pickle.loads(pickle.dumps(error))
    assert type(arrived) is kind
    assert arrived.problems == error.problems


def test_the_tree_in_the_docstring_is_the_tree():
    """The module's docstring draws every error, each below its parent."""
    drawn: dict[str, str] = {}
    parents = [""]
    for line in (errors.__doc__ or "").splitlines():
        found = re.match(r"    (?P<branch>[│ ]*[├└]── )?(?P<name>[A-Z]\w+)  ", line)
        if found:
            depth = len(found["branch"] or "") // 4
            parents[depth + 1 :] = [found["name"]]
            drawn[found["name"]] = parents[depth]
    actual = {kind.__name__: kind.__base__.__name__ for kind in ALL_ERRORS if kind.__base__}
    assert drawn == {**actual, "NestlingError": ""}


def test_suggest_puts_close_names_first():
    """The name that was probably meant leads the list."""
    assert suggest("titel", ["year", "runtime", "title"]) == "it has `title`, `year`, `runtime`"


def test_suggest_sees_through_case():
    """A name in other case is close."""
    assert suggest("TITLE", ["year", "Title"]) == "it has `Title`, `year`"


def test_suggest_counts_what_it_does_not_list():
    """A long list is cut after eight names, and says how many are left."""
    names = [f"column_{number:02}" for number in range(20)]
    said = suggest("unlike", names)
    assert said.count("`") == 16
    assert said.endswith("`column_07` and 12 more")


def test_suggest_sorts_sets_so_that_messages_are_stable():
    """A set has no order, a message has."""
    assert suggest("unlike", {"c", "a", "b"}) == "it has `a`, `b`, `c`"


def test_suggest_with_nothing_known():
    """Nothing to choose from is said."""
    assert suggest("any", []) == "it has none"


def test_unknown_names_the_holder_and_what_it_has():
    """A name that does not exist is said with its kind, its holder and the names that do exist."""
    problem = unknown("attribute", "titel", ["year", "title"], of="movie", path=("copies", 0))
    assert problem.text() == "copies[0]: no attribute `titel` in `movie`; it has `title`, `year`"


def test_unknown_without_a_holder():
    """Without a holder the names are simply there."""
    assert unknown("entity", "film", ["movie"]).text() == "no entity `film`; there is `movie`"
    assert unknown("entity", "film", []).text() == "no entity `film`; there is none"
