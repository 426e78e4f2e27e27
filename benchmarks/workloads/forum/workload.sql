-- name: question_page, rate: 150/s
SELECT q.title, q.body, q.asked, m.name, m.reputation FROM question q JOIN member m ON m.member_id = q.member_id WHERE q.question_id = :question;

-- name: answers, rate: 150/s
SELECT a.answer_id, a.body, a.given, a.score, m.name FROM answer a JOIN member m ON m.member_id = a.member_id
WHERE a.question_id = :question ORDER BY a.score DESC;

-- name: remarks, rate: 200/s
SELECT r.body, r.made, m.name FROM remark r JOIN member m ON m.member_id = r.member_id WHERE r.answer_id = :answer ORDER BY r.made;

-- name: tags, rate: 150/s
SELECT t.name FROM question_tag x JOIN tag t ON t.tag_id = x.tag_id WHERE x.question_id = :question;

-- name: tagged, rate: 30/s
SELECT q.question_id, q.title, q.asked FROM question_tag x JOIN question q ON q.question_id = x.question_id
WHERE x.tag_id = :tag ORDER BY q.asked DESC LIMIT 30;

-- name: member_page, rate: 20/s
SELECT name, reputation, about FROM member WHERE member_id = :member;

-- name: answers_of_member, rate: 10/s
SELECT q.title, a.score FROM answer a JOIN question q ON q.question_id = a.question_id WHERE a.member_id = :member ORDER BY a.given DESC LIMIT 20;

-- name: seen, rate: 150/s
UPDATE question SET views = views + 1 WHERE question_id = :question;

-- name: answer_it, rate: 3/s
INSERT INTO answer (answer_id, question_id, member_id, body, given, score) VALUES (:answer, :question, :member, :body, :at, 0);

-- name: remark_on, rate: 4/s
INSERT INTO remark (remark_id, answer_id, member_id, body, made) VALUES (:remark, :answer, :member, :body, :at);

-- name: vote_for, rate: 15/s
INSERT INTO vote (member_id, answer_id, value) VALUES (:member, :answer, :value);

-- name: score, rate: 15/s
UPDATE answer SET score = score + 1 WHERE answer_id = :answer;

-- name: earn, rate: 15/s
UPDATE member SET reputation = reputation + 10 WHERE member_id = :member;
