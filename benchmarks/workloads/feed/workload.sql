-- name: home_feed, rate: 100/s
SELECT p.body, p.posted, a.handle FROM follow f JOIN post p ON p.author_id = f.followee_id JOIN person a ON a.person_id = p.author_id
WHERE f.follower_id = :reader ORDER BY p.posted DESC LIMIT 20;

-- name: profile, rate: 150/s
SELECT handle, name, bio FROM person WHERE person_id = :person;

-- name: posts_of, rate: 120/s
SELECT post_id, body, posted FROM post WHERE author_id = :person ORDER BY posted DESC LIMIT 20;

-- name: post_page, rate: 90/s
SELECT p.body, p.posted, a.handle, a.name FROM post p JOIN person a ON a.person_id = p.author_id WHERE p.post_id = :post;

-- name: likes_of_post, rate: 90/s
SELECT COUNT(*) FROM liking WHERE post_id = :post;

-- name: followers, rate: 20/s
SELECT p.handle FROM follow f JOIN person p ON p.person_id = f.follower_id WHERE f.followee_id = :person LIMIT 50;

-- name: write_post, rate: 10/s
INSERT INTO post (post_id, author_id, body, posted) VALUES (:post, :author, :body, :at);

-- name: like_post, rate: 30/s
INSERT INTO liking (person_id, post_id) VALUES (:person, :post);

-- name: start_following, rate: 3/s
INSERT INTO follow (follower_id, followee_id) VALUES (:follower, :followee);

-- name: rename, rate: 1/min
UPDATE person SET name = :name WHERE person_id = :person;
