package serve

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/mcpgen/mcpgen/golden/board"
	"github.com/mcpgen/mcpgen/golden/crm"
)

// Truth returns the texts that clients which read everything have to see, by URI.
func (s *State) Truth(ctx context.Context) (map[string]string, error) {
	out := make(map[string]string, 2*Accounts+Cards+People)
	put := func(uri string, v any, err error) error {
		if err != nil {
			return err
		}
		text, err := json.Marshal(v)
		out[uri] = string(text)
		return err
	}
	for n := int64(1); n <= Accounts; n++ {
		region, id := AccountKey(n)
		a, err := s.CRM.Get(ctx, region, id)
		if err := put(crm.AccountURI(region, id), a, err); err != nil {
			return nil, err
		}
		changes, err := s.CRM.History(ctx, region, id)
		if err := put(crm.HistoryURI(region, id), changes, err); err != nil {
			return nil, err
		}
	}
	for n := int64(1); n <= People; n++ {
		p, err := s.Get(ctx, "ops", n)
		if err := put(board.PersonURI("ops", n), p, err); err != nil {
			return nil, err
		}
	}
	for n := int64(1); n <= Cards; n++ {
		card, _, err := s.Card(ctx, CardKey(n))
		if err != nil {
			return nil, err
		}
		out[board.CardURI(card.Column, card.No)] = card.Body
	}
	return out, s.texts(ctx, out, "note", "notes")
}

// texts adds the texts of a table, whose URIs have this scheme.
func (s *State) texts(ctx context.Context, out map[string]string, scheme, table string) error {
	var id int64
	var text string
	row := func() { out[fmt.Sprintf("%s:///%d", scheme, id)] = text }
	return s.each(ctx, `SELECT id, text FROM `+table, nil, row, &id, &text)
}

// longest is how many lines the history of an account may have before it is cut to a quarter.
const longest = 32

// shorten removes old lines of a history that has become long: who reads it wants the newest line, and reads it often.
func (s *State) shorten(ctx context.Context, region crm.Region, id int64) error {
	var lines int
	err := s.sql.QueryRowContext(ctx, `SELECT count(*) FROM history WHERE region = ? AND id = ?`, region, id).Scan(&lines)
	if err != nil || lines < longest {
		return err
	}
	return s.exec(ctx, `DELETE FROM history WHERE region = ?1 AND id = ?2 AND rowid NOT IN
		(SELECT rowid FROM history WHERE region = ?1 AND id = ?2 ORDER BY rowid DESC LIMIT ?3)`, region, id, longest/4)
}
