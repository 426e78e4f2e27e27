-- The bidding mix of RUBiS: what its pages ask for, and how often in a hundred interactions.

-- name: browse_categories, rate: 7.65/s
SELECT category_id, name FROM category;

-- name: search_by_category, rate: 15.94/s
SELECT i.item_id, i.name, i.initial_price, i.max_bid, i.bids, i.ends FROM item i
WHERE i.category_id = :category ORDER BY i.ends LIMIT 20;

-- name: browse_regions, rate: 3/s
SELECT region_id, name FROM region;

-- name: view_item, rate: 14.17/s
SELECT i.name, i.description, i.initial_price, i.quantity, i.max_bid, i.bids, i.starts, i.ends, u.nickname
FROM item i JOIN user u ON u.user_id = i.seller_id WHERE i.item_id = :item;

-- name: view_bid_history, rate: 2.38/s
SELECT b.amount, b.quantity, b.placed, u.nickname FROM bid b JOIN user u ON u.user_id = b.user_id
WHERE b.item_id = :item ORDER BY b.placed DESC;

-- name: highest_bid, rate: 8/s
SELECT MAX(b.amount) FROM bid b WHERE b.item_id = :item;

-- name: view_user_info, rate: 4.48/s
SELECT u.nickname, u.rating, u.created, c.rating, c.written, c.body FROM user u
LEFT JOIN comment c ON c.to_user_id = u.user_id WHERE u.user_id = :user;

-- name: about_me_items_sold, rate: 1.71/s
SELECT i.name, i.max_bid, i.ends FROM item i WHERE i.seller_id = :user;

-- name: about_me_bids, rate: 1.71/s
SELECT i.name, i.ends, b.amount FROM bid b JOIN item i ON i.item_id = b.item_id WHERE b.user_id = :user;

-- name: about_me_purchases, rate: 1.71/s
SELECT i.name, p.quantity, p.bought FROM purchase p JOIN item i ON i.item_id = p.item_id WHERE p.buyer_id = :user;

-- name: log_in, rate: 5/s
SELECT nickname, password FROM user WHERE user_id = :user;

-- name: store_bid, rate: 3.74/s
INSERT INTO bid (bid_id, user_id, item_id, quantity, amount, max_amount, placed)
VALUES (:bid, :user, :item, :quantity, :amount, :max, :placed);

-- name: count_bid, rate: 3.74/s
-- params: {"amount": 812.5}
UPDATE item SET bids = bids + 1, max_bid = :amount WHERE item_id = :item;

-- name: store_purchase, rate: 1.28/s
INSERT INTO purchase (purchase_id, buyer_id, item_id, quantity, bought) VALUES (:purchase, :user, :item, :quantity, :at);

-- name: store_comment, rate: 0.45/s
INSERT INTO comment (comment_id, from_user_id, to_user_id, item_id, rating, written, body)
VALUES (:comment, :author, :user, :item, :rating, :at, :body);

-- name: register_item, rate: 0.53/s
INSERT INTO item (item_id, name, description, initial_price, quantity, reserve_price, buy_now, bids, max_bid, starts, ends, seller_id, category_id)
VALUES (:item, :name, :description, :price, :quantity, :reserve, :now, 0, 0, :starts, :ends, :seller, :category);

-- name: register_user, rate: 1.07/s
INSERT INTO user (user_id, nickname, password, email, rating, balance, created, region_id)
VALUES (:user, :nickname, :password, :email, 0, 0, :created, :region);
