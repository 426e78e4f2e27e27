"""Every mistake of a file is reported at once, with its line, its column and what is known instead."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nestling.common.errors import InputError, Problem
from nestling.ir.text import read_file, read_proposal, read_reading
from nestling.ir.text.yaml_reader import read_yaml
from tests.cases.pattern_case import pattern_cases

MODEL = """\
nestling: 1
model:
  name: cinema
  entities:
    movie:
      key: movie_id
      attributes: {movie_id: integer!, title: text!, year: integer}
    screening:
      key: [screening_id]
      attributes: {screening_id: integer!, movie_id: integer!, revenue: "decimal(10,2)"}
  relationships:
    movie_screenings: {parent: movie, child: screening, attributes: movie_id, required: true}
"""
DESIGN = """\
strategy: hand
design:
  collections:
    movies:
      root: movie
      id: movie_id
      embeddings:
        screenings: {of: movie_screenings}
  indexes:
    - {collection: movies, keys: [title]}
"""


ONE_TO_ONE = (
    'attributes: movie_id, required: true, cardinality: "1:1"}\n'
    "statistics: {relationships: {movie_screenings: {mean: 3}}}"
)
COUNTS = (
    "statistics: {{entities: {{movie: {{count: {}}}, screening: {{count: {}}}}}, "
    "relationships: {{movie_screenings: {{mean: 5}}}}}}\nmodel:\n"
)


def problems_of(text: str) -> list[str]:
    """Each problem in one line."""
    with pytest.raises(InputError) as caught:
        (read_proposal if "\ndesign:" in text else read_reading)(text, "f.yaml")
    return [problem.text().split("\n")[0] for problem in caught.value.problems]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [  # the lines are as long as what they say
        (
            "key: movie_id",
            "key: movie",
            "f.yaml:6:12: no attribute `movie` in `movie`; it has `movie_id`, `title`, `year`",
        ),
        (
            'revenue: "decimal(10,2)"',
            "revenue: decimal(10,2)",
            "f.yaml:10:86: `2)` is the end of a value that was split at its comma",
        ),
        (
            'revenue: "decimal(10,2)"',
            "revenue: decimal(10,2)!",
            "f.yaml:10:87: `2)!` is the end of a value that was split at its comma",
        ),
        ("title: text!", "title: txt!", "f.yaml:7:47: no type `txt`; there is `text`, `boolean`"),
        ("parent: movie,", "parent: film,", "f.yaml:12:32: no entity `film`; there is `movie`, `screening`"),
        (
            "required: true",
            "requires: true",
            "f.yaml:12:79: no key `requires` in `relationships.movie_screenings`; it has `required`",
        ),
        ("required: true", "required: 7", "f.yaml:12:89: `required` wants true or false, not `7`"),
        ("key: [screening_id]", "key: {a: b}", "f.yaml:9:7: `key` wants a list, not a map"),
        ("name: cinema", "name: 12", "f.yaml:3:9: `name` wants text, not `12`"),
        ("    screening:\n", "    movie:\n", "f.yaml:8:5: `movie` appears twice"),
        ("  name: cinema\n", "", "f.yaml:2:1: `name` is missing in `model`"),
        ("nestling: 1", "color: red\nnestling: 1", "f.yaml:1:1: no key `color`; there is `nestling`"),
        (
            "model:\n",
            "statistics: {entities: {movie: {count: -40}}}\nmodel:\n",
            "f.yaml:2:40: `count` cannot be -40",
        ),
        (
            "model:\n",
            "statistics: {entities: {movie: {count: 1e300}}}\nmodel:\n",
            "f.yaml:2:40: `count` cannot be 1e+300",
        ),
        (
            "model:\n",
            "statistics: {relationships: {movie_screenings: {mean: 9, maximum: 1}}}\nmodel:\n",
            "f.yaml:2:55: a mean of 9 is more than the maximum, 1",
        ),
        (
            "model:\n",
            "statistics: {relationships: {movie_screenings: {p95: 150, p99: 40, maximum: 900}}}\nmodel:\n",
            "f.yaml:2:54: a p95 of 150 is more than the p99, 40",
        ),
        (
            "model:\n",
            "statistics: {relationships: {movie_screenings: {p50: 9, maximum: 4}}}\nmodel:\n",
            "f.yaml:2:54: a p50 of 9 is more than the maximum, 4",
        ),
        (
            "model:\n",
            "statistics: {entities: {movie: {attributes: {year: {null_share: 3}}}}}\nmodel:\n",
            "f.yaml:2:65: `null_share` cannot be 3",
        ),
        (
            "model:\n",
            COUNTS.format(480000, 24),
            "f.yaml:2:115: a mean of 5 over 480,000 `movie` implies 2,400,000 `screening`, but their count is 24",
        ),
        (
            "model:\n",
            COUNTS.format(10, 2400),
            "f.yaml:2:113: a mean of 5 over 10 `movie` implies 50 `screening`, but their count is 2,400",
        ),
        (
            "attributes: movie_id, required: true}",
            ONE_TO_ONE,
            "f.yaml:13:55: `mean` is 3, but `movie_screenings` is 1:1: a `movie` has at most one `screening`",
        ),
        (
            "movie_id: integer!, revenue",
            "movie_id: integer, revenue",
            "f.yaml:12:89: every `screening` has a `movie`, but `movie_id` may be NULL",
        ),
        (
            "required: true",
            "on_delete: set null",
            "f.yaml:12:90: `on_delete: set null`, but `movie_id` of `screening` is NOT NULL",
        ),
        (
            "model:\n",
            "requirements: {atomic: [movie, screening]}\nmodel:\n",
            "f.yaml:2:25: a group of `movie` alone: `atomic` lists entities that change together",
        ),
        ("nestling: 1", "dialect: oracle\nnestling: 1", "f.yaml:1:10: no dialect `oracle`; there is `sqlite`"),
        ("nestling: 1", "nestling: 2", "f.yaml:1:11: the file has format version 2"),
        ("name: cinema", "name: [cinema", "f.yaml:4:11: not YAML: did not find expected ',' or ']'"),
        (
            "attributes: movie_id,",
            "attributes: [movie_id, revenue],",
            "f.yaml:12:57: `movie_screenings`: 2 attributes refer to 1",
        ),
        ("root: movie", "root: film", "f.yaml:17:13: no entity `film`; there is `movie`, `screening`"),
        (
            "of: movie_screenings",
            "of: movie_screening",
            "f.yaml:20:26: no relationship `movie_screening`; there is `movie_screenings`",
        ),
        ("id: movie_id", "id: title", "f.yaml:18:11: title is not a key of `movie`"),
        ("keys: [title]", "keys: [titel]", "f.yaml:22:35: no field `titel` in `movies`; it has `title`"),
        ("{of: movie_screenings}", "{of: movie_screenings, as: list}", "f.yaml:20:48: no form `list`; there is"),
        ("keys: [title]", "keys: [-_id]", "f.yaml:22:35: the server keeps its own index on `_id` of `movies`"),
        ("keys: [title]", "keys: [_id], unique: true", "f.yaml:22:35: the server keeps its own index on `_id`"),
        (
            "{of: movie_screenings}",
            "movie_screenings",
            "f.yaml:20:21: `screenings` wants a map, not `movie_screenings`",
        ),
        ("      embeddings:\n        screenings: {of: movie_screenings}\n", "", "entity `screening` has no home"),
        ("keys: [title]", "keys: [title, title]", "f.yaml:22:35: `title` appears twice in an index of `movies`"),
        ("keys: [title]", "keys: {title: 2}", "f.yaml:22:35: `title` has the direction `2`"),
        ("{of: movie_screenings}", "{of: movie_screenings, order: [{revenue: 0}]}", "`revenue` has the direction `0`"),
        (
            "keys: [title]",
            "keys: [title], partial: {titel: x}",
            "f.yaml:22:53: no field `titel` in `movies`; it has `title`",
        ),
        (
            "keys: [title]",
            "keys: [title], expire_after_seconds: 9",
            "an index of `movies` with `expire_after_seconds` is on `title`, which is text",
        ),
        (
            "root: movie",
            "splits: {old: {rows: {attribute: year, before: soon}}}\n      root: movie",
            "f.yaml:17:54: `soon` is no integer",
        ),
        (
            "model:\n",
            "requirements: {archive: {screening: {attribute: screening_id, before: 1 May}}}\nmodel:\n",
            "f.yaml:2:71: `1 May` is no integer",
        ),
        (
            "model:\n",
            "statistics: {entities: {movie: {count: 1.5}}}\nmodel:\n",
            "f.yaml:2:40: `count` cannot be 1.5",
        ),
        (
            "  relationships:\n",
            "  relationships:\n    shown: {parent: movie, child: screening, attributes: movie_id}\n",
            "`movie_screenings` is the same foreign key as `shown`",
        ),
        ("year: integer}", "year: 5}", "f.yaml:7:60: `year` wants a text, such as `integer!`, or a map, not `5`"),
        ("    movies:\n", '    "":\n', "no collection can be called ``: the name is empty"),
        ("    movies:\n", '    "a$b":\n', "f.yaml:16:5: no collection can be called `a$b`: the name contains `$`"),
        ("    movies:\n", "    system.b:\n", "names that start with `system.` are reserved for the server"),
        ("    movies:\n", "    b.:\n", "the name starts or ends with a dot"),
        ("    movies:\n", f"    {'b' * 254}:\n", "the name has 254 bytes; at most 253 fit"),
    ],
)
def test_mistake_is_placed_and_explained(old: str, new: str, said: str) -> None:
    """A single mistake gives a problem with its place, what is wrong and what is known."""
    text = MODEL + DESIGN
    assert text.count(old) >= 1
    assert any(said in line for line in problems_of(text.replace(old, new, 1))), problems_of(text.replace(old, new, 1))


@pytest.mark.parametrize(
    ("attribute", "said"),
    [
        ("{type: integer, default: abc}", "the default of `year` cannot be `abc`: it is integer"),
        ("{type: integer, default: 1.5}", "the default of `year` cannot be `1.5`: it is integer"),
        ("{type: boolean, default: 5}", "the default of `year` cannot be `5`: it is boolean"),
        ("{type: boolean, default: 1}", ""),
        ("{type: integer, default: 5, allowed: {minimum: 10}}", "allowed is at least 10"),
        ("{type: integer, default: abc, also: text}", ""),
        ('{type: "decimal(8,2)", default: "0.10", allowed: {minimum: 0}}', ""),
        ("{type: text, default: new, allowed: {values: [new, old]}}", ""),
    ],
)
def test_defaults_written_by_hand(attribute: str, said: str) -> None:
    """They are values that rows may have; a source declares others too, and its file is read all the same."""
    text = MODEL.replace("year: integer}", f"year: {attribute}}}")
    assert read_reading(f"origin: schema.sql\n{text}", "f.yaml").origin
    if said:
        assert any(problem.startswith("f.yaml:7:") and said in problem for problem in problems_of(text))
    else:
        assert not read_reading(text, "f.yaml").origin


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("nestling: 1\n", "f.yaml:1:1: `model` is missing in the file"),
        ("- model\n", "f.yaml:1:1: the file wants a map, not a list"),
    ],
)
def test_a_file_hardly_begun(text: str, said: str) -> None:
    """The file itself is no key, and stands in no quotes."""
    assert problems_of(text) == [said]


def test_all_mistakes_come_at_once() -> None:
    """Mistakes of YAML, shape and sense, in the model and in the design, are one error, in the order of the file."""
    text = MODEL.replace("title: text!", "title: txt!").replace("key: movie_id", "key: titel")
    text += DESIGN.replace("root: movie", "root: movie\n      colour: red\n      root: film")
    places = [line.split(": ")[0] for line in problems_of(text)]
    assert places == ["f.yaml:6:12", "f.yaml:7:47", "f.yaml:18:7", "f.yaml:19:7"]


def test_mistakes_of_shape_in_the_design_do_not_hide_those_of_the_model() -> None:
    """A design that cannot be read at all still leaves the model's mistakes told."""
    lines = problems_of(MODEL.replace("key: movie_id", "key: titel") + "strategy: hand\ndesign: [1]\n")
    assert [line.split(": ")[0] for line in lines] == ["f.yaml:6:12", "f.yaml:14:1"]


