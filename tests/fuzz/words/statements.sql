SELECT a.name, b.price FROM author a LEFT JOIN book b ON b.author_id = a.author_id WHERE a.author_id = :id ORDER BY b.price LIMIT 3
SELECT name, count(DISTINCT book_id), sum(price) FROM author JOIN book USING (author_id) GROUP BY name HAVING count(*) > 1
WITH RECURSIVE t AS (SELECT tag_id, 0 AS n FROM tag UNION ALL SELECT g.tag_id, n + 1 FROM tag g JOIN t ON g.parent_id = t.tag_id) SELECT * FROM t
SELECT name, rank() OVER (PARTITION BY born ORDER BY name DESC) FROM author WHERE name LIKE 'A%' AND born BETWEEN '1900-01-01' AND :until
SELECT CASE WHEN price IS NULL THEN 'none' ELSE CAST(round(price, 1) AS TEXT) END FROM book WHERE author_id IN (SELECT author_id FROM author)
SELECT upper(name) || '-' || coalesce(nullif(born, :x), 0) FROM author UNION SELECT price FROM book ORDER BY 1
SELECT * FROM author a WHERE EXISTS (SELECT 1 FROM book b WHERE b.author_id = a.author_id AND b.price > (SELECT avg(price) FROM book))
INSERT INTO book (book_id, author_id, price) SELECT book_id + 100, author_id, price * 2 FROM book WHERE price < 3
INSERT INTO author (author_id, name) VALUES (:id, 'x'), (2, :name) ON CONFLICT (author_id) DO UPDATE SET name = excluded.name RETURNING *
UPDATE book SET price = price + :more, author_id = (SELECT min(author_id) FROM author) WHERE book_id = :id
DELETE FROM author WHERE author_id NOT IN (SELECT author_id FROM book WHERE author_id IS NOT NULL)
SELECT extract(year FROM born), date_trunc('month', born) + interval '1 day', born::text FROM author
SELECT DATE_FORMAT(born, '%Y'), IF(price > 1, 1, 0), GROUP_CONCAT(name SEPARATOR ';') FROM author NATURAL JOIN book GROUP BY 1
