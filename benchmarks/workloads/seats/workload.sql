-- name: find_flights, rate: 10/s
SELECT f.flight_id, f.departs, f.price, f.left, a.name FROM flight f JOIN airline a ON a.airline_id = f.airline_id
WHERE f.from_id = :start AND f.to_id = :finish ORDER BY f.departs;

-- name: flight_page, rate: 20/s
SELECT f.departs, f.price, f.left, a.name, d.code, r.code FROM flight f JOIN airline a ON a.airline_id = f.airline_id
JOIN airport d ON d.airport_id = f.from_id JOIN airport r ON r.airport_id = f.to_id WHERE f.flight_id = :flight;

-- name: taken_seats, rate: 35/s
SELECT seat FROM reservation WHERE flight_id = :flight;

-- name: my_trips, rate: 10/s
SELECT r.seat, r.paid, f.departs FROM reservation r JOIN flight f ON f.flight_id = r.flight_id WHERE r.traveller_id = :traveller;

-- name: reserve, rate: 20/s
INSERT INTO reservation (reservation_id, flight_id, traveller_id, seat, paid) VALUES (:reservation, :flight, :traveller, :seat, :paid);

-- name: count_down, rate: 20/s
UPDATE flight SET left = left - 1 WHERE flight_id = :flight;

-- name: change_seat, rate: 15/s
UPDATE reservation SET seat = :seat WHERE reservation_id = :reservation;

-- name: cancel, rate: 5/s
DELETE FROM reservation WHERE reservation_id = :reservation;

-- name: pay_back, rate: 10/s
-- params: {"amount": 25.5}
UPDATE traveller SET balance = balance + :amount WHERE traveller_id = :traveller;
