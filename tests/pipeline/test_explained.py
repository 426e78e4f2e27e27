"""What `explain` says of a design by cost: who uses an index, what takes a structure's place, what nothing would cost."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from nestling.emitters.explanation.text import explanation_text
from nestling.emitters.markdown import files
from nestling.ir.indexes.planned_indexes import planned_indexes
from nestling.ir.proposal import Proposal, Weighed
from nestling.ir.text import read_file, write_proposal
from nestling.pipeline import design, explain, inspect

RECIPES = """nestling: 1
dialect: postgresql
model:
  name: recipes
  entities:
    cook: {key: cook_id, attributes: {cook_id: integer!, name: text!, email: text!}}
    recipe: {key: recipe_id, attributes: {recipe_id: integer!, cook_id: integer!, title: text!, body: text!, likes: integer!}}
    comment:
      key: comment_id
      attributes: {comment_id: integer!, recipe_id: integer!, cook_id: integer!, body: text!, written: timestamp!}
    tag: {key: tag_id, attributes: {tag_id: integer!, label: text!}}
    recipe_tag: {key: [recipe_id, tag_id], attributes: {recipe_id: integer!, tag_id: integer!}}
    oven: {key: oven_id, attributes: {oven_id: integer!, model: text!}}
    reading: {key: [oven_id, at], attributes: {oven_id: integer!, at: timestamp!, celsius: float!}}
  relationships:
    writes: {parent: cook, child: recipe, attributes: cook_id, required: true}
    comments: {parent: recipe, child: comment, attributes: recipe_id, required: true}
    comments_by: {parent: cook, child: comment, attributes: cook_id, required: true}
    tagged: {parent: recipe, child: recipe_tag, attributes: recipe_id, required: true}
    tags: {parent: tag, child: recipe_tag, attributes: tag_id, required: true}
    recipe_tags: {through: recipe_tag, between: [tagged, tags]}
    readings: {parent: oven, child: reading, attributes: oven_id, required: true}
statistics:
  entities:
    cook: {count: 10000}
    recipe: {count: 50000, attributes: {body: {average_bytes: 3000}}}
    comment: {count: 1000000}
    tag: {count: 200}
    recipe_tag: {count: 150000}
    oven: {count: 2000}
    reading: {count: 5000000}
  relationships:
    writes: {mean: 5, maximum: 400}
    comments: {mean: 20, maximum: 5000, grows: 1}
    tagged: {mean: 3, maximum: 10}
    readings: {mean: 2500, maximum: 10000, grows: 1}
workload:
  recipe_page:
    sql: SELECT r.title, r.body, r.likes, c.name FROM recipe r JOIN cook c ON c.cook_id = r.cook_id WHERE r.recipe_id = :id
    rate: 500/s
  recipe_tag_list:
    sql: SELECT t.label FROM recipe_tag rt JOIN tag t ON t.tag_id = rt.tag_id WHERE rt.recipe_id = :id
    rate: 500/s
  latest_comments:
    sql: "SELECT m.body, m.written, c.name FROM comment m JOIN cook c ON c.cook_id = m.cook_id WHERE m.recipe_id = :id
      ORDER BY m.written DESC LIMIT 10"
    rate: 500/s
  comment_count: {sql: SELECT count(*) AS n FROM comment WHERE recipe_id = :id, rate: 500/s}
  by_tag:
    sql: SELECT r.recipe_id, r.title FROM recipe_tag rt JOIN recipe r ON r.recipe_id = rt.recipe_id WHERE rt.tag_id = :tag
    rate: 20/s
  post: {sql: "INSERT INTO comment (comment_id, recipe_id, cook_id, body, written) VALUES (:i, :r, :c, :b, :w)", rate: 10/s}
  rename_cook: {sql: "UPDATE cook SET name = :name WHERE cook_id = :id", rate: 10/h}
  measure: {sql: "INSERT INTO reading (oven_id, at, celsius) VALUES (:oven, :at, :celsius)", rate: 100/s}
  chart: {sql: "SELECT at, celsius FROM reading WHERE oven_id = :oven AND at >= :since", rate: 5/s}
"""
CHAT = """nestling: 1
dialect: postgresql
model:
  name: chat
  entities:
    users: {key: id, attributes: {id: integer!, name: text!}}
    message: {key: id, attributes: {id: integer!, room: integer!, body: text!, sent: timestamp!}}
    reaction: {key: [message_id, user_id, emoji], attributes: {message_id: integer!, user_id: integer!, emoji: text!}}
  relationships:
    reactions_to: {parent: message, child: reaction, attributes: message_id, required: true, on_delete: cascade}
    reactions_of: {parent: users, child: reaction, attributes: user_id, required: true}
statistics:
  entities:
    users: {count: 100000}
    message: {count: 10000000, attributes: {room: {distinct: 20000}}}
    reaction: {count: 5000000}
  relationships:
    reactions_to: {mean: 0.5, maximum: 30}
    reactions_of: {mean: 50, maximum: 10000, grows: 1}
workload:
  history: {sql: "SELECT id, body, sent FROM message WHERE room = :room ORDER BY sent DESC LIMIT 50", rate: 300/s}
  reactions:
    sql: "SELECT x.message_id, x.emoji, count(*) AS n FROM reaction x JOIN message m ON m.id = x.message_id WHERE m.room = :room
      GROUP BY x.message_id, x.emoji"
    rate: 300/s
  react: {sql: "INSERT INTO reaction (message_id, user_id, emoji) VALUES (:m, :me, :e) ON CONFLICT DO NOTHING", rate: 4/s}
  mine: {sql: "SELECT message_id, emoji FROM reaction WHERE user_id = :me", rate: 30/s}
  send: {sql: "INSERT INTO message (id, room, body, sent) VALUES (:id, :room, :body, :now)", rate: 50/s}
