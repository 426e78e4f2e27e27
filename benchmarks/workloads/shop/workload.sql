-- freshness: product.name async(10s)
-- atomic: orders, order_line

-- name: product_page, rate: 300/s
SELECT p.name, p.description, p.price, b.name FROM product p JOIN brand b ON b.brand_id = p.brand_id WHERE p.product_id = :product;

-- name: variants, rate: 300/s
SELECT variant_id, size, colour, stock FROM variant WHERE product_id = :product ORDER BY variant_id;

-- name: newest_reviews, rate: 280/s
SELECT r.stars, r.body, r.written, c.name FROM review r JOIN customer c ON c.customer_id = r.customer_id
WHERE r.product_id = :product ORDER BY r.written DESC LIMIT 5;

-- name: shelf, rate: 120/s
SELECT product_id, name, price FROM product WHERE shelf = :shelf ORDER BY price LIMIT 24;

-- name: rating, rate: 200/s
SELECT AVG(stars), COUNT(*) FROM review WHERE product_id = :product;

-- name: cart, rate: 80/s
SELECT l.quantity, v.size, v.colour, p.name, p.price FROM cart_line l JOIN variant v ON v.variant_id = l.variant_id
JOIN product p ON p.product_id = v.product_id WHERE l.customer_id = :customer;

-- name: order_page, rate: 40/s
SELECT o.placed, o.status, o.total, l.number, l.quantity, l.price FROM orders o JOIN order_line l ON l.order_id = o.order_id
WHERE o.order_id = :order ORDER BY l.number;

-- name: order_history, rate: 30/s
SELECT order_id, placed, status, total FROM orders WHERE customer_id = :customer ORDER BY placed DESC LIMIT 10;

-- name: shipments, rate: 25/s
SELECT carrier, tracking, sent FROM shipment WHERE order_id = :order;

-- name: account, rate: 30/s
SELECT c.name, c.email, a.street, a.city, a.postcode FROM customer c LEFT JOIN address a ON a.customer_id = c.customer_id
WHERE c.customer_id = :customer;

-- name: put_in_cart, rate: 20/s
INSERT INTO cart_line (customer_id, variant_id, quantity) VALUES (:customer, :variant, :quantity);

-- name: place_order, rate: 6/s
INSERT INTO orders (order_id, customer_id, placed, status, total) VALUES (:order, :customer, :at, :status, :total);

-- name: add_line, rate: 15/s
INSERT INTO order_line (order_id, number, variant_id, quantity, price) VALUES (:order, :number, :variant, :quantity, :price);

-- name: take_stock, rate: 15/s
UPDATE variant SET stock = stock - 1 WHERE variant_id = :variant;

-- name: set_status, rate: 12/s
UPDATE orders SET status = :status WHERE order_id = :order;

-- name: write_review, rate: 2/s
INSERT INTO review (review_id, product_id, customer_id, stars, body, written) VALUES (:review, :product, :customer, :stars, :body, :at);

-- name: change_price, rate: 20/min
UPDATE product SET price = :price WHERE product_id = :product;
