-- The reads a server is measured with, on a normalized and on an embedded design. Where a share cannot be known from statistics, the
-- rows are such that it is the one an estimate takes: a third for a range, a tenth for a pattern.

-- name: small_point
-- params: {"id": 4711}
SELECT * FROM small WHERE id = :id;

-- name: small_point_one_column
-- params: {"id": 4712}
SELECT label FROM small WHERE id = :id;

-- name: small_in_ten
SELECT * FROM small WHERE id IN (11, 1011, 2011, 3011, 4011, 5011, 6011, 7011, 8011, 9011);

-- name: small_thousand
-- params: {"value": 7}
SELECT * FROM small WHERE thousand = :value;

-- name: small_hundred
-- params: {"value": 7}
SELECT * FROM small WHERE hundred = :value;

-- name: small_ten
-- params: {"value": 7}
SELECT * FROM small WHERE ten = :value;

-- name: small_ten_one_column
-- params: {"value": 7}
SELECT number FROM small WHERE ten = :value;

-- name: small_ten_count
-- params: {"value": 7}
SELECT COUNT(*) FROM small WHERE ten = :value;

-- name: small_hundred_count
-- params: {"value": 7}
SELECT COUNT(*) FROM small WHERE hundred = :value;

-- name: small_ten_first
-- params: {"value": 3}
SELECT id, label FROM small WHERE ten = :value LIMIT 50;

-- name: small_all
SELECT * FROM small;

-- name: small_all_one_column
SELECT number FROM small;

-- name: small_count
SELECT COUNT(*) FROM small;

-- name: small_range_count
-- params: {"number": 8000}
SELECT COUNT(*) FROM small WHERE number >= :number;

-- name: small_range
-- params: {"number": 8000}
SELECT id FROM small WHERE number >= :number;

-- name: small_range_twice
-- params: {"number": 8000, "value": 3}
SELECT COUNT(*) FROM small WHERE number >= :number AND label <> 'none' AND ten <> :value;

-- name: small_pattern
SELECT id FROM small WHERE label LIKE '%zz%';

-- name: small_pattern_given
-- params: {"pattern": "%zz%"}
SELECT id FROM small WHERE label LIKE :pattern;

-- name: small_top
SELECT id, number FROM small ORDER BY number DESC LIMIT 10;

-- name: small_ten_top
-- params: {"value": 5}
SELECT id, number FROM small WHERE ten = :value ORDER BY number DESC LIMIT 10;

-- name: small_sorted
SELECT * FROM small ORDER BY label;

-- name: small_ten_sorted
-- params: {"value": 5}
SELECT * FROM small WHERE ten = :value ORDER BY label;

-- name: small_groups_ten
SELECT ten, COUNT(*) AS n, SUM(number) AS total FROM small GROUP BY ten;

-- name: small_groups_thousand
SELECT thousand, COUNT(*) AS n FROM small GROUP BY thousand;

-- name: small_ten_groups
-- params: {"value": 5}
SELECT hundred, MAX(number) AS most FROM small WHERE ten = :value GROUP BY hundred;

-- name: small_groups_sorted
SELECT thousand, COUNT(*) AS n FROM small GROUP BY thousand ORDER BY n DESC, thousand LIMIT 20;

-- name: small_distinct
SELECT DISTINCT hundred FROM small;

-- name: small_computed
-- params: {"value": 5}
SELECT id, number * 2 + ten AS a, number - hundred AS b, CASE WHEN number > 6000 THEN 'high' ELSE 'low' END AS c FROM small WHERE ten = :value;

-- name: small_rounded
-- params: {"value": 5}
SELECT id, ROUND(number / 7.0, 2) AS a, UPPER(label) AS b FROM small WHERE hundred = :value;

-- name: small_rounded_one
-- params: {"id": 17}
SELECT id, ROUND(number / 7.0, 2) AS a, ROUND(ten * 1.5, 1) AS b, UPPER(label) AS c FROM small WHERE id = :id;

-- name: small_point_long
-- params: {"id": 4714}
SELECT
  id, ROUND(number / 7.0, 2) AS a, ROUND(ten * 1.5, 1) AS b, ROUND(hundred / 3.0, 2) AS c, ROUND(thousand * 0.1, 1) AS d,
  ROUND(number / 9.0, 3) AS e, ROUND(ten * hundred / 7.0, 2) AS f
