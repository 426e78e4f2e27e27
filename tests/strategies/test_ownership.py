"""Which parent a child is named after."""

from __future__ import annotations

import pytest

from nestling.strategies.placement.ownership import is_named_after
from tests.strategies.readings import relationship


@pytest.mark.parametrize(
    ("parent", "child", "named"),
    [
        *(("Orders", "Order Details", True), ("order", "order_line", True), ("Invoice", "InvoiceLine", True)),
        *(("order", "orderline", True), ("blog_post", "blog_post_tag", True), ("order", "orders", True)),
        *(("blog_tag", "blog_tagging", False), ("order", "order", False), ("order", "line_order", False)),
        *(("part", "partner_contact", False), ("blog_post", "blog", False)),
    ],
)
def test_names_begin_with_whole_words(parent: str, child: str, named: bool) -> None:
    """A name of several words begins with its parent's words; in a single word they may be glued together."""
    assert is_named_after(relationship(parent, child)) is named
