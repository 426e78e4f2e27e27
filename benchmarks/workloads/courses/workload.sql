-- name: course_page, rate: 60/s
SELECT c.title, c.outline, t.name, t.room FROM course c JOIN teacher t ON t.teacher_id = c.teacher_id WHERE c.course_id = :course;

-- name: lessons, rate: 50/s
SELECT number, topic, held FROM lesson WHERE course_id = :course ORDER BY number;

-- name: timetable, rate: 80/s
SELECT c.title, e.grade FROM enrolment e JOIN course c ON c.course_id = e.course_id WHERE e.student_id = :student;

-- name: roll, rate: 15/s
SELECT s.name, s.year FROM enrolment e JOIN student s ON s.student_id = e.student_id WHERE e.course_id = :course ORDER BY s.name;

-- name: student_page, rate: 30/s
SELECT name, year FROM student WHERE student_id = :student;

-- name: average_grade, rate: 5/s
SELECT AVG(grade) FROM enrolment WHERE course_id = :course;

-- name: enrol, rate: 4/s
INSERT INTO enrolment (course_id, student_id, enrolled, grade) VALUES (:course, :student, :day, NULL);

-- name: grade_it, rate: 4/s
UPDATE enrolment SET grade = :grade WHERE course_id = :course AND student_id = :student;

-- name: leave, rate: 1/s
DELETE FROM enrolment WHERE course_id = :course AND student_id = :student;

-- name: plan_lesson, rate: 1/s
INSERT INTO lesson (course_id, number, topic, held) VALUES (:course, :number, :topic, :at);
