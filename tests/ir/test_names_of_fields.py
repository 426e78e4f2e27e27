"""A design gives no field a name that MongoDB has none of, wherever it gives one; the mistake is told at its line."""

from __future__ import annotations

import re

import pytest

from nestling.common.errors import InputError
from nestling.ir.text import read_proposal

DESIGN = """\
nestling: 1
strategy: by hand
model:
  name: shop
  entities:
    product:
      key: [id]
      attributes: {id: integer!, name: text, us: date, mx: date, manual: text}
    review: {key: [id], attributes: {id: integer!, product: integer!, rating: integer, author: text}}
    comment: {key: [id], attributes: {id: integer!, product: integer, words: text}}
    offer: {key: [id], attributes: {id: integer!, product: integer, price: integer}}
    video: {key: [id], attributes: {id: integer!, title: text}}
    reading: {key: [sensor, at], attributes: {sensor: text!, at: timestamp!, value: integer, unit: text}}
  relationships:
    reviews: {parent: product, child: review, attributes: product, required: true}
    comments: {parent: product, child: comment, attributes: product}
    offers: {parent: product, child: offer, attributes: product}
design:
  collections:
    products:
      root: product
      id: [id]
      fields: {name: called}
      constants: {edition: 1}
      variant: {discriminator: kind, value: product, members: {video: {value: video, fields: {title: heading}}}}
      pairs: {releases: {attributes: [us, mx], key: country, value: day}}
      splits: {manuals: {attributes: [manual], gridfs: true}}
      embeddings:
        remarks: {of: comments, fields: {words: said}, overflow: {bound: 3, collection: more, flag: has_more}, orphans: stray}
      references: {offers: {child-reference: offer_ids, copies: {price: costs}}}
      copies:
        recent: {of: reviews, attributes: {author: writer}, order: [-id], limit: 2, freshness: transaction}
      computed:
        stats.mean: {avg: rating, of: reviews, freshness: transaction, stamp: computed_at}
    reviews:
      root: review
      id: [id]
      references: {reviews: parent-reference}
      copies:
        shown: {of: reviews, attributes: {name: product_name}, as: inline, freshness: transaction}
    offers: {root: offer, id: [id]}
    readings:
      root: reading
      bucket: {by: [sensor], field: events, limit: 6, summary: {highest: {max: value}}}
      fields: {value: measured}
"""
OF_DOCUMENTS = [
    "called",
    "edition",
    "kind",
    "heading",
    "releases",
    "remarks",
    "has_more",
    "offer_ids",
    "recent",
    "stats.mean",
    "computed_at",
    "product_name",
    "events",
    "highest",
]
INSIDE = ["country", "day", "said", "costs", "writer", "measured"]
BAD = {
    '""': "the name is empty",
    '".a"': "it starts or ends with a dot, or has two in a row",
    '"a."': "it starts or ends with a dot, or has two in a row",
    "a..b": "it starts or ends with a dot, or has two in a row",
    "$a": "MongoDB treats names that start with `$` as operators",
    "a.$b": "MongoDB treats names that start with `$` as operators",
    r'"a\0"': "it contains NUL",
}


def renamed(names: list[str], new: str) -> tuple[str, list[int]]:
    """The design with all these names changed, and the lines that give them."""
    found = re.compile(rf"(?<=[ {{])({'|'.join(map(re.escape, names))})(?=[,:}}])")
    lines = [DESIGN[: each.start()].count("\n") + 1 for each in found.finditer(DESIGN)]
    assert len(lines) == len(names)
    return found.sub(lambda _: new, DESIGN), lines


def refused(text: str) -> list[str]:
    """Each problem in one line."""
    with pytest.raises(InputError) as caught:
        read_proposal(text, "f.yaml")
    return [problem.line() for problem in caught.value.problems]


@pytest.mark.parametrize("bad", BAD)
def test_every_name_is_looked_at(bad: str) -> None:
    """Of a field, a constant, a bucket, a discriminator, a flag …: each is refused at its line, all of them at once."""
    text, lines = renamed([*OF_DOCUMENTS, *INSIDE], bad)
    for line, said in zip(lines, [each for each in refused(text) if "no field can be called `" in each], strict=True):
        assert said.startswith(f"f.yaml:{line}:")
        assert said.endswith(f"`: {BAD[bad]}")


@pytest.mark.parametrize("bad", ["_id", "_id.a"])
def test_the_id_is_of_the_key_alone(bad: str) -> None:
    """Nothing else of a document is called `_id` or stands in it, and nothing of rows that may stand alone."""
    text, lines = renamed([*OF_DOCUMENTS, "said"], bad)
    for line, said in zip(lines, refused(text), strict=True):
        assert said.startswith(f"f.yaml:{line}:")
        assert f"no field can be called `{bad}`: the `_id` holds only the attributes under `id`" in said


def test_an_element_may_have_an_id() -> None:
    """In a sub-document or an element `_id` is a field like any other."""
    for name in INSIDE:
        if name != "said":
            assert read_proposal(renamed([name], "_id")[0], "f.yaml").design.collections


@pytest.mark.parametrize("bad", ['""', "a..b", "$a", "system.a"])
def test_files_have_a_name_that_a_collection_may_have(bad: str) -> None:
    """A bucket of GridFS is two collections."""
    assert "no collection can be called" in "".join(refused(DESIGN.replace("manuals", bad)))