def test_names_of_statistics_and_requirements_are_checked() -> None:
    """Numbers about things the model does not have are mistakes."""
    text = MODEL + (
        "statistics: {entities: {movie: {attributes: {titel: {distinct: many}}}}, relationships: {shows: {}}}\n"
        "requirements: {freshness: {movie.title: sometimes}, atomic: [[film]]}\n"
    )
    said = "\n".join(problems_of(text))
    for part in ("no attribute `titel` in `movie`", "`many` is not a number", "no relationship `shows`"):
        assert part in said
    for part in ("no freshness `sometimes`", "no entity `film`"):
        assert part in said


def test_numbers_that_were_measured_may_differ_a_little() -> None:
    """What was counted at other moments, or of a sample, is taken as it is; so is what people rounded."""
    measured = "{mean: 5 (measured), p95: 9 (measured over 100 rows), p99: 8 (measured over 100 rows)}"
    rounded = "{mean: 5, p95: 9, p99: 9, maximum: 9}"
    counts = "entities: {movie: {count: 1000}, screening: {count: %s}}, relationships: {movie_screenings: %s}"
    for count, known in (("24", measured), ("4000", rounded)):
        assert read_reading(f"{MODEL}statistics: {{{counts % (count, known)}}}\n", "f.yaml").statistics.entities


