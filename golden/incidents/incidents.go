// Package incidents is an example server with events: clients hear of incidents that are opened and closed, by polling,
// on a stream or at a webhook.
//
//mcp:server name=incidents version=1.0.0
package incidents

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
)

//go:generate go run github.com/mcpgen/mcpgen/cmd/mcpgen

// Severity says how bad an incident is.
//
//mcp:enum
type Severity string

// The severities.
const (
	Low      Severity = "low"
	High     Severity = "high"
	Critical Severity = "critical"
)

// IncidentOpened says that an incident was opened.
//
//mcp:event modes=poll,push,webhook args=IncidentFilter id=ID time=Opened retain=1h keep=10000
type IncidentOpened struct {
	ID       string    `json:"id"`
	Opened   time.Time `json:"opened"`
	Service  string    `json:"service"`
	Severity Severity  `json:"severity"`
	Title    string    `json:"title"`
}

// IncidentFilter says of which incidents to hear.
type IncidentFilter struct {
	// Service is the only one to hear of.
	Service string `json:"service,omitempty"`
	// Severity is the only one to hear of.
	Severity Severity `json:"severity,omitempty"`
}

// IncidentClosed says that an incident was closed.
//
//mcp:event title="An incident was closed" args=ClosedFilter id=ID
//mcp:access scopes=incidents.closed
//mcp:toggle
type IncidentClosed struct {
	ID       string   `json:"id"`
	Service  string   `json:"service"`
	Severity Severity `json:"severity"`
	// Minutes is how long it was open.
	Minutes int `json:"minutes"`
	// Report is for the subject that opened the incident.
	Report string `json:"report,omitempty"`
	// OpenedBy is the subject that opened it.
	OpenedBy string `json:"openedBy"`
}

// ClosedFilter says of which closed incidents to hear.
type ClosedFilter struct {
	// AtLeast is the lowest severity to hear of.
	AtLeast Severity `json:"atLeast" jsonschema:"default=low"`
}

// Ops has the incidents. Its methods are safe for concurrent use.
type Ops struct {
	// Opened and Closed publish events, once the server is there.
	Opened func(context.Context, *IncidentOpened) error
	Closed func(context.Context, *IncidentClosed) error
	// Now is the clock.
	Now func() time.Time

	mu   sync.Mutex
	open map[string]incident
}

// incident is one that is open.
type incident struct {
	IncidentOpened
	by string
}

// NewOps returns no incidents.
func NewOps() *Ops { return &Ops{Now: time.Now, open: map[string]incident{}} }

// New returns a server of the incidents of ops.
func New(ops *Ops, opts *mcp.Options) (*IncidentsServer, error) {
	srv, err := NewIncidentsServer(IncidentsImpl{Ops: ops}, opts)
	if err != nil {
		return nil, err
	}
	ops.Opened, ops.Closed = srv.CommitIncidentOpened, srv.PublishIncidentClosed
	return srv, nil
}

// Incident is what a tool answers.
type Incident struct {
	ID string `json:"id"`
}

// OpenIncidents are the incidents that are open, oldest first.
//
//mcp:resource uri=incidents:///open subscribe event
func (o *Ops) OpenIncidents(context.Context) ([]IncidentOpened, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	list := []IncidentOpened{}
	for _, x := range o.open {
		list = append(list, x.IncidentOpened)
	}
	slices.SortFunc(list, func(a, b IncidentOpened) int { return a.Opened.Compare(b.Opened) })
	return list, nil
}

// Opening says what is wrong.
type Opening struct {
	Service  string   `json:"service" jsonschema:"minLength=1"`
	Severity Severity `json:"severity"`
	Title    string   `json:"title"`
}

// OpenIncident opens an incident, and returns when all who asked for it will hear of it.
//
//mcp:tool updates=incidents:///open
func (o *Ops) OpenIncident(ctx context.Context, in Opening, who mcp.Caller) (Incident, error) {
	o.mu.Lock()
	e := IncidentOpened{
		ID:     "incident-" + rand.Text(), // a lasting log has the ids from before a restart, and takes none twice
		Opened: o.Now(), Service: in.Service, Severity: in.Severity, Title: in.Title,
	}
	o.open[e.ID] = incident{e, who.Subject}
	o.mu.Unlock()
	return Incident{e.ID}, o.Opened(ctx, &e)
}

// Closing says what was wrong.
type Closing struct {
	ID     string `json:"id"`
	Report string `json:"report,omitempty"`
}

// CloseIncident closes an incident.
//
//mcp:tool updates=incidents:///open
func (o *Ops) CloseIncident(ctx context.Context, in Closing) error {
	o.mu.Lock()
	x, ok := o.open[in.ID]
	delete(o.open, in.ID)
	o.mu.Unlock()
	if !ok {
		return mcp.Public(errors.New("no incident with this id is open"))
	}
	return o.Closed(ctx, &IncidentClosed{
		ID: x.ID, Service: x.Service, Severity: x.Severity, Minutes: int(o.Now().Sub(x.Opened).Minutes()),
		Report: in.Report, OpenedBy: x.by,
	})
}

// Worse says which closed incidents are as bad as a subscriber wants them.
//
//mcp:match of=IncidentClosed
func (o *Ops) Worse(f ClosedFilter, e *IncidentClosed) bool {
	return rank(e.Severity) >= rank(f.AtLeast)
}

// rank orders severities.
func rank(s Severity) int { return map[Severity]int{Low: 1, High: 2, Critical: 3}[s] }

// OwnReport leaves out reports of incidents that others have opened.
//
//mcp:shape of=IncidentClosed
func OwnReport(who mcp.Caller, _ ClosedFilter, e *IncidentClosed) IncidentClosed {
	out := *e
	if out.OpenedBy != who.Subject {
		out.Report = ""
	}
	return out
}
