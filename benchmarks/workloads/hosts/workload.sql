-- name: log, rate: 400/s
INSERT INTO log_line (line_id, host_id, at, severity, program, message) VALUES (:line, :host, :at, :severity, :program, :message);

-- name: tail, rate: 60/s
SELECT l.at, l.severity, l.message, h.name FROM log_line l JOIN host h ON h.host_id = l.host_id
WHERE l.host_id = :host ORDER BY l.at DESC LIMIT 50;

-- name: host_page, rate: 60/s
SELECT h.name, h.address, h.os, c.name FROM host h JOIN cluster c ON c.cluster_id = h.cluster_id WHERE h.host_id = :host;

-- name: cluster_hosts, rate: 20/s
SELECT c.name, h.name, h.address FROM cluster c JOIN host h ON h.cluster_id = c.cluster_id WHERE c.cluster_id = :cluster;

-- name: severe, rate: 10/s
SELECT at, program, message FROM log_line WHERE host_id = :host AND severity = :severity ORDER BY at DESC LIMIT 20;

-- name: by_severity, rate: 1/s
SELECT severity, COUNT(*) FROM log_line WHERE host_id = :host GROUP BY severity;

-- name: move_host, rate: 1/hour
UPDATE host SET address = :address WHERE host_id = :host;