def test_the_groups_that_change_together_are_nested() -> None:
    """A flat list is refused with the form that was meant; nested, it is one group."""
    with pytest.raises(InputError) as caught:
        read_reading(f"{MODEL}requirements: {{atomic: [movie, screening]}}\n", "f.yaml")
    moves = {problem.next_move for problem in caught.value.problems}
    assert moves == {"write each group as a separate list: `atomic: [[movie, screening]]`"}
    read = read_reading(f"{MODEL}requirements: {{atomic: [[movie, screening]]}}\n", "f.yaml")
    assert read.workload.requirements.atomic == (("movie", "screening"),)


def test_self_relationship_needs_a_direction() -> None:
    """A path along a tree says whether it goes up or down."""
    text = (
        "nestling: 1\nmodel: {name: t, entities: {n: {key: i, attributes: {i: integer!, p: integer}}}, relationships: "
    )
    text += "{tree: {parent: n, child: n, attributes: p}}}\nstrategy: s\ndesign: {collections: {c: {root: n, id: i, "
    text += "references: {tree: parent-reference}, computed: {k: {count: tree, freshness: transaction}}}}}\n"
    assert "`tree` relates `n` to itself" in problems_of(text)[0]
    assert read_proposal(text.replace("count: tree", "count: tree:down"), "f").design.collections[0].body.computed


