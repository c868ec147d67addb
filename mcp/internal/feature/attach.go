package feature

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/mcp/event"
	"github.com/mcpgen/mcpgen/mcp/internal/access"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/seal"
	"github.com/mcpgen/mcpgen/mcp/stats"
)

// Host is a server, as an extension sees it that is attached to it.
type Host struct {
	Name   string
	Events event.Settings
	Log    *slog.Logger
	Seal   *seal.Box
	// Conn is one of what no client asks for.
	Conn *call.Conn
	// LastingKeys is false if the keys of Seal end with the process.
	LastingKeys func() bool
	// Stopping is closed when the server begins to close.
	Stopping <-chan struct{}
	// Note tells the other replicas a text; nil for a server without a bus of its own.
	Note func(text string)
	// OnlyTags and ExceptTags are those of the options.
	OnlyTags, ExceptTags []string
}

// Offers reports whether the options of the server offer what has these tags.
func (h *Host) Offers(tags []string) bool {
	var p RevisionRange
	(&tagFilter{only: h.OnlyTags, except: h.ExceptTags, known: map[string]bool{}}).choose(tags, &p)
	return !p.Off
}

// Attachment is what an extension does while a server has it. Nil functions do nothing.
type Attachment struct {
	// Signal is called with what [Host].Note was called with in another replica, or "" if some may have been missed. It
	// does not block.
	Signal func(text string)
	// AddTo adds what was counted.
	AddTo func(out *stats.Snapshot)
	// Close ends what Attach has begun, after requests have ended or their time was over.
	Close func(ctx context.Context)
}

// Guarded is a feature that an extension has besides its methods, which ask about it.
type Guarded struct {
	Name  string
	Tags  []string
	Guard *access.Guard
}

// Attach tells the extensions of a server, which is complete but for its replicas.
func (x *DeclaredExtensions) Attach(of Host) error {
	note := of.Note
	for i, d := range x.list {
		if d.attach == nil {
			continue
		}
		h := of
		if note != nil {
			h.Note = func(text string) { note(d.id + " " + text) }
		}
		e, a, err := d.attach(&h)
		if err == nil {
			err = x.put(i, &e)
		}
		if err != nil {
			return err
		}
		x.list[i].attached = a
	}
	return nil
}

// Close ends what Attach has begun.
func (x *DeclaredExtensions) Close(grace time.Duration) {
	ctx, stop := context.WithTimeout(context.Background(), grace)
	defer stop()
	for _, d := range x.list {
		if d.attached.Close != nil {
			d.attached.Close(ctx)
		}
	}
}

// Signal gives a text of another replica to the extension that it is for, or "" to all.
func (x *DeclaredExtensions) Signal(text string) {
	for _, d := range x.list {
		if of, found := strings.CutPrefix(text, d.id+" "); d.attached.Signal != nil && (found || text == "") {
			d.attached.Signal(of)
		}
	}
}

// AddTo adds what the extensions have counted.
func (x *DeclaredExtensions) AddTo(out *stats.Snapshot) {
	for _, d := range x.list {
		if d.attached.AddTo != nil {
			d.attached.AddTo(out)
		}
	}
}
