"""A design file small enough to be known by heart: purchases, each with a copy of its customer's name."""

from __future__ import annotations

_TEXT = """
nestling: 1
strategy: by hand
model:
  name: shop
  entities:
    customer: {{key: [id], attributes: {{id: integer!, name: text}}}}
    purchase: {{key: [id], attributes: {{id: integer!, customer_id: integer, total: integer}}}}
  relationships:
    purchases: {{parent: customer, child: purchase, attributes: [customer_id]}}
design:
  collections:
    customers: {{root: customer, id: [id], computed: {computed}}}
    purchases:
      root: purchase
      id: [id]
      references: {{purchases: parent-reference}}
      copies: {{customer: {{of: "purchases:up", attributes: [name], as: object, freshness: async(1s)}}}}
  indexes: {indexes}
"""


def small_shop(*, computed: str = "{}", indexes: str = "[]") -> str:
    """Its text, with these computed values of customers and these indexes, as YAML has them."""
    return _TEXT.format(computed=computed, indexes=indexes)
