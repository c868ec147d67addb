package desk

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp"
)

// Faq is what everybody asks.
//
//mcp:resource uri=desk:///faq mime=text/plain title="Questions and answers" tags=public
//mcp:annotate audience=user priority=0.5 modified=2026-01-31T12:00:00Z
//mcp:icon src=https://example.com/faq.png
//mcp:meta com.example/owner=office
const Faq = "Have you tried switching it off and on?"

// Lookup reads one of the files of the desk, and has none.
//
//mcp:resource uri=desk:///files/{name} list=none
func (d *Desk) Lookup(ctx context.Context, name string) (string, error) {
	return "", mcp.ErrNotFound
}

// Attachments shows everything that came with the tickets, in every form that content can have.
//
//mcp:tool title="Show attachments" readonly closed tags=public,staff
//mcp:icon src=https://example.com/clip.png
//mcp:meta com.example/owner=office
func (d *Desk) Attachments(ctx context.Context) ([]mcp.Block, error) {
	important := 1.0
	return []mcp.Block{
		mcp.TextBlock("A photo, a call, a log and a link."),
		&protocol.ImageContent{Data: d.Photo, MIMEType: "image/png", Annotations: &protocol.Annotations{
			Audience: []protocol.Role{protocol.RoleUser}, Priority: &important, LastModified: "2026-01-31T12:00:00Z",
		}},
		&protocol.AudioContent{Data: d.Call, MIMEType: "audio/wav"},
		&protocol.EmbeddedResource{Resource: &protocol.TextResourceContents{
			URI: "tickets:///OPS/1", MIMEType: "text/plain", Text: "It does not print.",
		}},
		theLog,
		mcp.LinkTo("tickets:///OPS/12", "Door"),
	}, nil
}

// Picture shows the photo alone.
//
//mcp:tool readonly
func (d *Desk) Picture(ctx context.Context) (mcp.Block, error) {
	if len(d.Photo) == 0 {
		return nil, mcp.Errorf("there is no photo")
	}
	return &protocol.ImageContent{Data: d.Photo, MIMEType: "image/png"}, nil
}

// Count is how many tickets there are.
type Count struct {
	Open int `json:"open"`
	Done int `json:"done"`
}

// CountTickets counts the tickets.
//
//mcp:tool readonly idempotent
func (d *Desk) CountTickets(ctx context.Context) (Count, error) {
	var c Count
	for _, t := range d.Tickets {
		if t.Open {
			c.Open++
		} else {
			c.Done++
		}
	}
	return c, nil
}

// Query finds tickets by their fields. It takes what a program made, so its schema is written by hand.
//
//mcp:tool name=desk.query schema=@query.json destructive=false open
func (d *Desk) Query(ctx context.Context, in json.RawMessage) (mcp.ToolResult, error) {
	var q struct{ Where map[string]any }
	if err := json.Unmarshal(in, &q); err != nil || q.Where == nil {
		return mcp.ToolResult{}, mcp.Errorf("want an object with the member where")
	}
	titles := []string{}
	for _, t := range d.Tickets {
		fields := map[string]any{"project": t.Project, "number": float64(t.Number), "open": t.Open}
		fits := true
		for name, want := range q.Where {
			fits = fits && fields[name] == want
		}
		if fits {
			titles = append(titles, t.Title)
		}
	}
	found, err := json.Marshal(titles)
	r := mcp.ToolText(strings.Join(titles, ", "))
	r.Structured, r.IsError = found, len(titles) == 0
	return r, err
}

// Purge forgets all tickets that are done. It takes care of nothing else.
//
//mcp:tool destructive idempotent closed tags=staff,danger
//mcp:toggle
func (d *Desk) Purge(ctx context.Context) error {
	return mcp.Errorf("nobody may purge")
}
