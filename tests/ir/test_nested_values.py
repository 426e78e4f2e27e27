from nestling.ir.nested_values import with_leaves


def test_leaves_are_replaced_at_every_depth():
    """Documents and lists are rebuilt around the new leaves; names, order and what was given stay."""
    value = {"b": [1, {"c": (2, None)}], "a": {}}
    assert with_leaves(value, lambda leaf: leaf and leaf * 10) == {"b": [10, {"c": [20, None]}], "a": {}}
    assert value == {"b": [1, {"c": (2, None)}], "a": {}}
    assert with_leaves(3, str) == "3"


def test_a_document_may_be_a_leaf():
    """What is given to `leaf` as a whole is not looked into, nor is what `leaf` gives."""
    value = [{"$literal": [1]}, {"x": {"$literal": 2}}, 3]
    found = with_leaves(value, lambda leaf: {"was": leaf}, lambda part: isinstance(part, dict) and "$literal" in part)
    assert found == [{"was": {"$literal": [1]}}, {"x": {"was": {"$literal": 2}}}, {"was": 3}]
