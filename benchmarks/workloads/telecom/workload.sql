-- name: subscriber_data, rate: 35/s
SELECT number, bits, bytes, msc, vlr FROM subscriber WHERE s_id = :s;

-- name: access_data, rate: 35/s
SELECT data1, data2, data3, data4 FROM access_info WHERE s_id = :s AND ai_type = :type;

-- name: new_destination, rate: 10/s
-- params: {"at": 8, "active": 1}
SELECT c.number FROM facility f JOIN forwarding c ON c.s_id = f.s_id AND c.sf_type = f.sf_type
WHERE f.s_id = :s AND f.sf_type = :type AND f.active = :active AND c.ends > :at;

-- name: update_data, rate: 2/s
UPDATE facility SET data_a = :data WHERE s_id = :s AND sf_type = :type;

-- name: update_location, rate: 14/s
UPDATE subscriber SET vlr = :vlr WHERE number = :number;

-- name: add_forwarding, rate: 2/s
INSERT INTO forwarding (s_id, sf_type, starts, ends, number) VALUES (:s, :type, :starts, :ends, :number);

-- name: remove_forwarding, rate: 2/s
DELETE FROM forwarding WHERE s_id = :s AND sf_type = :type AND starts = :starts;
