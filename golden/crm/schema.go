package crm

import (
	"context"
	"database/sql"
	"iter"

	"github.com/mcpgen/mcpgen/mcp"
)

// Column is a column of a table.
type Column struct {
	Name string `json:"name"`
	// Type is as the schema writes it, such as INTEGER.
	Type     string `json:"type"`
	Nullable bool   `json:"nullable"`
	// Default is an SQL expression; absent if there is none.
	Default string `json:"default,omitempty"`
	// Key is the place in the primary key, from 1; 0 outside of it.
	Key int `json:"key,omitempty"`
}

// TableSchema says what a table is made of.
type TableSchema struct {
	Table   string   `json:"table"`
	Columns []Column `json:"columns"`
	// References are the tables that foreign keys lead to.
	References []string `json:"references,omitempty"`
}

// Tables returns the names of all tables and the version of the schema.
//
//mcp:resource uri=schema:///tables name=tables
func (db *DB) Tables(ctx context.Context) (map[string]any, error) {
	tables, err := db.tables(ctx)
	if err != nil {
		return nil, err
	}
	var version int
	err = db.sql.QueryRowContext(ctx, `PRAGMA user_version`).Scan(&version)
	return map[string]any{"tables": tables, "version": version}, err
}

// Table returns the columns of a table.
//
//mcp:resource uri=schema:///tables/{table}
//mcp:var table complete=list
func (db *DB) Table(ctx context.Context, table string) (*TableSchema, error) {
	t := &TableSchema{Table: table}
	err := db.each(ctx, func(rows *sql.Rows) error {
		var c Column
		var standard sql.NullString
		if err := rows.Scan(&c.Name, &c.Type, &c.Nullable, &standard, &c.Key); err != nil {
			return err
		}
		c.Default = standard.String
		t.Columns = append(t.Columns, c)
		return nil
	}, `SELECT name, type, NOT "notnull", dflt_value, pk FROM pragma_table_info(?) ORDER BY cid`, table)
	if err != nil {
		return nil, err
	}
	if t.Columns == nil {
		return nil, mcp.ErrNotFound
	}
	t.References, err = db.texts(ctx, `SELECT DISTINCT "table" FROM pragma_foreign_key_list(?) ORDER BY 1`, table)
	return t, err
}

// ListTables lists the tables by name.
//
//mcp:list of=Table
func (db *DB) ListTables(ctx context.Context) iter.Seq2[TableRef, error] {
	return func(yield func(TableRef, error) bool) {
		tables, err := db.tables(ctx)
		if err != nil {
			yield(TableRef{}, err)
			return
		}
		for _, table := range tables {
			if !yield(TableRef{Table: table}, nil) {
				return
			}
		}
	}
}

// tables returns the sorted names of all tables.
func (db *DB) tables(ctx context.Context) ([]string, error) {
	return db.texts(ctx,
		`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\_%' ESCAPE '\' ORDER BY name`)
}

// texts returns the only column of a query.
func (db *DB) texts(ctx context.Context, query string, args ...any) ([]string, error) {
	var texts []string
	err := db.each(ctx, func(rows *sql.Rows) error {
		texts = append(texts, "")
		return rows.Scan(&texts[len(texts)-1])
	}, query, args...)
	return texts, err
}