"""
LONE = """nestling: 1
dialect: postgresql
model:
  name: lone
  entities:
    metric: {attributes: {sensor: integer!, at: timestamp!, cpu: float!}}
    note: {key: id, attributes: {id: integer!, body: text!}}
statistics: {entities: {metric: {count: 50000000, attributes: {sensor: {distinct: 2000}}}, note: {count: 100}}}
workload:
  add: {sql: "INSERT INTO metric (sensor, at, cpu) VALUES (:s, :at, :cpu)", rate: 1000/s}
  since: {sql: "SELECT at, cpu FROM metric WHERE sensor = :h AND at >= :since", rate: 5/s}
  one: {sql: "SELECT body FROM note WHERE id = :id", rate: 5/s}
"""


def kept_in_a_file(folder: Path, text: str) -> Proposal:
    """The design of a model, as its file says it."""
    (folder / "model.yaml").write_text(text, encoding="utf-8")
    (folder / "design.yaml").write_text(write_proposal(design(inspect(folder / "model.yaml"))), encoding="utf-8")
    found = read_file(folder / "design.yaml")
    assert isinstance(found, Proposal)
    return found


@pytest.fixture(scope="module")
def recipes(tmp_path_factory: pytest.TempPathFactory) -> Proposal:
    return kept_in_a_file(tmp_path_factory.mktemp("recipes"), RECIPES)


def kept(proposal: Proposal, structure: str) -> Weighed:
    return next(each for each in proposal.weighed if each.structure == structure and each.chosen)


@pytest.mark.thorough
def test_an_index_is_there_for_who_uses_it(recipes: Proposal) -> None:
    """The change that looks for rows by it, not the read that has another way; the same in every output."""
    assert kept(recipes, "index of recipe on cook_id").motives == ("rename_cook",)
    index = next(
        each for each in planned_indexes(recipes.design) if (each.collection, each.fields) == ("recipe", "cook_id")
    )
    assert "serves rename_cook" in index.reasons
    assert not any("recipe_page" in reason for reason in index.reasons)
    assert not any("serves recipe_page" in text for text in files(recipes).values())


def test_what_takes_its_place_is_of_the_same_subject(recipes: Proposal) -> None:
    """A collection of comments has nothing to do with the labels of tags."""
    copied = [each for each in recipes.weighed if each.chosen and each.structure.startswith("tag.label in")]
    assert copied
    assert all(not other.startswith("comment") for each in copied for other in each.instead)
    told = explanation_text(explain(recipes, "recipe_tags"))
    assert "over comment" not in told


def test_why_there_is_no_time_series(recipes: Proposal) -> None:
    """What such a collection cannot keep, and what to change."""
    told = " ".join(explanation_text(explain(recipes, "reading")).split())
    assert (
        "no time series collection was considered: it cannot enforce the key (oven_id, at) and the foreign key to `oven`"
        in told
    )
    assert "remove them from the model" in told
    assert "time series" not in explanation_text(explain(recipes, "comment"))


def test_nothing_in_its_place_is_priced_with_what_is_built_anyway(tmp_path: Path) -> None:
    """Without the index on their copies of the room that on their foreign key finds reactions; nobody reads all of them for each
    message.
    """
    proposal = kept_in_a_file(tmp_path, CHAT)
    by_room = next(each for each in proposal.weighed if each.structure == "index of reaction on message.room")
    assert by_room.chosen
    assert by_room.dropped is not None
    assert proposal.costs is not None
    assert by_room.dropped < 100 * proposal.costs.cost


def test_entities_without_relationships(tmp_path: Path) -> None:
    """Their collection, its kind and its indexes are told; a statement by key has its cost."""
    proposal = kept_in_a_file(tmp_path, LONE)
    told = " ".join(explanation_text(explain(proposal)).split())
    assert (
        "metric: collection metric stored home of `metric` (time-series collection), time: at, series by: sensor"
        in told
    )
    assert "index on sensor, at: " in told
    assert "note: collection note stored home of `note`" in told
    assert [each.entity for each in explain(proposal, "metric").stored] == ["metric"]
    assert "`one` costs" in explanation_text(explain(proposal, "one"))
    assert "stored as" in explain(proposal, "metric")._repr_html_()


def test_a_choice_names_the_copies_kept_with_it(recipes: Proposal) -> None:
    """A collection of its own that answers by copies of its parents is not told as if it had none."""
    told = " ".join(explanation_text(explain(recipes, "writes")).split())
    assert "cost recipe in a collection of its own (with cook.name in recipe)" in told


def test_a_design_that_was_changed_by_hand_says_so(recipes: Proposal, tmp_path: Path) -> None:
    """What is told of it is of the one before; a file that is written again as it was says nothing."""

    def read(text: str) -> Proposal:
        path = tmp_path / "design.yaml"
        path.write_text(text, encoding="utf-8")
        found = read_file(path)
        assert isinstance(found, Proposal)
        return found

    written = write_proposal(recipes)
    assert write_proposal(read(written)) == written
    assert not read(written).is_changed
    changed = read(re.sub(r"(?m)^    - \{collection: .*\n", "", written, count=1))
    assert len(changed.design.indexes) == len(recipes.design.indexes) - 1
    for told in (
        explanation_text(explain(changed)),
        explanation_text(explain(changed, "recipe")),
        *files(changed).values(),
    ):
        assert "the design in this file was changed afterwards" in " ".join(told.split())
    assert read(write_proposal(changed)).is_changed
