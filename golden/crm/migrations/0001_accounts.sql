CREATE TABLE accounts (
	region  TEXT NOT NULL CHECK (region IN ('emea', 'amer', 'apac')),
	id      INTEGER NOT NULL CHECK (id > 0),
	name    TEXT NOT NULL,
	owner   TEXT NOT NULL DEFAULT '',
	PRIMARY KEY (region, id)
) WITHOUT ROWID;