FROM small WHERE id = :id;

-- name: small_point_cases
-- params: {"id": 4715}
SELECT
  id, CASE WHEN number > 6000 AND ten < 5 THEN 'high' WHEN number > 3000 OR ten = 7 THEN 'middle' ELSE 'low' END AS a,
  CASE WHEN hundred > 60 AND ten < 5 THEN 'high' WHEN hundred > 30 OR ten = 7 THEN 'middle' ELSE 'low' END AS b,
  CASE WHEN thousand > 600 AND ten < 5 THEN 'high' WHEN thousand > 300 OR ten = 7 THEN 'middle' ELSE 'low' END AS c
FROM small WHERE id = :id;

-- name: small_groups
SELECT number, COUNT(*) AS n FROM small GROUP BY number ORDER BY n DESC, number LIMIT 5;

-- name: small_groups_of_two
SELECT number, ten, COUNT(*) AS n, MAX(label) AS last FROM small GROUP BY number, ten ORDER BY n DESC, number LIMIT 5;

-- name: small_groups_half
-- params: {"number": 8000}
SELECT number, SUM(ten) AS total FROM small WHERE number >= :number GROUP BY number ORDER BY total DESC, number LIMIT 5;

-- name: many_item_groups
SELECT tag_id, kind, SUM(amount) AS total FROM many_item GROUP BY tag_id, kind ORDER BY total DESC, tag_id, kind LIMIT 5;

-- name: small_union
-- params: {"value": 5}
SELECT id FROM small WHERE thousand = :value UNION ALL SELECT id FROM few WHERE id = :value;

-- name: large_point
-- params: {"id": 471}
SELECT * FROM large WHERE id = :id;

-- name: large_point_one_column
-- params: {"id": 472}
SELECT t01 FROM large WHERE id = :id;

-- name: large_hundred
-- params: {"value": 7}
SELECT * FROM large WHERE hundred = :value;

-- name: large_ten
-- params: {"value": 7}
SELECT * FROM large WHERE ten = :value;

-- name: large_ten_one_column
-- params: {"value": 7}
SELECT t20 FROM large WHERE ten = :value;

-- name: large_all
SELECT * FROM large;

-- name: large_count
SELECT COUNT(*) FROM large WHERE t20 <> 'none';

-- name: large_groups
SELECT ten, MAX(t20) AS last FROM large GROUP BY ten;

-- name: large_sorted
SELECT * FROM large ORDER BY t10 LIMIT 100;

-- name: few_page
-- params: {"id": 77}
SELECT few.label, few_item.* FROM few JOIN few_item ON few_item.few_id = few.id WHERE few.id = :id;

-- name: few_list
-- params: {"value": 7}
SELECT few.label, few_item.amount FROM few JOIN few_item ON few_item.few_id = few.id WHERE few.ten = :value;

-- name: few_list_outer
-- params: {"value": 7}
SELECT few.id, few_item.kind, few_item.amount FROM few LEFT JOIN few_item ON few_item.few_id = few.id WHERE few.ten = :value;

-- name: few_totals
SELECT few.ten, SUM(few_item.amount) AS total FROM few JOIN few_item ON few_item.few_id = few.id GROUP BY few.ten;

-- name: few_items_of
-- params: {"id": 78}
SELECT id, amount FROM few_item WHERE few_id = :id;

-- name: few_item_point
-- params: {"id": 1234}
SELECT id, label FROM few_item WHERE id = :id;

-- name: few_items_kind
-- params: {"kind": 3}
SELECT COUNT(*) FROM few_item WHERE kind = :kind;

-- name: few_items_all
SELECT * FROM few_item;

-- name: few_exists
-- params: {"value": 7, "kind": 3}
SELECT few.id FROM few WHERE few.ten = :value AND EXISTS (SELECT 1 FROM few_item WHERE few_item.few_id = few.id);

-- name: many_page
-- params: {"id": 77}
SELECT many.label, many_item.id, many_item.kind, many_item.amount, many_item.label FROM many JOIN many_item ON many_item.many_id = many.id WHERE many.id = :id;

-- name: many_list
-- params: {"value": 7}
SELECT many.label, many_item.amount FROM many JOIN many_item ON many_item.many_id = many.id WHERE many.ten = :value;

