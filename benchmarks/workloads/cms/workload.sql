-- name: article_by_slug, rate: 200/s
SELECT a.title, a.body, a.published, u.name FROM article a JOIN author u ON u.author_id = a.author_id WHERE a.slug = :slug;

-- name: images, rate: 200/s
SELECT url, caption FROM image WHERE article_id = :article;

-- name: tags_of, rate: 200/s
SELECT t.name FROM tagging g JOIN tag t ON t.tag_id = g.tag_id WHERE g.article_id = :article ORDER BY t.name;

-- name: comments, rate: 150/s
SELECT name, body, written FROM comment WHERE article_id = :article ORDER BY written LIMIT 50;

-- name: front_page, rate: 100/s
SELECT a.slug, a.title, a.summary, u.name FROM article a JOIN author u ON u.author_id = a.author_id ORDER BY a.published DESC LIMIT 20;

-- name: tag_page, rate: 40/s
SELECT a.slug, a.title, a.summary FROM tagging g JOIN article a ON a.article_id = g.article_id
WHERE g.tag_id = :tag ORDER BY a.published DESC LIMIT 20;

-- name: author_page, rate: 10/s
SELECT u.name, u.bio, a.slug, a.title FROM author u JOIN article a ON a.author_id = u.author_id WHERE u.author_id = :author;

-- name: revisions, rate: 2/s
SELECT number, made FROM revision WHERE article_id = :article ORDER BY number DESC;

-- name: write_comment, rate: 5/s
INSERT INTO comment (comment_id, article_id, name, body, written) VALUES (:comment, :article, :name, :body, :at);

-- name: edit, rate: 1/s
UPDATE article SET body = :body WHERE article_id = :article;

-- name: keep_revision, rate: 1/s
INSERT INTO revision (article_id, number, body, made) VALUES (:article, :number, :body, :at);

-- name: rename_author, rate: 1/day
UPDATE author SET name = :name WHERE author_id = :author;
