"""One schema per dialect that holds every difficulty the sources promise to survive."""

from __future__ import annotations

SQLITE = """
CREATE TABLE "Customer"(id INTEGER PRIMARY KEY, kind TEXT NOT NULL, name TEXT);
CREATE TABLE person(id INTEGER PRIMARY KEY REFERENCES customer(ID), born DATE);
CREATE TABLE company(id INTEGER PRIMARY KEY REFERENCES "Customer", vat DECIMAL(10,2));
CREATE TABLE passport(number TEXT PRIMARY KEY, person_id INTEGER UNIQUE REFERENCES person);
CREATE TABLE "order line"("order.no" INTEGER, "$line" INTEGER, buyer_id INTEGER NOT NULL REFERENCES "Customer",
  payer_id INTEGER REFERENCES "Customer", "größe" REAL, "select" TEXT, "100%" TEXT, PRIMARY KEY("order.no", "$line"));
CREATE TABLE shipment(id INTEGER PRIMARY KEY, order_no INTEGER, line INTEGER,
  FOREIGN KEY(order_no, line) REFERENCES "order line"("order.no", "$line") ON DELETE CASCADE);
CREATE TABLE node(id INTEGER PRIMARY KEY, parent_id INTEGER REFERENCES node);
CREATE TABLE tag(word TEXT PRIMARY KEY NOT NULL);
CREATE TABLE node_tag(node_id INTEGER NOT NULL REFERENCES node, word TEXT NOT NULL REFERENCES tag, weight REAL,
  author INTEGER REFERENCES "Customer", PRIMARY KEY(node_id, word));
CREATE TABLE log(at TIMESTAMP, message TEXT);
CREATE TABLE nullkey(code TEXT PRIMARY KEY, v INT);
CREATE TABLE lost(id INTEGER PRIMARY KEY, a INT REFERENCES nowhere(id), b INT REFERENCES tag(missing),
  c INT REFERENCES log(message));
CREATE TABLE dangler(id INTEGER PRIMARY KEY, tag TEXT NOT NULL REFERENCES tag);
CREATE TABLE egg(id INTEGER PRIMARY KEY, hen_id INTEGER REFERENCES hen);
CREATE TABLE hen(id INTEGER PRIMARY KEY, egg_id INTEGER NOT NULL REFERENCES egg);
CREATE TABLE zoo(i INTEGER, flag BOOLEAN, d DATE, s DATETIME, ms DATETIME, us DATETIME, t_form DATETIME, mixed DATETIME,
  dec DECIMAL(10,2), untyped, one_kind, doc JSON, b BLOB, txt TEXT, moment TIME, key_text TEXT, n NUMERIC, day_only DATETIME);
CREATE VIEW seen AS SELECT 1 AS one;
INSERT INTO "Customer" VALUES(1,'P','Ada'),(2,'P','Bob'),(3,'C','ACME'),(4,'C',NULL);
INSERT INTO person VALUES(1,'1815-12-10'),(2,NULL);
INSERT INTO company VALUES(3,12.5),(4,7);
INSERT INTO passport VALUES('X1',1),('X2',NULL);
INSERT INTO "order line" VALUES(1,1,1,2,1.5,'a','%'),(1,2,1,NULL,NULL,NULL,NULL),(2,1,3,3,2.0,'b','%s');
INSERT INTO shipment VALUES(1,1,1),(2,1,1),(3,NULL,NULL);
INSERT INTO node VALUES(1,NULL),(2,1),(3,2),(4,2),(10,11),(11,10),(12,10);
INSERT INTO tag VALUES('x'),('y');
INSERT INTO node_tag VALUES(1,'x',.5,1),(2,'x',NULL,NULL),(2,'y',1,3);
INSERT INTO log VALUES('2020-01-01 00:00:00','m'),('2020-01-01 00:00:00','m'),(NULL,NULL);
INSERT INTO nullkey VALUES(NULL,1),(NULL,2),('a',3);
INSERT INTO dangler VALUES(1,'x'),(2,'gone');
INSERT INTO egg VALUES(1,1);
INSERT INTO hen VALUES(1,1);
INSERT INTO zoo VALUES(1,1,'2020-02-29','2020-01-01 10:00:00','2020-01-01 10:00:00.000',
  '2020-01-01 10:00:00.000001','2020-01-01T10:00:00','2020-01-01 10:00:00',1.10,1,'x',
  '{"a": [1, 2.5, {"b": null}]}',x'00ff','plain','10:00','1',5,'2020-01-01');
INSERT INTO zoo VALUES('text',0,'2020-01-02','2020-01-01 10:00:01','2020-01-01 10:00:00.250','2020-01-01 10:00:00.123456',
  '2020-01-02T10:00:00','never',5,'two','y','{"a": 1, "a": 2}',x'','ünï','25:00','001',5.5,'2020-01-02');
INSERT INTO zoo VALUES(9007199254740993,1,'2020-13-45','2020-01-01 10:00:02','2020-01-01 10:00:00.999',
  '2020-01-01 10:00:00.000000','2020-01-03T10:00:00',12,'abc',x'ff','z',
  '"top"',NULL,CAST(x'41ff42' AS TEXT),NULL,'01',-0.5,'2020-01-03');
INSERT INTO zoo VALUES(1.5,0,20200101,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'not json',NULL,NULL,NULL,NULL,NULL,NULL);
"""

