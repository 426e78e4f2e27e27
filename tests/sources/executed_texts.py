"""Texts of each dialect, as people and tools write them, of statements that are easily misread. Each is taken as a whole."""

POSTGRESQL = r"""
CREATE TABLE drop_p (id int PRIMARY KEY, a int UNIQUE, b int, CONSTRAINT ub UNIQUE (b), UNIQUE (a, b) INCLUDE (id));
CREATE TABLE drop_c (x int REFERENCES drop_p ON DELETE CASCADE, y int REFERENCES drop_p (a), z int,
    FOREIGN KEY (z) REFERENCES drop_p (b));
ALTER TABLE drop_c DROP CONSTRAINT drop_c_y_fkey;
ALTER TABLE drop_p DROP CONSTRAINT ub CASCADE;
ALTER TABLE drop_p DROP CONSTRAINT drop_p_a_b_id_key;
CREATE TABLE bound_t (id int PRIMARY KEY, a int NOT NULL UNIQUE);
CREATE TABLE bound_u (x int REFERENCES bound_t, y int REFERENCES bound_t (a));
CREATE TABLE bound_v (x int REFERENCES bound_t);
ALTER TABLE bound_t ADD UNIQUE (id);
CREATE TABLE bound_w (x int REFERENCES bound_t (id));
ALTER TABLE bound_t DROP CONSTRAINT bound_t_pkey CASCADE, ADD PRIMARY KEY (a);
CREATE TABLE bound_x (x int REFERENCES bound_t);
CREATE TABLE self (id int, parent int REFERENCES self ON DELETE SET NULL, PRIMARY KEY (id));
CREATE TABLE index_t (a text, b int, c int NOT NULL, "D" int);
CREATE UNIQUE INDEX ON index_t (b, c);
CREATE UNIQUE INDEX ON index_t (c) INCLUDE (b);
CREATE UNIQUE INDEX given ON index_t ("D");
CREATE UNIQUE INDEX ON index_t (upper(a), (b + 1));
CREATE UNIQUE INDEX ON index_t (lower(a)) WHERE b > 0;
ALTER INDEX given RENAME TO other;
DROP INDEX index_t_c_b_idx, index_t_upper_expr_idx, index_t_lower_idx;
DROP INDEX IF EXISTS given, never;
ALTER TABLE index_t ADD CONSTRAINT made UNIQUE USING INDEX other;
ALTER TABLE index_t RENAME "D" TO d;
CREATE TABLE escapes (a text DEFAULT E'a\'b\\c\n\x41\u00e9', b text DEFAULT 'C:\dir\', c text DEFAULT U&'\0041\\b',
    d text DEFAULT $$it's$$,
    e varchar(9) DEFAULT 7, f int DEFAULT 1.5, g numeric(5,1) DEFAULT 0.25, h boolean DEFAULT 'yes', i text DEFAULT true);
ALTER TABLE escapes ALTER b SET DEFAULT E'x\ty';
CREATE TABLE moments (a date DEFAULT ('now'::text)::date, b timestamp DEFAULT ('now'::text)::timestamp, c date DEFAULT now(),
    d timestamptz DEFAULT now()::date, e date DEFAULT ('today'::text)::date, f date DEFAULT 'infinity',
    g time DEFAULT ('now'::text)::time,
    h timestamp DEFAULT 'epoch', i time DEFAULT 'allballs', j date DEFAULT ('tomorrow'::text)::date,
    k text DEFAULT ('now'::text)::date,
    l timestamp DEFAULT '2024-02-29 10:00', m timestamptz DEFAULT '2024-02-29 10:00+02', n time DEFAULT '10:00:00',
    o text DEFAULT 'now',
    p timestamp DEFAULT CURRENT_DATE);
CREATE TABLE typed (a float(10), b float(30), c real, d float, e uuid, f bit(3), g varchar(3)[], h char(2));
CREATE DOMAIN positive AS int DEFAULT 5 NOT NULL CHECK (VALUE > 0);
CREATE DOMAIN plain AS text DEFAULT 'x';
CREATE TABLE of_domains (a positive, b positive DEFAULT 6, c plain, d plain DEFAULT NULL);
CREATE TABLE nulls (a int, b int, UNIQUE NULLS NOT DISTINCT (a), c int UNIQUE NULLS NOT DISTINCT,
    UNIQUE (b) DEFERRABLE INITIALLY DEFERRED);
CREATE TABLE late_p (id int PRIMARY KEY);
CREATE TABLE late (a int NOT NULL, b int NOT NULL, c int NOT NULL REFERENCES late_p DEFERRABLE INITIALLY DEFERRED);
ALTER TABLE late ADD CONSTRAINT fa FOREIGN KEY (a) REFERENCES late_p NOT VALID,
    ADD CONSTRAINT fb FOREIGN KEY (b) REFERENCES late_p NOT VALID;
ALTER TABLE late VALIDATE CONSTRAINT fb;
CREATE TABLE off (a int NOT NULL REFERENCES late_p);
ALTER TABLE off DISABLE TRIGGER ALL;
CREATE TABLE on_again (a int NOT NULL REFERENCES late_p);
ALTER TABLE on_again DISABLE TRIGGER ALL;
ALTER TABLE on_again ENABLE TRIGGER ALL;
CREATE SCHEMA app;
CREATE TABLE moved (id int PRIMARY KEY);
CREATE TABLE mover (a int REFERENCES moved);
ALTER TABLE moved SET SCHEMA app;
CREATE TABLE moved (other int PRIMARY KEY);
ALTER TABLE moved RENAME TO moved_again;
CREATE TABLE moved (id int PRIMARY KEY);
CREATE SCHEMA gone;
CREATE TABLE gone.t (id int PRIMARY KEY);
CREATE TABLE stays (a int REFERENCES gone.t);
DROP SCHEMA gone CASCADE;
CREATE TABLE twice (a int PRIMARY KEY, b int, CONSTRAINT named UNIQUE (a),
    FOREIGN KEY (b) REFERENCES twice ON DELETE CASCADE, FOREIGN KEY (b) REFERENCES twice);
CREATE TABLE a_table_with_a_name_of_more_than_forty_characters (a_column_with_a_name_of_more_than_thirty_characters int UNIQUE);
ALTER TABLE a_table_with_a_name_of_more_than_forty_characters
    DROP CONSTRAINT a_table_with_a_name_of_more_t_a_column_with_a_name_of_more__key;
"""