def test_a_time_series_has_two_fields() -> None:
    """The server refuses a collection whose meta field is its time field; so does the reader, at the line."""
    text = "nestling: 1\nmodel: {name: t, entities: {n: {attributes: {at: timestamp(3)!, who: text}}}}\nstrategy: s\n"
    text += "design: {collections: {c: {root: n, options: {kind: time-series, time: at, meta: at}}}}\n"
    assert "`at` is the time of the time series" in problems_of(text)[0]
    assert read_proposal(text.replace("meta: at", "meta: who"), "f").design.collections[0].options.meta == "who"


@pytest.mark.parametrize("inside", ["fields: {at: when.exactly}", "pairs: {the pairs: {attributes: [at]}}"])
def test_the_time_of_a_time_series_is_a_field(inside: str) -> None:
    """The server takes no path into a document for it."""
    text = "nestling: 1\nstrategy: x\nmodel: {name: x, entities: {n: {attributes: {at: timestamp(3)!, x: integer}}}}\n"
    text += f"design: {{collections: {{c: {{root: n, {inside}, options: {{kind: time-series, time: at}}}}}}}}\n"
    assert "`at` is stored inside another field" in problems_of(text)[0]


_NO_FILES = ["", "# nothing\n", "just text", "- a\n- b\n", "a: &x 1\nb: *x\n", "? [a]\n: 1\n", "\x01", "[" * 5000]


