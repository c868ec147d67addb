package gen

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/mcpgen/mcpgen/internal/diag"
	"github.com/mcpgen/mcpgen/internal/eventrecord"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/output"
)

// recordEvents compares the events of each package with the record beside it, and returns the records as they should
// be. It sets in each event how often subscribers could not follow a change. After errors it does nothing, because
// events may be missing.
func recordEvents(built []builtPackage, accept bool, diags *diag.List) (files []output.File, err error) {
	if diags.HasErrors() {
		return nil, nil
	}
	for _, p := range built {
		path := filepath.Join(p.Dir, eventrecord.Name)
		events := eventsOf(p.ir)
		if len(events) == 0 {
			continue
		}
		record := eventrecord.Record{}
		old, err := os.ReadFile(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			diags.Add(noRecord(events[0].Event))
		case err != nil:
			return nil, err
		default:
			if record, err = eventrecord.Read(old); err != nil {
				diags.Add(badRecord(path, err))
				continue
			}
		}
		for _, e := range events {
			if err := recordEvent(record, e, accept, diags); err != nil {
				return nil, err
			}
		}
		data, err := record.Bytes()
		if err != nil {
			return nil, err
		}
		files = append(files, output.File{Path: path, Data: data, Plain: true})
	}
	return files, nil
}

// serverEvent is an event and the name of its server.
type serverEvent struct {
	*ir.Event
	server string
}

// eventsOf returns the events of a package whose payloads are known.
func eventsOf(p *ir.GoPackage) (events []serverEvent) {
	for _, s := range p.Servers {
		for _, e := range s.Events {
			events = append(events, serverEvent{e, s.Name})
		}
	}
	return events
}

// recordEvent adds an event to a record, or reports a change that its subscribers cannot follow.
func recordEvent(record eventrecord.Record, e serverEvent, accept bool, diags *diag.List) error {
	now, breaks, err := record.Add(e.server, e.Name, e.Arguments, e.Payload, accept)
	if err != nil {
		return err
	}
	e.Schema, e.InputOnly = now.Schema, now.InputOnly
	for _, what := range breaks {
		d := diag.New("MCP625", e.Pos, "subscribers of `%s` cannot follow a change: %s", e.Name, what)
		d.Fix = "add members instead, or give the changed event another name; mcpgen -accept ends their subscriptions"
		diags.Add(d)
	}
	return nil
}

// noRecord says that there is no record yet.
func noRecord(first *ir.Event) diag.Diagnostic {
	d := diag.New("MCP626", first.Pos, "there is no %s yet, so any change of an event is accepted", eventrecord.Name)
	d.Fix = fmt.Sprintf("commit the %s that mcpgen writes", eventrecord.Name)
	return d
}

// badRecord says that a record cannot be read.
func badRecord(path string, err error) diag.Diagnostic {
	d := diag.New("MCP625", diag.Pos{File: path, Line: 1, Col: 1}, "the record of events cannot be read: %v", err)
	d.Fix = "take it from the history of the repository"
	return d
}
