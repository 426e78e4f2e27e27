-- Questions in the manner of TPC-H's, each asked as often as the others; the two refresh functions seldom.

-- name: pricing_summary, rate: 1/s
-- params: {"until": "2025-10-01"}
SELECT flag, status, SUM(quantity), SUM(price), AVG(discount), COUNT(*) FROM line_item WHERE shipped <= :until
GROUP BY flag, status ORDER BY flag, status;

-- name: shipping_priority, rate: 1/s
-- params: {"day": "2024-06-01"}
SELECT l.o_key, SUM(l.price), o.ordered, o.priority FROM customer c JOIN orders o ON o.c_key = c.c_key
JOIN line_item l ON l.o_key = o.o_key WHERE c.segment = :segment AND o.ordered < :day AND l.shipped > :day
GROUP BY l.o_key, o.ordered, o.priority ORDER BY 2 DESC, o.ordered LIMIT 10;

-- name: local_volume, rate: 1/s
-- params: {"start": "2024-01-01", "finish": "2025-01-01"}
SELECT n.name, SUM(l.price) FROM region r JOIN nation n ON n.r_key = r.r_key JOIN customer c ON c.n_key = n.n_key
JOIN orders o ON o.c_key = c.c_key JOIN line_item l ON l.o_key = o.o_key
WHERE r.name = :region AND o.ordered >= :start AND o.ordered < :finish GROUP BY n.name ORDER BY 2 DESC;

-- name: revenue_change, rate: 1/s
-- params: {"start": "2024-01-01", "finish": "2025-01-01", "low": 3, "high": 6, "most": 24}
SELECT SUM(price * discount) FROM line_item
WHERE shipped >= :start AND shipped < :finish AND discount BETWEEN :low AND :high AND quantity < :most;

-- name: returned_items, rate: 1/s
-- params: {"start": "2024-01-01", "finish": "2024-04-01"}
SELECT c.c_key, c.name, SUM(l.price), c.balance, n.name FROM customer c JOIN orders o ON o.c_key = c.c_key
JOIN line_item l ON l.o_key = o.o_key JOIN nation n ON n.n_key = c.n_key
WHERE o.ordered >= :start AND o.ordered < :finish AND l.flag = :flag
GROUP BY c.c_key, c.name, c.balance, n.name ORDER BY 3 DESC, c.c_key LIMIT 20;

-- name: ship_modes, rate: 1/s
-- params: {"start": "2024-01-01", "finish": "2025-01-01"}
SELECT l.mode, o.priority, COUNT(*) FROM orders o JOIN line_item l ON l.o_key = o.o_key
WHERE l.mode = :mode AND l.shipped >= :start AND l.shipped < :finish GROUP BY l.mode, o.priority ORDER BY o.priority;

-- name: promotion, rate: 1/s
-- params: {"start": "2024-01-01", "finish": "2024-02-01"}
SELECT p.kind, SUM(l.price) FROM line_item l JOIN part p ON p.p_key = l.p_key
WHERE l.shipped >= :start AND l.shipped < :finish AND p.brand = :brand GROUP BY p.kind ORDER BY p.kind;

-- name: large_orders, rate: 1/s
-- params: {"least": 250}
SELECT c.name, o.o_key, o.ordered, o.total, SUM(l.quantity) FROM customer c JOIN orders o ON o.c_key = c.c_key
JOIN line_item l ON l.o_key = o.o_key GROUP BY c.name, o.o_key, o.ordered, o.total
HAVING SUM(l.quantity) > :least ORDER BY o.total DESC, o.o_key LIMIT 100;

-- name: customer_orders, rate: 1/s
SELECT o.o_key, o.ordered, o.total FROM orders o WHERE o.c_key = :customer ORDER BY o.ordered DESC;

-- name: new_order, rate: 0.1/s
INSERT INTO orders (o_key, c_key, status, total, ordered, priority) VALUES (:o, :c, :status, :total, :day, :priority);

-- name: new_line, rate: 0.4/s
INSERT INTO line_item (o_key, number, p_key, s_key, quantity, price, discount, tax, flag, status, shipped, mode)
VALUES (:o, :number, :p, :s, :quantity, :price, :discount, :tax, :flag, :status, :day, :mode);
