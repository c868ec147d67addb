package feature

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/mcp/stats"
)

// Attach calls the attach function of each extension that has one, and replaces its declaration by the result. It is
// called once the server is made, but before it is connected to its replicas. It stops at the first error. Close undoes
// it.
func (x *DeclaredExtensions) Attach(host Host) error {
	note := host.Note
	for i, d := range x.list {
		if d.attach == nil {
			continue
		}
		h := host
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

// Updated tells the extensions that the resource at uri may have changed. declared is the URI or template of its
// declaration, and subject that of the call that has caused the change; "" for none.
func (x *DeclaredExtensions) Updated(declared, uri, subject string) {
	for _, d := range x.list {
		if d.attached.Updated != nil {
			d.attached.Updated(declared, uri, subject)
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
