package feature

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/mcp/stats"
)

// Attach calls the attach function of each extension that has one, and replaces its declaration by the result. It is
// called once the server is made, but before it is connected to its replicas. Close undoes it.
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

// Close ends what extensions have begun in Attach. Together they have the time grace for that.
func (x *DeclaredExtensions) Close(grace time.Duration) {
	ctx, stop := context.WithTimeout(context.Background(), grace)
	defer stop()
	for _, d := range x.list {
		if d.attached.Close != nil {
			d.attached.Close(ctx)
		}
	}
}

// Signal passes a text of another replica to the extension that it is for; "" goes to all.
func (x *DeclaredExtensions) Signal(text string) {
	for _, d := range x.list {
		if of, found := strings.CutPrefix(text, d.id+" "); d.attached.Signal != nil && (found || text == "") {
			d.attached.Signal(of)
		}
	}
}

// HearUpdates reports whether an extension wants to know of updates of resources, and Updated tells those that do.
func (x *DeclaredExtensions) HearUpdates() bool {
	return slices.ContainsFunc(x.list, func(d declaredExtension) bool { return d.attached.Updated != nil })
}

// Updated is called with the URI or template of a declared resource, the URI of what may have changed, and the subject
// whose call has caused it.
func (x *DeclaredExtensions) Updated(declared, uri, by string) {
	for _, d := range x.list {
		if d.attached.Updated != nil {
			d.attached.Updated(declared, uri, by)
		}
	}
}

// AddTo adds the numbers of the extensions to the statistics.
func (x *DeclaredExtensions) AddTo(out *stats.Snapshot) {
	for _, d := range x.list {
		if d.attached.AddTo != nil {
			d.attached.AddTo(out)
		}
	}
}