-- name: many_totals
SELECT many.ten, SUM(many_item.amount) AS total, COUNT(*) AS n FROM many JOIN many_item ON many_item.many_id = many.id GROUP BY many.ten;

-- name: many_parents
SELECT id, label FROM many WHERE ten = 4;

-- name: many_items_all
SELECT id, amount FROM many_item;

-- name: many_item_point
-- params: {"id": 3456}
SELECT many_item.label, many.label FROM many_item JOIN many ON many.id = many_item.many_id WHERE many_item.id = :id;

-- name: many_items_kind
-- params: {"kind": 3}
SELECT SUM(amount) AS total FROM many_item WHERE kind = :kind;

-- name: many_tags
-- params: {"id": 78}
SELECT many_item.id, tag.label FROM many JOIN many_item ON many_item.many_id = many.id JOIN tag ON tag.id = many_item.tag_id WHERE many.id = :id;

-- name: many_tags_list
-- params: {"value": 7}
SELECT tag.label, SUM(many_item.amount) AS total FROM many JOIN many_item ON many_item.many_id = many.id JOIN tag ON tag.id = many_item.tag_id WHERE many.ten = :value GROUP BY tag.label;

-- name: many_items_tags
-- params: {"kind": 3}
SELECT many_item.id, many.label, tag.label FROM many_item JOIN many ON many.id = many_item.many_id JOIN tag ON tag.id = many_item.tag_id WHERE many_item.kind = :kind;

-- name: tag_items
-- params: {"id": 17}
SELECT tag.label, many_item.amount FROM tag JOIN many_item ON many_item.tag_id = tag.id WHERE tag.id = :id;

-- name: deep_page
-- params: {"id": 17}
SELECT deep.label, deep_part.label, deep_item.label, deep_item.amount FROM deep JOIN deep_part ON deep_part.deep_id = deep.id JOIN deep_item ON deep_item.part_id = deep_part.id WHERE deep.id = :id;

-- name: deep_parts
-- params: {"id": 18}
SELECT deep.label, deep_part.label FROM deep JOIN deep_part ON deep_part.deep_id = deep.id WHERE deep.id = :id;

-- name: deep_totals
SELECT deep.ten, SUM(deep_item.amount) AS total FROM deep JOIN deep_part ON deep_part.deep_id = deep.id JOIN deep_item ON deep_item.part_id = deep_part.id GROUP BY deep.ten;

-- name: deep_item_point
-- params: {"id": 3333}
SELECT deep_item.amount, deep_part.label FROM deep_item JOIN deep_part ON deep_part.id = deep_item.part_id WHERE deep_item.id = :id;

-- name: deep_items_kind
-- params: {"kind": 3}
SELECT COUNT(*) FROM deep_item WHERE kind = :kind;

-- name: tag_computed
-- params: {"kind": 3}
SELECT many_item.id, t.a FROM many_item LEFT JOIN (SELECT id, ten * 2 + 1 AS a FROM tag) t ON t.id = many_item.tag_id WHERE many_item.kind = :kind;

-- name: tag_cases
-- params: {"kind": 4}
SELECT many_item.id, t.a, t.b
FROM many_item LEFT JOIN (
  SELECT
    id, CASE WHEN ten > 6 AND ten < 9 THEN 'high' WHEN ten > 3 OR label = 'saw' THEN 'middle' ELSE 'low' END AS a,
    CASE WHEN ten * 2 > 7 AND ten < 8 THEN 'high' WHEN ten + 1 > 3 OR label = 'oak' THEN 'middle' ELSE 'low' END AS b
  FROM tag
) t ON t.id = many_item.tag_id
WHERE many_item.kind = :kind;

-- name: few_counted
-- params: {"ten": 3}
SELECT few.label, (SELECT COUNT(*) FROM few_item WHERE few_item.few_id = few.id AND few_item.amount > few.ten * 50) AS counted
FROM few WHERE few.ten = :ten;

-- name: many_counted
-- params: {"value": 500}
SELECT many.label, (
  SELECT COUNT(*) FROM many_item
  WHERE many_item.many_id = many.id AND many_item.amount > many.ten * 10 AND many_item.amount < :value * 2
) AS counted FROM many;

-- name: tags_items
-- params: {"ten": 3}
SELECT tag.label, many_item.amount FROM tag LEFT JOIN many_item ON many_item.tag_id = tag.id AND many_item.kind > 2 WHERE tag.ten = :ten;
