-- The bundled shop: what `nestling demo` designs, loads and verifies.
CREATE TABLE category (
  category_id INTEGER NOT NULL PRIMARY KEY,
  name        VARCHAR(60) NOT NULL,
  parent_id   INTEGER REFERENCES category (category_id)
);
CREATE TABLE product (
  product_id  INTEGER NOT NULL PRIMARY KEY,
  sku         VARCHAR(16) NOT NULL UNIQUE,
  name        VARCHAR(80) NOT NULL,
  description TEXT,
  price       DECIMAL(10, 2) NOT NULL,
  stock       INTEGER NOT NULL,
  added_on    DATE NOT NULL
);
CREATE TABLE product_category (
  product_id  INTEGER NOT NULL REFERENCES product (product_id),
  category_id INTEGER NOT NULL REFERENCES category (category_id),
  PRIMARY KEY (product_id, category_id)
);
CREATE TABLE customer (
  customer_id INTEGER NOT NULL PRIMARY KEY,
  name        VARCHAR(80) NOT NULL,
  email       VARCHAR(120) NOT NULL UNIQUE,
  joined_at   TIMESTAMP NOT NULL
);
CREATE TABLE loyalty_card (
  customer_id INTEGER NOT NULL PRIMARY KEY REFERENCES customer (customer_id),
  points      INTEGER NOT NULL,
  level       VARCHAR(10) NOT NULL
);
CREATE TABLE address (
  customer_id INTEGER NOT NULL REFERENCES customer (customer_id),
  label       VARCHAR(20) NOT NULL,
  street      VARCHAR(80) NOT NULL,
  city        VARCHAR(60) NOT NULL,
  postcode    VARCHAR(12),
  PRIMARY KEY (customer_id, label)
);
CREATE TABLE review (
  review_id   INTEGER NOT NULL PRIMARY KEY,
  product_id  INTEGER NOT NULL REFERENCES product (product_id),
  customer_id INTEGER REFERENCES customer (customer_id),
  rating      INTEGER NOT NULL,
  body        TEXT,
  written_at  TIMESTAMP NOT NULL
);
CREATE TABLE purchase (
  purchase_id INTEGER NOT NULL PRIMARY KEY,
  customer_id INTEGER NOT NULL REFERENCES customer (customer_id),
  placed_at   TIMESTAMP NOT NULL,
  status      VARCHAR(10) NOT NULL
);
CREATE TABLE purchase_line (
  purchase_id INTEGER NOT NULL REFERENCES purchase (purchase_id) ON DELETE CASCADE,
  line        INTEGER NOT NULL,
  product_id  INTEGER NOT NULL REFERENCES product (product_id),
  quantity    INTEGER NOT NULL,
  unit_price  DECIMAL(10, 2) NOT NULL,
  PRIMARY KEY (purchase_id, line)
);
CREATE TABLE page_view (
  product_id  INTEGER NOT NULL REFERENCES product (product_id),
  viewed_at   TIMESTAMP NOT NULL,
  visitor     VARCHAR(16) NOT NULL
);
CREATE INDEX review_product ON review (product_id);
CREATE INDEX purchase_customer ON purchase (customer_id);
CREATE INDEX line_product ON purchase_line (product_id);
CREATE INDEX view_product ON page_view (product_id);
