"""DDL files as sources: `schema.sql` as written by hand, pg_dump, mysqldump, phpMyAdmin or SQLite's `.schema`.

The text is cut into tokens (`tokens`) and those into statements (`statements`); each statement changes a `Catalogue` as it would
change a database (`create_table`, `alter_table`, `create_view`); what the catalogue holds in the end is shaped into a model.
Reading element by element, instead of parsing whole statements by a full grammar, is what lets one odd clause cost a gap with
its line and not a table.
"""

from nestling.sources.ddl.dialect import detect_dialect
from nestling.sources.ddl.read import read_ddl

__all__ = ["detect_dialect", "read_ddl"]
