"""Homes that move together: what a decision's numbers are of, when one home takes another's place."""

from __future__ import annotations

from pathlib import Path

from nestling import pipeline

MODEL = """
nestling: 1
dialect: postgresql
model:
  name: shop
  entities:
    product: {key: product_id, attributes: {product_id: integer!, name: text!}}
    review: {key: review_id, attributes: {review_id: integer!, product_id: integer!, body: text!}}
    question: {key: question_id, attributes: {question_id: integer!, product_id: integer!, body: text!}}
    picture: {key: picture_id, attributes: {picture_id: integer!, product_id: integer!, body: text!}}
  relationships:
    reviewed: {parent: product, child: review, attributes: product_id, required: true}
    asked: {parent: product, child: question, attributes: product_id, required: true}
    shown: {parent: product, child: picture, attributes: product_id, required: true}
statistics:
  entities:
    product: {count: 1000}
    review: {count: 2000, attributes: {body: {average_bytes: 4000}}}
    question: {count: 2000, attributes: {body: {average_bytes: 4000}}}
    picture: {count: 2000, attributes: {body: {average_bytes: 4000}}}
  relationships:
    reviewed: {mean: 2, maximum: 100}
    asked: {mean: 2, maximum: 100}
    shown: {mean: 2, maximum: 100}
workload:
  reviews:
    sql: "SELECT p.name, r.body FROM product p JOIN review r ON r.product_id = p.product_id WHERE p.product_id = :id"
    rate: 50/s
  questions:
    sql: "SELECT p.name, r.body FROM product p JOIN question r ON r.product_id = p.product_id WHERE p.product_id = :id"
    rate: 30/s
  pictures:
    sql: "SELECT p.name, r.body FROM product p JOIN picture r ON r.product_id = p.product_id WHERE p.product_id = :id"
    rate: 20/s
requirements: {document_bound_bytes: 1000000}
"""


def test_the_other_homes_are_named(tmp_path: Path) -> None:
    """A product holds two of the three: a third one in it moves one of these out, and the numbers are of both."""
    path = tmp_path / "shop.yaml"
    path.write_text(MODEL, encoding="utf-8")
    proposal = pipeline.design(path)
    pictures, reviews = (proposal.decision(name) for name in ("shown", "reviewed"))
    assert pictures is not None
    assert reviews is not None
    both = "picture in product, and with it question in a collection of its own"
    assert pictures.reasons[0].text.endswith(f"over the runner-up, {both}")
    assert any(other.text.startswith(f"{both}: ") for other in pictures.alternatives)
    assert "review in a collection of its own, and with it picture in product" in reviews.reasons[0].text
