-- One query a line; a line that starts with two dashes names the construct of those below.
-- projection
SELECT * FROM person
SELECT p.*, name, p.id + 1 FROM person p
SELECT id id2, name AS "Full Name", p.id FROM person AS p
SELECT id, id, id AS id FROM person
SELECT ID, NaMe, PERSON.Id FROM pErSoN
SELECT 1, 'a', NULL, 1.5, -3, 1e2, TRUE, FALSE
SELECT "a b", "select", [ünï] FROM "odd table"
SELECT name = 'bob', active, NOT active, active AND 1, active = 1, active + 1 FROM person
SELECT -9223372036854775808, - 9223372036854775808, typeof(-9223372036854775808), typeof(-(9223372036854775808)), 9223372036854775807
SELECT id FROM person WHERE id > -9223372036854775808
SELECT DISTINCT city FROM visit
SELECT DISTINCT stars, city FROM visit ORDER BY stars, city
SELECT ALL stars FROM visit
SELECT DISTINCT b.name AS name FROM person a JOIN person b ON b.id = a.boss ORDER BY name
SELECT count(*), sum( stars ),  max(stars)+1 FROM visit
SELECT (SELECT 1), (1), 'it''s'
SELECT 1e15+0.5, 1e2-1, 1E2+1e2+5, 1e-1-1e+1, round(1e15+0.5)
SELECT id FROM person WHERE score > 1e0+0.5 OR id IN (1e0+1, 3)
-- where
SELECT id FROM person WHERE name = 'bob'
SELECT id FROM person WHERE name = "bob"
SELECT id FROM person WHERE name = "NAME"
SELECT id FROM person WHERE active
SELECT id FROM person WHERE NOT active
SELECT id FROM person WHERE active IS NULL OR active = 0
SELECT id FROM person WHERE active IS TRUE
SELECT id FROM person WHERE active IS NOT TRUE
SELECT id FROM person WHERE active IS FALSE
SELECT id FROM person WHERE score
SELECT id FROM person WHERE name
SELECT id FROM person WHERE score > 1 AND (boss = 1 OR boss IS NULL)
SELECT id FROM person WHERE NOT (score > 1 AND boss = 1)
SELECT id FROM person WHERE boss <> 1
SELECT id FROM person WHERE boss IS 1
SELECT id FROM person WHERE boss IS NOT 1
SELECT id FROM person WHERE boss IS DISTINCT FROM 1
SELECT id FROM person WHERE boss IS NOT DISTINCT FROM NULL
SELECT id FROM person WHERE name IS NOT NULL AND name NOTNULL
SELECT id FROM person WHERE born > '1990-01-31'
SELECT id FROM person WHERE born = '1990-01-31'
SELECT id FROM person WHERE born > 1990
SELECT id FROM person WHERE born >= '1990'
SELECT id, n FROM (SELECT id, name AS n FROM person) WHERE n > 'b'
SELECT id AS i FROM person WHERE i > 3
-- between and in
SELECT id FROM person WHERE score BETWEEN 0 AND 2.5
SELECT id FROM person WHERE score NOT BETWEEN 0 AND 2.5
SELECT id FROM person WHERE name BETWEEN 'A' AND 'b'
SELECT id FROM person WHERE boss IN (1, 3)
SELECT id FROM person WHERE boss NOT IN (1, 3)
SELECT id FROM person WHERE boss IN (1, NULL)
SELECT id FROM person WHERE boss NOT IN (1, NULL)
SELECT id FROM person WHERE boss IN ()
SELECT id FROM person WHERE boss NOT IN ()
SELECT id FROM person WHERE boss IN ('1', '2')
SELECT person_id FROM visit WHERE code IN (1, 2)
SELECT person_id FROM visit WHERE code IN ('1', 10)
SELECT id FROM person WHERE note IN (7, '7')
SELECT id FROM person WHERE (boss, active) IN ((1, 0), (2, 1))
SELECT id FROM person WHERE (id, boss) = (2, 1)
SELECT id FROM person WHERE (id, boss) <> (2, 1)
SELECT id FROM person WHERE (boss, id) > (1, 2) ORDER BY boss, id LIMIT 3
SELECT id FROM person WHERE (boss, id) <= (1, 2)
SELECT id FROM person WHERE (boss, active, id) >= (1, 0, 2)
SELECT id, (boss, active, id) < (2, 1, 4), NOT (boss, active) < (2, 1), (active, boss) >= (0, 2) FROM person
SELECT a.id, b.id FROM person a JOIN person b ON (a.boss, a.name) < (b.boss, b.name)
-- like
SELECT id FROM person WHERE name LIKE 'B%'
SELECT id FROM person WHERE name NOT LIKE 'B%'
SELECT id FROM person WHERE name LIKE '%o_'
SELECT id FROM person WHERE name LIKE 'a\%b\_c' ESCAPE '\'
SELECT id FROM person WHERE name NOT LIKE 'a#%%' ESCAPE '#'
SELECT id FROM person WHERE name LIKE NULL
SELECT id FROM person WHERE name LIKE ''
SELECT id FROM person WHERE name LIKE 'ZOË'
SELECT id FROM person WHERE id LIKE '1%'
SELECT id FROM person WHERE score LIKE '%.5'
SELECT id FROM person WHERE born LIKE '19%'
SELECT id FROM person WHERE name LIKE 'z' || '%'
-- affinity
SELECT person_id, code FROM visit WHERE code = 1
SELECT person_id, code FROM visit WHERE code = 1.0
SELECT person_id, code FROM visit WHERE code < 3
SELECT person_id, code FROM visit WHERE code = person_id
SELECT v.person_id, w.person_id FROM visit v JOIN visit w ON v.code = w.stars
SELECT id FROM person WHERE id = '2'
SELECT id FROM person WHERE id = ' 2 '
SELECT id FROM person WHERE id < 'a'
SELECT id FROM person WHERE pay = '12'
SELECT id, note FROM person WHERE note = 7
SELECT id, note FROM person WHERE note = '7'
SELECT id, note FROM person WHERE note > 5
SELECT id FROM person WHERE note = id
SELECT id FROM person WHERE active = '1'
SELECT id FROM person WHERE CAST(id AS TEXT) = 2
SELECT id FROM person WHERE id = (SELECT code FROM visit WHERE person_id = 2 AND city = 'Bonn')
SELECT id FROM person WHERE id IN (SELECT code FROM visit)
SELECT person_id FROM visit WHERE code IN (SELECT id FROM person)
SELECT x FROM (SELECT id AS x FROM person) WHERE x = '3'
SELECT x FROM (SELECT id + 0 AS x FROM person) WHERE x = '3'
SELECT '1' = 1, 1 = 1.0, 'a' > 5, NULL = NULL
SELECT typeof(id), typeof(name), typeof(score), typeof(pay), typeof(note), typeof(born), typeof(active) FROM person
-- arithmetic
SELECT 7 / 2, -7 / 2, 7 / 2.0, 7 % 3, -7 % 3, 7 / 0, 7 % 0, 7.0 / 0, 5.5 % 2
SELECT id, pay / 2, pay * 2, pay + 0.5, pay - id, -pay FROM person
SELECT id, name + 1, note * 2, -note FROM person WHERE note IS NOT NULL AND typeof(note) <> 'blob'
SELECT stars + NULL, stars * 1.0 FROM visit
SELECT 6 & 3, 6 | 3, 1 << 3, 8 >> 1
SELECT id + boss * 2 - 1, (id + boss) * 2 FROM person
SELECT sum(pay) / count(*) FROM person
-- functions
SELECT abs(score), abs(-3), abs(NULL) FROM person
SELECT abs(born), typeof(abs(born)), abs('-3'), typeof(abs('-3')), abs(name), typeof(abs(id)), abs(pay) FROM person
SELECT round(2.5), round(-2.5), round(1.005, 2), round(3), round(123.456, 1), round(score, 1), round(NULL) FROM person
SELECT upper(name), lower(name), length(name), length(id), length(score), length('') FROM person
SELECT substr(name, 2), substr(name, -2), substr(name, 1, 2), substr(name, 0, 2), substr(name, -3, 2), substr(name, 2, -1) FROM person
SELECT trim('  a '), ltrim('xxa', 'x'), rtrim('axx', 'x'), trim('xyaxy', 'xy')
SELECT replace(name, 'b', 'XX'), instr(name, 'o'), name || '!' || id FROM person
SELECT name || NULL, score || '', 1.0 || '', 1e20 || '', 0.1 + 0.2 || '', 100000000000000000000 || '' FROM person
SELECT coalesce(name, 'none'), ifnull(boss, 0), nullif(boss, 1), nullif(name, 'bob') FROM person
SELECT max(1, 2, 3), min('a', 'b'), max(id, boss), min(score, 1) FROM person
SELECT iif(score > 1, 'high', 'low'), iif(score IS NULL, 1, 0) FROM person
SELECT unicode('a'), unicode(name), char(65) FROM person
SELECT CAST('12abc' AS INTEGER), CAST(' -3.9x' AS INTEGER), CAST('x' AS INTEGER), CAST(3.99 AS INTEGER), CAST(-3.99 AS INT)
SELECT CAST(id AS TEXT), CAST(score AS TEXT), CAST(score AS INTEGER), CAST(name AS REAL), CAST('1.50' AS NUMERIC), CAST(pay AS REAL) FROM person
SELECT CAST(active AS TEXT), CAST(born AS TEXT), CAST(born AS INTEGER), born || '' FROM person
SELECT id FROM person WHERE name GLOB 'b*'
-- case
SELECT CASE WHEN score > 2 THEN 'a' WHEN score > 1 THEN 'b' ELSE 'c' END FROM person
SELECT CASE boss WHEN 1 THEN 'one' WHEN NULL THEN 'never' END FROM person
SELECT CASE WHEN active THEN score ELSE name END FROM person
SELECT CASE WHEN id = 1 THEN born ELSE 'x' END FROM person
SELECT sum(CASE WHEN active THEN 1 ELSE 0 END) FROM person
SELECT id FROM person WHERE name GLOB '[^a]*' OR name GLOB '?o?'
-- dates
SELECT strftime('%Y', born), strftime('%m-%d', born), date(born), strftime('%j', born), strftime('%w', born) FROM person
SELECT strftime('%Y-%m', at), date(at), time(at), datetime(at), strftime('%H:%M:%S', at), strftime('%s', at) FROM visit
SELECT date(born, '+1 day'), date(born, '-1 month'), date(born, '+1 year'), date(born, 'start of month') FROM person
SELECT date(at, 'start of year', '+1 month', '-1 day'), datetime(at, '-90 minutes') FROM visit
SELECT date('nonsense'), date(NULL), date('2020-01-01 25:00')
SELECT julianday(born), julianday(at) - julianday('2020-01-01') FROM person JOIN visit ON id = person_id
SELECT count(*) FROM visit WHERE at >= '2020-01-01' AND at < '2021-01-01'
SELECT count(*) FROM visit WHERE at = '2020-01-01 10:00:00'
SELECT id FROM person ORDER BY born DESC, id
SELECT min(born), max(born), min(at) FROM person, visit
SELECT born, count(*) FROM person GROUP BY born
SELECT a.id, b.id FROM person a JOIN person b ON a.born = b.born AND a.id < b.id
SELECT date('now') = date(CURRENT_TIMESTAMP), CURRENT_DATE = date('now')
SELECT strftime('%Y', at) AS y, count(*) FROM visit GROUP BY y ORDER BY y
-- joins
SELECT p.name, v.city FROM person p JOIN visit v ON v.person_id = p.id
SELECT p.name, v.city FROM person p INNER JOIN visit v ON v.person_id = p.id AND v.stars > 3
SELECT p.name, v.city FROM person p LEFT JOIN visit v ON v.person_id = p.id
SELECT p.name, v.city FROM person p LEFT JOIN visit v ON v.person_id = p.id WHERE v.city IS NULL
SELECT p.name, v.city FROM person p RIGHT JOIN visit v ON v.person_id = p.id
SELECT p.name, v.city FROM person p FULL OUTER JOIN visit v ON v.person_id = p.id AND v.city = 'Rome'
SELECT p.id, c."Name" FROM person p CROSS JOIN city c
SELECT p.id, c."Name" FROM person p, city c WHERE p.pay = c.people
SELECT p.id, q.id FROM person p, person q WHERE p.boss = q.id
SELECT p.id, q.id FROM person p LEFT JOIN person q ON p.boss = q.id
SELECT p.name, v.city, c.zip FROM person p LEFT JOIN visit v ON v.person_id = p.id LEFT JOIN city c ON c."Name" = v.city
SELECT p.name, x.city FROM person p LEFT JOIN (visit x JOIN city c ON c."Name" = x.city) ON x.person_id = p.id
SELECT * FROM visit JOIN (SELECT city, count(*) n FROM visit GROUP BY city) USING (city)
SELECT city, a.city, b.city FROM visit a LEFT JOIN (SELECT 'Rome' AS city) b USING (city)
SELECT city FROM (SELECT 'Rome' AS city) a RIGHT JOIN visit b USING (city)
SELECT city FROM (SELECT 'Rome' AS city UNION SELECT 'Kiel') a FULL JOIN visit b USING (city)
SELECT * FROM (SELECT 1 AS x, 2 AS y) NATURAL JOIN (SELECT 1 AS x, 3 AS z)
SELECT * FROM (SELECT 1 AS x) NATURAL JOIN (SELECT 3 AS z)
SELECT count(*) FROM person p JOIN visit v ON p.id = v.person_id JOIN city c ON v.city = c."Name" OR c.people > 4
SELECT a.id FROM person a JOIN person b ON a.boss = c.id JOIN person c ON b.id = c.id
SELECT p.id, n.x FROM person p LEFT JOIN hollow n ON n.x = p.id
SELECT p.id FROM person p JOIN hollow n
-- grouping
SELECT city, count(*) FROM visit GROUP BY city
SELECT city, count(*) FROM visit GROUP BY 1
SELECT upper(city) u, count(*) FROM visit GROUP BY u
SELECT upper(city), count(*) FROM visit GROUP BY upper(city)
SELECT city, stars, sum(person_id) FROM visit GROUP BY city, stars
SELECT stars, count(stars), count(*), count(DISTINCT city) FROM visit GROUP BY stars
SELECT count(*), count(x), sum(x), avg(x), min(x), max(x), total(x), group_concat(y) FROM hollow
SELECT x, count(*) FROM hollow GROUP BY x
SELECT stars > 3 k, typeof(stars > 3), count(*) FROM visit GROUP BY k
SELECT 'v' || k, typeof(k), k + 1 FROM (SELECT stars > 3 k FROM visit GROUP BY stars > 3)
SELECT stars IS NULL k, count(*) FROM visit GROUP BY k HAVING k IN (0, 1) ORDER BY k DESC
SELECT stars > 3 k, count(*) FROM visit GROUP BY k HAVING k
SELECT stars IN (1, 5) k FROM visit GROUP BY k EXCEPT SELECT 1
SELECT id FROM person WHERE id IN (SELECT stars > 3 FROM visit GROUP BY 1)
SELECT max(k), min(k), sum(k) FROM (SELECT stars > 3 k FROM visit GROUP BY stars > 3)
SELECT city = 'Oslo' a, row_number() OVER (ORDER BY city = 'Oslo') FROM visit GROUP BY city = 'Oslo'
SELECT CASE k WHEN 1 THEN 'y' WHEN 0 THEN 'n' END FROM (SELECT NOT stars > 3 k FROM visit GROUP BY NOT stars > 3)
SELECT count(*) FROM hollow GROUP BY x
SELECT city FROM visit GROUP BY city HAVING count(*) > 1
SELECT city, count(*) AS n FROM visit GROUP BY city HAVING n > 1
SELECT city FROM visit GROUP BY city HAVING max(stars) = 5 AND city <> 'x'
SELECT count(*) FROM visit HAVING count(*) > 100
SELECT sum(stars), avg(stars), min(stars), max(stars), total(stars), count(DISTINCT stars), sum(DISTINCT stars) FROM visit
SELECT sum(pay), avg(pay), sum(score), sum(note), avg(name), sum(active) FROM person WHERE typeof(note) <> 'blob'
SELECT min(name), max(name), min(note), max(note), min(active) FROM person
SELECT city, max(stars), person_id FROM visit WHERE stars IS NOT NULL AND city <> 'Oslo' AND person_id <> 9 GROUP BY city
SELECT max(id), name FROM person
SELECT min(born), id FROM person WHERE id <> 3
SELECT id, name, count(*) FROM person GROUP BY id
SELECT count(*) FILTER (WHERE stars > 3), sum(stars) FILTER (WHERE city = 'Rome') FROM visit
SELECT group_concat(city, ';') FROM (SELECT 'a' AS city)
SELECT length(group_concat(city, ', ')), length(group_concat(DISTINCT city)) FROM visit
SELECT active, count(*) FROM person GROUP BY active
SELECT score > 1, count(*) FROM person GROUP BY score > 1
SELECT count(*) * 2 + 1, max(stars) - min(stars) FROM visit GROUP BY city
SELECT city, count(*) c FROM visit GROUP BY city ORDER BY c DESC, city
SELECT city FROM visit GROUP BY city ORDER BY count(*) DESC, city
SELECT (SELECT max(id) FROM person), count(*) FROM visit
SELECT p.id, p.name, count(v.city) FROM person p LEFT JOIN visit v ON v.person_id = p.id GROUP BY p.id, p.name
SELECT id % 2, sum(id) FROM person GROUP BY id % 2 ORDER BY id % 2
-- order and limit
SELECT id FROM person ORDER BY name, id
SELECT id FROM person ORDER BY name DESC, id
SELECT id FROM person ORDER BY name NULLS LAST, id
SELECT id FROM person ORDER BY name DESC NULLS FIRST, id
SELECT id FROM person ORDER BY name COLLATE NOCASE, id DESC
SELECT name AS id FROM person ORDER BY id
SELECT id AS a, name AS b FROM person ORDER BY 2, 1 DESC
SELECT id FROM person ORDER BY score * -1, id
SELECT id FROM person ORDER BY score > 1, id
SELECT id, note FROM person ORDER BY note, id
SELECT id FROM person ORDER BY id LIMIT 3
SELECT id FROM person ORDER BY id LIMIT 3 OFFSET 2
SELECT id FROM person ORDER BY id LIMIT 2, 3
SELECT id FROM person ORDER BY id LIMIT -1 OFFSET 6
SELECT id FROM person ORDER BY id LIMIT 0
SELECT DISTINCT boss FROM person ORDER BY boss DESC LIMIT 2
SELECT DISTINCT name FROM person WHERE name > 'a' ORDER BY id LIMIT 2 OFFSET 1
SELECT DISTINCT upper(name) FROM person ORDER BY upper(name)
SELECT id FROM person WHERE name = 'BOB' COLLATE NOCASE
SELECT count(*) FROM (SELECT id FROM person LIMIT 3)
SELECT p.id FROM ((SELECT id FROM person)) AS p WHERE p.id > 2
SELECT p.id, v.city FROM ((SELECT id FROM person) p JOIN visit v ON v.person_id = p.id) ORDER BY 1, 2
SELECT p.id FROM ((person p)) WHERE p.id > 2
-- sets
SELECT city FROM visit UNION SELECT "Name" FROM city
SELECT city FROM visit UNION ALL SELECT "Name" FROM city
SELECT city FROM visit INTERSECT SELECT "Name" FROM city
SELECT "Name" FROM city EXCEPT SELECT city FROM visit
SELECT stars FROM visit UNION SELECT NULL UNION SELECT 3
SELECT id, name FROM person UNION SELECT people, zip FROM city ORDER BY 1, 2
SELECT city AS c FROM visit UNION SELECT "Name" FROM city ORDER BY c DESC LIMIT 3
SELECT id AS a, name AS b FROM person UNION SELECT people, zip FROM city ORDER BY b, a
SELECT boss FROM person EXCEPT SELECT id FROM person WHERE id < 3
SELECT 1 UNION SELECT 2 INTERSECT SELECT 2 EXCEPT SELECT 1
SELECT born FROM person UNION SELECT at FROM visit
SELECT active FROM person UNION SELECT stars FROM visit
SELECT x FROM (SELECT 1 AS x UNION ALL SELECT 1 UNION ALL SELECT 2) GROUP BY x
VALUES (1, 'a'), (2, NULL)
SELECT count(*), sum(column1) FROM (VALUES (1), (2), (3))
SELECT * FROM (VALUES ((SELECT max(id) FROM person), 'a'), (7, (SELECT min(name) FROM person WHERE id > 1))) ORDER BY 1, 2
-- subqueries
SELECT id FROM person WHERE id IN (SELECT person_id FROM visit)
SELECT id FROM person WHERE id NOT IN (SELECT person_id FROM visit)
SELECT id FROM person WHERE id NOT IN (SELECT boss FROM person)
SELECT id FROM person WHERE id NOT IN (SELECT x FROM hollow)
SELECT id FROM person WHERE boss NOT IN (SELECT x FROM hollow)
SELECT id FROM person p WHERE EXISTS (SELECT 1 FROM visit v WHERE v.person_id = p.id AND stars > 3)
SELECT id FROM person p WHERE NOT EXISTS (SELECT * FROM visit WHERE person_id = id)
SELECT id, (SELECT count(*) FROM visit WHERE person_id = p.id) FROM person p
SELECT id, (SELECT max(stars) FROM visit WHERE person_id = p.id) m FROM person p ORDER BY m DESC, id
SELECT id FROM person WHERE score > (SELECT avg(score) FROM person)
SELECT id FROM person p WHERE score = (SELECT max(score) FROM person q WHERE q.boss IS p.boss)
SELECT id FROM person WHERE score > (SELECT score FROM person WHERE id = 99)
SELECT city, (SELECT zip FROM city WHERE "Name" = visit.city) FROM visit
SELECT city, count(*) FROM visit v GROUP BY city HAVING count(*) > (SELECT count(*) FROM visit w WHERE w.city = v.city AND w.stars > 3)
SELECT (SELECT name FROM person WHERE id = v.person_id) n, count(*) FROM visit v GROUP BY n
SELECT id FROM person WHERE (boss, active) IN (SELECT 1, 0)
SELECT t.n FROM (SELECT count(*) n FROM visit GROUP BY city) t WHERE t.n > 1
SELECT id FROM person p WHERE 1 < (SELECT count(*) FROM visit v WHERE v.person_id = p.id AND v.city IN (SELECT "Name" FROM city c WHERE c.people > p.id))
SELECT a, b FROM (SELECT id a, boss b FROM person) AS t WHERE b = 1
SELECT EXISTS (SELECT 1 FROM hollow), 1 IN (SELECT id FROM person)
-- with
WITH t AS (SELECT city, count(*) AS n FROM visit GROUP BY city) SELECT * FROM t WHERE n > 1
WITH t(a, b) AS (SELECT id, boss FROM person) SELECT x.a, y.a FROM t x JOIN t y ON x.b = y.a
WITH a AS (SELECT 1 AS x), b AS (SELECT x + 1 AS y FROM a) SELECT x, y FROM a, b
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5) SELECT i FROM n
WITH RECURSIVE up(id, boss, depth) AS (SELECT id, boss, 0 FROM person WHERE id = 6 UNION ALL SELECT p.id, p.boss, depth + 1 FROM person p JOIN up ON p.id = up.boss) SELECT * FROM up ORDER BY depth
WITH RECURSIVE down AS (SELECT id FROM person WHERE id = 1 UNION SELECT p.id FROM person p, down d WHERE p.boss = d.id) SELECT count(*) FROM down
WITH RECURSIVE c(x) AS (SELECT 1 UNION SELECT 3 - x FROM c) SELECT x FROM c
SELECT id FROM person WHERE id IN (WITH t AS (SELECT 2 AS k) SELECT k FROM t)
-- windows
SELECT id, row_number() OVER (ORDER BY id) FROM person
SELECT id, rank() OVER (ORDER BY score), dense_rank() OVER (ORDER BY score DESC) FROM person
SELECT id, percent_rank() OVER (ORDER BY score), cume_dist() OVER (ORDER BY score) FROM person
SELECT person_id, city, sum(stars) OVER (PARTITION BY city) FROM visit
SELECT person_id, city, sum(stars) OVER (PARTITION BY city ORDER BY at) FROM visit
SELECT id, sum(id) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM person
SELECT id, avg(id) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) FROM person
SELECT id, sum(score) OVER (ORDER BY id RANGE BETWEEN 2 PRECEDING AND CURRENT ROW) FROM person
SELECT id, count(*) OVER (ORDER BY score GROUPS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM person
SELECT id, lag(id) OVER (ORDER BY id), lead(name, 2, 'end') OVER (ORDER BY id) FROM person
SELECT id, first_value(id) OVER w, last_value(id) OVER w, nth_value(id, 2) OVER w FROM person WINDOW w AS (PARTITION BY boss ORDER BY id)
SELECT id, ntile(3) OVER (ORDER BY id) FROM person
SELECT city, count(*), rank() OVER (ORDER BY count(*) DESC) FROM visit GROUP BY city
SELECT city, sum(count(*)) OVER () FROM visit GROUP BY city
SELECT count(*) OVER () FROM visit
SELECT id FROM person ORDER BY row_number() OVER (ORDER BY id DESC)
SELECT * FROM (SELECT id, row_number() OVER (PARTITION BY boss ORDER BY id DESC) r FROM person) WHERE r = 1
SELECT id, max(score) OVER (PARTITION BY active) - score FROM person
SELECT count(*) FILTER (WHERE stars > 3) OVER (PARTITION BY city) FROM visit
-- printf
SELECT printf('%d', id), printf('%5d|%-5d|%05d', id, id, -id), printf('%s', name), printf('[%s]', NULL) FROM person
SELECT printf('%02d:%02d', id, boss), printf('%d%%', score), format('%s-%s', name, note), printf('%10s|%-6s|', name, 'x') FROM person
SELECT printf('%.2f', score), printf('%.1f', pay), printf('%.0f', score), printf('%8.2f', id), printf('%.3f', -0.0001) FROM person
SELECT printf('%d', '12abc'), printf('%s', 2.0), printf('%.2f', NULL), printf('%s'), printf(''), printf('plain'), printf('%d', 2.9)
SELECT printf('%.2f', 2.675), printf('%.2f', 1.005), printf('%.1f', 0.25), printf('%.2f', 1234567.891), printf('%.2f', -7)
SELECT printf('%03d', (SELECT max(id) FROM person)), printf('%-3d|', boss) FROM person
-- functions of numbers
SELECT id, mod(id, 3), id % 3, mod(-7.5, id), mod(id, 0), mod(name, 2), mod('7', '2'), typeof(mod(7, 2)) FROM person
SELECT id, sqrt(id), sqrt(name), exp(id), exp('x'), ln(id), log10(id), log2(id), log2(name), pow(id, 2), pow(name, 2) FROM person
SELECT id, floor(score), ceil(score), trunc(score), floor(name), ceil('2.5'), trunc('-2.5'), sign(score), sign(name) FROM person
SELECT id FROM person WHERE floor(name) = 0 OR sqrt(name) IS NULL