POSTGRESQL = """
CREATE SCHEMA torture; CREATE SCHEMA "odd schema"; SET search_path TO torture;
CREATE TYPE mood AS ENUM ('so la', 'it''s', 'x'); CREATE DOMAIN cents AS numeric(8,2);
CREATE TABLE parent(id bigint PRIMARY KEY, name text UNIQUE, kind text);
CREATE TABLE "odd schema"."Child %s"(a int, b int, parent_id bigint REFERENCES parent ON DELETE SET NULL, PRIMARY KEY(a, b));
CREATE TABLE tree(id int PRIMARY KEY, up int REFERENCES tree);
CREATE TABLE part(id int, at date) PARTITION BY RANGE (at);
CREATE TABLE part_1 PARTITION OF part FOR VALUES FROM ('2020-01-01') TO ('2021-01-01');
CREATE VIEW shown AS SELECT 1 AS one;
CREATE TABLE zoo(id serial PRIMARY KEY, i bigint, n numeric, n2 numeric(10,2), c cents, f float8, f4 real, flag boolean,
  txt text, ch char(5), b bytea, d date, t time, tz timetz, ts timestamp, tsz timestamptz, iv interval, u uuid, j json, jb jsonb,
  m mood, ms mood[], ints int[], deep int[][], texts text[], stamps timestamptz[], bt bit(3), vb bit varying, p point, net inet,
  r int4range, bounded int[], jsons jsonb[], micro timestamp);
INSERT INTO parent VALUES(1,'a','k'),(2,NULL,NULL),(3,'c','k');
INSERT INTO "odd schema"."Child %s" VALUES(1,1,1),(1,2,1),(2,1,NULL);
INSERT INTO tree VALUES(1,NULL),(2,1),(3,2);
INSERT INTO part VALUES(1,'2020-05-05'),(2,'2020-06-06');
INSERT INTO zoo(i,n,n2,c,f,f4,flag,txt,ch,b,d,t,tz,ts,tsz,iv,u,j,jb,m,ms,ints,deep,texts,stamps,bt,vb,p,net,r,bounded,jsons,micro)
VALUES(9223372036854775807,1234567890123456789012345678901234567890.123,1.10,3.30,0.1,0.1,true,'ü','ab','\\x00ff','2020-02-29',
  '10:00:00.5','10:00+02','2020-01-01 10:00:00.5','2020-01-01 10:00+05','1 year 2 mons 3 days 04:05:06.7',
  'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11','{"a": 0.1000000000000000055, "b": 123456789012345678901234567890}','[1, null, "x"]',
  'it''s','{x,"so la"}','{1,NULL,3}','{{1,2},{3,4}}','{a,NULL,"b,c"}','{2020-01-01 00:00+01}','101','11011','(1,2)','10.0.0.1/8',
  '[1,5)','[0:2]={1,2,3}',ARRAY['{"a": 1}'::jsonb, 'null'],'2020-01-01 10:00:00.123456'),
 (NULL,'NaN',NULL,NULL,'NaN','Infinity',false,'',NULL,'','infinity','24:00',NULL,'-infinity','0044-03-15 BC',
  '-1 mons +02:00:00',NULL,'{"a": 1, "a": 2}','"top"',NULL,'{}','{}','{}','{}','{}',NULL,'',NULL,NULL,'empty','{}','{}',NULL),
 (-1,'-0.00',-1,0,-0.0,16777217,NULL,E'a\\nb\\t\\\\',NULL,NULL,'12000-01-01',NULL,NULL,'10000-01-01','infinity','0',NULL,'null','null',
  NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
"""

MARIADB = """
CREATE TABLE parent(id bigint unsigned PRIMARY KEY, name varchar(50) UNIQUE);
CREATE TABLE `odd.child %s`(a int, b varchar(20), parent_id bigint unsigned, PRIMARY KEY(a, b),
  FOREIGN KEY(parent_id) REFERENCES parent(id) ON DELETE CASCADE);
CREATE TABLE tree(id int PRIMARY KEY, up int, FOREIGN KEY(up) REFERENCES tree(id));
CREATE TABLE keyless(v int);
CREATE VIEW shown AS SELECT 1 AS one;
CREATE TABLE zoo(id int auto_increment PRIMARY KEY, flag tinyint(1), tiny tinyint(1), ub bigint unsigned, de decimal(20,5),
  f float,
  dbl double, txt text, vc varchar(20), b blob, vb varbinary(10), d date, t time(2), dt datetime, dt6 datetime(6),
  ts timestamp NULL, y year, e enum('a','b''c'), s set('x','y'), j json, bt bit(5), g point, bo boolean);
INSERT INTO parent VALUES(1,'a'),(18446744073709551615,'b'),(3,NULL);
INSERT INTO `odd.child %s` VALUES(1,'x',1),(1,'y',1),(2,'x',NULL);
INSERT INTO tree VALUES(1,NULL),(2,1),(3,2);
INSERT INTO keyless VALUES(1),(1),(NULL);
INSERT INTO zoo VALUES(1,1,5,18446744073709551615,1.10000,16777216,0.1,
  'ü😀','v','\\0a','z','2020-02-29','10:00:00.25','2020-01-01 10:00:00',
  '2020-01-01 10:00:00.123456','2020-01-01 10:00:00',2020,'b''c','x,y','{"a": [1, 2.5]}',b'10101',
  ST_GeomFromText('POINT(1 2)'),0);
INSERT INTO zoo VALUES(2,0,0,0,-1,0.1,-0.0,'','','','','0000-00-00',
  '-100:00:00','0000-00-00 00:00:00',NULL,NULL,0,'a','','[]',b'0',NULL,1);
INSERT INTO zoo(id) VALUES(3);
"""