@pytest.mark.parametrize("text", _NO_FILES)
def test_what_is_no_file_of_ours_is_an_input_error(text: str) -> None:
    """Empty files, lists, aliases and control characters are refused in words."""
    assert problems_of(text)


def test_unreadable_files_are_input_errors(tmp_path: Path) -> None:
    """A missing file and one that is not UTF-8 are refused with their names."""
    broken = tmp_path / "model.yaml"
    broken.write_bytes(b"name: \xff")
    for path in (broken, tmp_path / "none.yaml", tmp_path):
        with pytest.raises(InputError, match=path.name):
            read_file(path)


_TEXTS = [MODEL + DESIGN, *(case.proposal_text for case in pattern_cases())]
_PIECES = [
    *("{", "}", "[", "]", ":", ",", "- ", "'", '"', "\n", "  ", "#", "&a", "*a", "!"),
    *("null", "1", "-1", "1e999", "true", "\t", "é", "name", "~"),
]


@pytest.mark.thorough
@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(_TEXTS), st.integers(1, 4), st.randoms(use_true_random=False))
def test_mutilated_files_never_crash(text: str, cuts: int, luck: random.Random) -> None:
    """Whatever happens to a valid file, reading it gives a value or an InputError with placed problems."""
    problems: tuple[Problem, ...] = ()
    try:
        read_proposal(mutilated(text, cuts, luck), "f.yaml")
    except InputError as error:
        problems = error.problems
    assert all(problem.where.startswith("f.yaml:") for problem in problems)


def mutilated(text: str, cuts: int, luck: random.Random) -> str:
    """The text with words swapped, lines dropped or doubled, or pieces of YAML thrown in."""
    for _ in range(cuts):
        lines = text.split("\n")
        at, other = luck.randrange(len(lines)), luck.randrange(len(lines))
        words = lines[at].split(" ")
        spot = luck.randrange(len(words))
        match luck.randrange(5):
            case 0:
                lines[at] = lines[other]
            case 1:
                del lines[at]
            case 2:
                words[spot] = luck.choice(lines[other].split(" "))
                lines[at] = " ".join(words)
            case 3:
                words[spot] = luck.choice(_PIECES)
                lines[at] = " ".join(words)
            case _:
                cut = luck.randrange(len(lines[at]) + 1)
                lines[at] = lines[at][:cut] + luck.choice(_PIECES) + lines[at][cut:]
        text = "\n".join(lines)
    return text


def test_a_bucket_is_not_made_by_what_is_called_as_its_own_field() -> None:
    """`_id` has the attributes a bucket is made by beside the number of its page."""
    text = """\
nestling: 1
strategy: by hand
model:
  name: book
  entities:
    word: {attributes: {page: integer!, text: text!}}
design:
  collections:
    words:
      root: word
      fields: {page: leaf}
      bucket: {by: page, field: words, limit: 50}
"""
    assert any("two things are stored as `_id.page`" in line for line in problems_of(text)), problems_of(text)


