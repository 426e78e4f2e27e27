"""The rules that every design satisfies: names exist, every entity has one home, nothing is stated twice or left open.

`mistakes_in_names` needs only the primitives and runs first; `mistakes_in_layout` looks at the trees derived from them. Size
and array bounds depend on statistics and are in `nestling.ir.storage.bounds`. Problem paths follow the design file's text form.
"""

from nestling.ir.invariants.unknown_names import mistakes_in_names
from nestling.ir.invariants.whole_design import mistakes_in_layout, paths_in

__all__ = ["mistakes_in_layout", "mistakes_in_names", "paths_in"]
