SET search_path = public;
CREATE TYPE mood AS ENUM ('sad', 'ok');
CREATE DOMAIN email AS citext CHECK (VALUE ~ '@');
CREATE SEQUENCE author_seq START WITH 10 OWNED BY NONE;
CREATE TABLE public.author (
  author_id bigint DEFAULT nextval('author_seq'::regclass) NOT NULL, name character varying(20) COLLATE "C" NOT NULL,
  feels mood DEFAULT 'ok'::mood, data jsonb DEFAULT '{}'::jsonb, tags text[], born timestamp with time zone DEFAULT now(),
  length numeric(9, 2) GENERATED ALWAYS AS (1 + 1) STORED, CONSTRAINT positive CHECK (length > 0)
);
ALTER TABLE ONLY public.author ADD CONSTRAINT author_pkey PRIMARY KEY (author_id);
CREATE TABLE "Book" (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(), author_id bigint REFERENCES author ON DELETE CASCADE DEFERRABLE,
  "from" daterange, UNIQUE (author_id, id), EXCLUDE USING gist ("from" WITH &&)
) PARTITION BY RANGE (id);
CREATE TABLE book_old PARTITION OF "Book" FOR VALUES FROM (MINVALUE) TO (MAXVALUE);
CREATE UNIQUE INDEX by_name ON author USING btree (lower(name), born DESC NULLS LAST) WHERE name <> '';
COMMENT ON COLUMN author.name IS 'it''s a name';
CREATE VIEW names AS SELECT author_id, name FROM author WHERE name IS NOT NULL;
CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $body$ BEGIN RETURN NEW; END; $body$;
COPY author (author_id, name) FROM stdin;
1	Ada
\.
INSERT INTO author (author_id, name) VALUES (2, E'B\'ob');