MYSQL = r"""
CREATE TABLE drop_p (id int PRIMARY KEY, a int NOT NULL UNIQUE, b int, UNIQUE KEY ub (b), UNIQUE (b, a),
    KEY kb (b)) ENGINE=InnoDB;
CREATE TABLE drop_c (x int REFERENCES drop_p (id) ON DELETE CASCADE, y int, z int, FOREIGN KEY named (y) REFERENCES drop_p (a),
    CONSTRAINT fz FOREIGN KEY kz (z) REFERENCES drop_p (id) ON DELETE SET NULL);
ALTER TABLE drop_c DROP FOREIGN KEY drop_c_ibfk_1, DROP INDEX x;
ALTER TABLE drop_c DROP FOREIGN KEY named;
ALTER TABLE drop_c RENAME TO drop_d;
ALTER TABLE drop_d ADD FOREIGN KEY (x) REFERENCES drop_p (id) ON DELETE CASCADE;
ALTER TABLE drop_d DROP FOREIGN KEY drop_d_ibfk_1;
ALTER TABLE drop_p DROP INDEX b, DROP KEY ub, ADD UNIQUE KEY ub (a, b);
DROP INDEX kb ON drop_p;
CREATE TABLE keyless (a int PRIMARY KEY, b int, c int UNIQUE, CONSTRAINT s UNIQUE KEY i (b));
ALTER TABLE keyless DROP PRIMARY KEY, DROP CONSTRAINT i, DROP COLUMN c;
CREATE TABLE placed (a int, b varchar(9), c date, d int DEFAULT 4);
ALTER TABLE placed ADD first_one int FIRST, ADD COLUMN behind int NOT NULL AFTER b, MODIFY d bigint AFTER a,
    CHANGE c cc datetime FIRST;
ALTER TABLE placed DROP a, ADD a text AFTER cc, ADD last_one int;
CREATE TABLE escapes (a varchar(30) DEFAULT 'a\'b\\c\n\t\Z%', b varchar(9) DEFAULT "d""q", c varchar(20) DEFAULT 'C:\\dir\\',
    d varchar(9) DEFAULT 7,
    e enum('a\\b', 'it''s', "q") DEFAULT 'a\\b', f int DEFAULT 1.5, g decimal(5,1) DEFAULT 0.25, h varchar(9) DEFAULT 'x\_y',
    i int DEFAULT '3');
ALTER TABLE escapes ALTER c SET DEFAULT 'x\\y', ALTER i DROP DEFAULT;
CREATE TABLE `tick``ed` (`a``b` int, `c``` int, d int, PRIMARY KEY (`a``b`), UNIQUE KEY `k``k` (`c```, d));
CREATE TABLE ticking (x int, FOREIGN KEY (x) REFERENCES `tick``ed` (`a``b`) ON DELETE CASCADE);
CREATE TABLE texts (a varchar(9) BINARY, b varchar(9) CHARACTER SET binary, c varchar(9) COLLATE utf8mb4_bin, d char(3) BYTE,
    e varchar(9), UNIQUE (e(3)));
ALTER TABLE texts DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
ALTER TABLE texts ADD f varchar(9), MODIFY c varchar(9);
CREATE TABLE converted (a varchar(9), b varchar(9) COLLATE utf8mb4_unicode_ci) DEFAULT CHARSET=utf8mb4;
ALTER TABLE converted CONVERT TO CHARACTER SET latin1 COLLATE latin1_bin;
CREATE OR REPLACE TABLE keyless (z int PRIMARY KEY);
CREATE TABLE typed (a float(10), b float(30), c float, d double, e datetime(3) DEFAULT CURRENT_TIMESTAMP(3),
    f bit(3) DEFAULT b'101');
CREATE UNIQUE INDEX IF NOT EXISTS i ON typed (a);
CREATE UNIQUE INDEX IF NOT EXISTS i ON typed (b);
"""

SQLITE = r"""
CREATE TABLE p (id INTEGER PRIMARY KEY, a INT UNIQUE, b TEXT);
CREATE TABLE c (x INT REFERENCES p ON DELETE CASCADE, y INT NOT NULL REFERENCES p (a) NOT NULL DEFERRABLE INITIALLY DEFERRED);
CREATE UNIQUE INDEX i ON p (b);
CREATE UNIQUE INDEX j ON c (x, y);
CREATE UNIQUE INDEX IF NOT EXISTS j ON c (y);
DROP INDEX i;
ALTER TABLE p RENAME COLUMN id TO number;
ALTER TABLE p RENAME TO parent;
CREATE TABLE p (id TEXT NOT NULL PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE d (a TEXT DEFAULT 'C:\dir\', b TEXT DEFAULT "dq", c TEXT DEFAULT E, d TEXT DEFAULT 'it''s', e REAL DEFAULT 1.5,
    f INT DEFAULT 1.5);
ALTER TABLE d DROP COLUMN e;
"""

TEXTS = {"postgresql": POSTGRESQL, "mysql": MYSQL, "sqlite": SQLITE}
