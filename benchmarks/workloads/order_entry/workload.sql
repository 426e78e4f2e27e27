-- The five transactions of TPC-C as their statements; rates are executions in a hundred transactions of the specified mix.
-- atomic: orders, order_line

-- name: order_tax, rate: 45/s
SELECT d.tax, d.next_o_id, w.tax FROM district d JOIN warehouse w ON w.w_id = d.w_id WHERE d.w_id = :w AND d.d_id = :d;

-- name: order_customer, rate: 45/s
SELECT discount, last, credit FROM customer WHERE w_id = :w AND d_id = :d AND c_id = :c;

-- name: order_number, rate: 45/s
UPDATE district SET next_o_id = next_o_id + 1 WHERE w_id = :w AND d_id = :d;

-- name: order_add, rate: 45/s
INSERT INTO orders (w_id, d_id, o_id, c_id, entered, carrier, lines) VALUES (:w, :d, :o, :c, :at, NULL, :lines);

-- name: order_item, rate: 450/s
SELECT name, price, made FROM item WHERE i_id = :i;

-- name: order_stock, rate: 450/s
SELECT quantity, dist, ytd FROM stock WHERE w_id = :w AND i_id = :i;

-- name: order_take, rate: 450/s
UPDATE stock SET quantity = :quantity, ytd = ytd + 1, sold = sold + 1 WHERE w_id = :w AND i_id = :i;

-- name: order_add_line, rate: 450/s
INSERT INTO order_line (w_id, d_id, o_id, number, i_id, delivered, quantity, amount, dist)
VALUES (:w, :d, :o, :number, :i, NULL, :quantity, :amount, :dist);

-- name: pay_district, rate: 43/s
-- params: {"amount": 12.5}
UPDATE district SET ytd = ytd + :amount WHERE w_id = :w AND d_id = :d;

-- name: pay_customer_by_name, rate: 26/s
SELECT c_id, first, balance, credit FROM customer WHERE w_id = :w AND d_id = :d AND last = :last ORDER BY first;

-- name: pay_customer, rate: 43/s
-- params: {"amount": 12.5}
UPDATE customer SET balance = balance - :amount, payments = payments + 1 WHERE w_id = :w AND d_id = :d AND c_id = :c;

-- name: pay_record, rate: 43/s
INSERT INTO payment (p_id, w_id, d_id, c_id, paid, amount, note) VALUES (:p, :w, :d, :c, :at, :amount, :note);

-- name: status_last_order, rate: 4/s
SELECT o_id, entered, carrier FROM orders WHERE w_id = :w AND d_id = :d AND c_id = :c ORDER BY o_id DESC LIMIT 1;

-- name: status_lines, rate: 4/s
SELECT i_id, quantity, amount, delivered FROM order_line WHERE w_id = :w AND d_id = :d AND o_id = :o;

-- name: deliver_oldest, rate: 40/s
SELECT o_id FROM new_order WHERE w_id = :w AND d_id = :d ORDER BY o_id LIMIT 1;

-- name: deliver_done, rate: 4/s
DELETE FROM new_order WHERE w_id = :w AND d_id = :d AND o_id = :o;

-- name: deliver_order, rate: 40/s
UPDATE orders SET carrier = :carrier WHERE w_id = :w AND d_id = :d AND o_id = :o;

-- name: deliver_lines, rate: 40/s
UPDATE order_line SET delivered = :at WHERE w_id = :w AND d_id = :d AND o_id = :o;

-- name: deliver_sum, rate: 40/s
SELECT SUM(amount) FROM order_line WHERE w_id = :w AND d_id = :d AND o_id = :o;
