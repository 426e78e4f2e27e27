-- freshness: author.name async(5s)
-- atomic: author, book

-- name: page, rate: 9/s
-- params: {"id": 1}
SELECT a.name, b.price FROM author a LEFT JOIN book b ON b.author_id = a.author_id
WHERE a.author_id = :id ORDER BY b.price;

-- name: cheap, rate: 3/h
-- params: {"least": 2.5, "name": "Ada", "other": "Bob"}
SELECT name, count(*) AS books FROM author JOIN book USING (author_id)
WHERE price > :least AND name IN (:name, :other) GROUP BY name HAVING count(*) > 0;

-- name: add, rate: 2/min
-- params: {"b": 7, "a": 1}
INSERT INTO book (book_id, author_id, price) VALUES (:b, :a, 2.5);

-- name: rename, rate: 2/day
-- params: {"id": 1, "name": "Eve"}
UPDATE author SET name = :name WHERE author_id = :id;
