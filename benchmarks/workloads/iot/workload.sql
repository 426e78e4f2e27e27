-- name: record, rate: 800/s
INSERT INTO reading (sensor_id, at, value, quality) VALUES (:sensor, :at, :value, :quality);

-- name: latest, rate: 40/s
SELECT at, value FROM reading WHERE sensor_id = :sensor ORDER BY at DESC LIMIT 10;

-- name: window, rate: 30/s
SELECT at, value FROM reading WHERE sensor_id = :sensor AND at >= :start AND at < :finish ORDER BY at;

-- name: average, rate: 20/s
SELECT AVG(value), MIN(value), MAX(value) FROM reading WHERE sensor_id = :sensor;

-- name: device_page, rate: 15/s
SELECT d.model, d.firmware, s.kind, s.unit FROM device d JOIN sensor s ON s.device_id = d.device_id WHERE d.device_id = :device;

-- name: site_devices, rate: 5/s
SELECT t.name, d.model, d.installed FROM site t JOIN device d ON d.site_id = t.site_id WHERE t.site_id = :site;

-- name: raise_alert, rate: 2/s
INSERT INTO alert (alert_id, sensor_id, raised, level, message) VALUES (:alert, :sensor, :at, :level, :message);

-- name: recent_alerts, rate: 8/s
SELECT a.raised, a.level, a.message, s.kind FROM alert a JOIN sensor s ON s.sensor_id = a.sensor_id
WHERE a.level = :level ORDER BY a.raised DESC LIMIT 20;

-- name: upgrade, rate: 10/hour
UPDATE device SET firmware = :firmware WHERE device_id = :device;
