ALTER TABLE accounts ADD COLUMN changed INTEGER NOT NULL DEFAULT 0; -- milliseconds since 1970

CREATE TABLE history (
	region    TEXT NOT NULL,
	id        INTEGER NOT NULL,
	at        INTEGER NOT NULL,
	old_owner TEXT NOT NULL,
	new_owner TEXT NOT NULL,
	FOREIGN KEY (region, id) REFERENCES accounts (region, id) ON DELETE CASCADE
);

CREATE INDEX history_of_account ON history (region, id, at);
