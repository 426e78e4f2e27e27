-- What the shop's application runs, and how often.
-- freshness: product.name async(5s)
-- atomic: purchase, purchase_line

-- name: product_page, rate: 900/s
-- params: {"id": 7}
SELECT p.name, p.description, p.price, p.stock FROM product p WHERE p.product_id = :id;

-- name: latest_reviews, rate: 850/s
-- params: {"id": 7}
SELECT r.rating, r.body, r.written_at, c.name
FROM review r LEFT JOIN customer c ON c.customer_id = r.customer_id
WHERE r.product_id = :id ORDER BY r.written_at DESC LIMIT 10;

-- name: category_listing, rate: 300/s
-- params: {"category": 7}
SELECT p.product_id, p.name, p.price
FROM product_category pc JOIN product p ON p.product_id = pc.product_id
WHERE pc.category_id = :category ORDER BY p.name;

-- name: account_page, rate: 60/s
-- params: {"id": 11}
SELECT c.name, c.email, a.label, a.street, a.city, a.postcode
FROM customer c LEFT JOIN address a ON a.customer_id = c.customer_id WHERE c.customer_id = :id;

-- name: loyalty, rate: 40/s
-- params: {"id": 11}
SELECT c.name, l.points, l.level
FROM customer c JOIN loyalty_card l ON l.customer_id = c.customer_id WHERE c.customer_id = :id;

-- name: purchase_details, rate: 120/s
-- params: {"id": 42}
SELECT o.placed_at, o.status, l.line, l.quantity, l.unit_price, p.name
FROM purchase o
JOIN purchase_line l ON l.purchase_id = o.purchase_id
JOIN product p ON p.product_id = l.product_id
WHERE o.purchase_id = :id ORDER BY l.line;

-- name: customer_purchases, rate: 50/s
-- params: {"id": 11}
SELECT purchase_id, placed_at, status FROM purchase WHERE customer_id = :id ORDER BY placed_at DESC;

-- name: best_sellers, rate: 2/min
SELECT p.name, SUM(l.quantity) AS sold
FROM purchase_line l JOIN product p ON p.product_id = l.product_id
GROUP BY p.product_id, p.name ORDER BY sold DESC, p.name LIMIT 20;

-- name: place_purchase, rate: 8/s
-- params: {"id": 90001, "customer": 11, "at": "2026-05-01 10:00:00"}
INSERT INTO purchase (purchase_id, customer_id, placed_at, status) VALUES (:id, :customer, :at, 'placed');

-- name: add_line, rate: 24/s
-- params: {"id": 90001, "line": 1, "product": 7, "quantity": 2, "price": 19.99}
INSERT INTO purchase_line (purchase_id, line, product_id, quantity, unit_price)
VALUES (:id, :line, :product, :quantity, :price);

-- name: take_stock, rate: 24/s
-- params: {"product": 7, "quantity": 2}
UPDATE product SET stock = stock - :quantity WHERE product_id = :product;

-- name: write_review, rate: 3/s
-- params: {"id": 90001, "product": 7, "customer": 11, "rating": 5, "body": "Good.", "at": "2026-05-01 10:00:00"}
INSERT INTO review (review_id, product_id, customer_id, rating, body, written_at)
VALUES (:id, :product, :customer, :rating, :body, :at);

-- name: rename_product, rate: 5/day
-- params: {"id": 7, "name": "Left-handed smoke shifter"}
UPDATE product SET name = :name WHERE product_id = :id;

-- name: record_view, rate: 900/s
-- params: {"product": 7, "at": "2026-05-01 10:00:00", "visitor": "v1"}
INSERT INTO page_view (product_id, viewed_at, visitor) VALUES (:product, :at, :visitor);

-- name: view_count, rate: 10/s
-- params: {"product": 7}
SELECT COUNT(*) AS views FROM page_view WHERE product_id = :product;
