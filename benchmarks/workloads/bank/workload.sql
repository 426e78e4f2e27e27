-- name: balance, rate: 15/s
SELECT s.balance, c.balance FROM account a JOIN savings s ON s.account_id = a.account_id
JOIN checking c ON c.account_id = a.account_id WHERE a.name = :name;

-- name: deposit, rate: 15/s
-- params: {"amount": 12.5}
UPDATE checking SET balance = balance + :amount WHERE account_id = :account;

-- name: save, rate: 15/s
-- params: {"amount": 12.5}
UPDATE savings SET balance = balance + :amount WHERE account_id = :account;

-- name: amalgamate_read, rate: 15/s
SELECT s.balance, c.balance FROM savings s JOIN checking c ON c.account_id = s.account_id WHERE s.account_id = :account;

-- name: find_account, rate: 55/s
SELECT account_id FROM account WHERE name = :name;

-- name: record_transfer, rate: 25/s
INSERT INTO transfer (transfer_id, account_id, amount, made, note) VALUES (:transfer, :account, :amount, :at, :note);

-- name: statement, rate: 20/s
SELECT amount, made, note FROM transfer WHERE account_id = :account ORDER BY made DESC LIMIT 10;
