CREATE TABLE author (author_id INTEGER PRIMARY KEY, name VARCHAR(20) NOT NULL, born DATE);
CREATE TABLE book (
  book_id INTEGER PRIMARY KEY, author_id INTEGER NOT NULL REFERENCES author (author_id), price DECIMAL(9, 2)
);
CREATE TABLE tag (tag_id INTEGER PRIMARY KEY, parent_id INTEGER REFERENCES tag (tag_id));
CREATE TABLE book_tag (
  book_id INTEGER REFERENCES book, tag_id INTEGER REFERENCES tag, PRIMARY KEY (book_id, tag_id)
);