def test_plain_words_are_those_of_yaml_1_2() -> None:
    """What YAML 1.1 takes for booleans, dates, times and merges is text; numbers and nothings are what they say."""
    text = "[NO, on, 2020-01-01, '12', 12:30, <<, =, 012, 0o17, 0x1F, 1_000, 1e3, -.inf, true, ~, null]"
    document, problems = read_yaml(text, "f.yaml")
    assert document.value == [
        *("NO", "on", "2020-01-01", "12", "12:30", "<<", "="),
        *(12, 15, 31, 1000, 1000.0, float("-inf"), True, None, None),
    ]
    assert problems == []


@pytest.mark.parametrize("text", ["[" * 100_000, "{a: " * 100_000, "- " * 100_000], ids=["lists", "maps", "blocks"])
def test_deep_nesting_is_refused_where_it_is_too_deep(text: str) -> None:
    """Before libyaml's composer, which has no limit, is asked for the tree."""
    with pytest.raises(InputError, match=r"^f\.yaml:1:\d+: .*nested more than 60 levels deep"):
        read_yaml(text, "f.yaml")


def moves_of(text: str) -> list[tuple[str, str]]:
    """Each problem's sentence and its next move."""
    with pytest.raises(InputError) as caught:
        read_reading(text, "f.yaml")
    return [(problem.what, problem.next_move) for problem in caught.value.problems]


def test_a_parent_without_a_key() -> None:
    """It is the parent that lacks it; of a parent that is not there, nothing more is said."""
    ((what, move),) = moves_of(MODEL.replace("      key: movie_id\n", ""))
    assert (what, move.startswith("give it one")) == ("entity `movie` has no key", True)
    assert [what for what, _ in moves_of(MODEL.replace("parent: movie", "parent: movies"))] == ["no entity `movies`"]


LINK = """\
    movie_tagged: {parent: movie, child: tag, attributes: movie_id}
    screening_tagged: {parent: screening, child: tag, attributes: screening_id}
    tags: {through: tag, between: [movie_tagged, screening_tagged]}
"""
TAG = "    tag: {key: [movie_id, screening_id], attributes: {movie_id: integer!, screening_id: integer!}}\n  relationships:"


def test_many_to_many_says_its_cardinality_or_not() -> None:
    """N:M goes without saying beside `through`; without it, or with another word, the error shows what to write."""
    text = MODEL.replace("  relationships:", TAG) + LINK
    said = text.replace("{through: tag,", '{cardinality: "N:M", through: tag,')
    assert read_reading(said, "f.yaml").model == read_reading(text, "f.yaml").model
    form = "write `tags: {through: tag, between: [ONE, OTHER]}`"
    ((_, move),) = moves_of(text.replace("{through: tag,", '{cardinality: "1:N", through: tag,'))
    assert move.startswith(form)
    ((_, move),) = moves_of(MODEL.replace("required: true", 'cardinality: "N:M"'))
    assert move.startswith("write `movie_screenings: {through: JUNCTION, between: [ONE, OTHER]}`")


def test_a_many_to_many_joins_two_relationships() -> None:
    """One relationship and itself are none."""
    text = (MODEL.replace("  relationships:", TAG) + LINK).replace(
        "[movie_tagged, screening_tagged]", "[movie_tagged, movie_tagged]"
    )
    assert problems_of(text) == ["f.yaml:16:26: `tags` names `movie_tagged` twice"]


def test_a_rate_without_a_unit() -> None:
    """A number is no rate, and needs no quotes but a unit."""
    ((what, move),) = moves_of(MODEL.replace("model:", "workload: {q: {sql: SELECT 1, rate: 5}}\nmodel:", 1))
    assert (what, move) == ("`5` is not a rate", "add the unit of time: write `5/s`")
