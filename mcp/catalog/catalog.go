// Package catalog gets the lists that a server sends to clients in each revision of the protocol. [Of] returns the
// [Answers] of a [Server]; programs can call it to compare releases. [Main] and [Entry] are for the program that the
// command mcpgen catalog builds.
package catalog

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/transport"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// Answers are the results of initialize or server/discover and of the list methods, by method. A list is an array with
// the result of each page, without the cursors, which are sealed. Methods that the server does not offer are absent.
type Answers map[string]json.RawMessage

// Server is an [mcp.Server] or a generated server.
type Server interface {
	Serve(ctx context.Context, c transport.Conn) error
}

var _ Server = (*mcp.Server)(nil)

// lists are the methods that answer in pages.
var lists = []string{
	protocol.MethodResourcesList, protocol.MethodResourcesTemplatesList, protocol.MethodToolsList,
	protocol.MethodPromptsList, "events/list",
}

// Of returns the answers of srv to a client of rev. It fails if a request fails or if ctx ends.
func Of(ctx context.Context, srv Server, rev protocol.Revision) (Answers, error) {
	conn, far := transport.Pipe(nil)
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = srv.Serve(ctx, far) // requests fail if it returns too early
	}()
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	c := &client{conn: conn, rev: rev, modern: !protocol.HasMethod(rev, protocol.MethodInitialize)}
	out, err := c.lookAround()
	stop()
	_ = conn.Close()
	<-served
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return out, err
}

// client asks a server for its lists, in one revision.
type client struct {
	conn   transport.Conn
	rev    protocol.Revision
	modern bool
	id     int64
}

func (c *client) lookAround() (Answers, error) {
	out := Answers{}
	hello := protocol.MethodServerDiscover
	if !c.modern {
		hello = protocol.MethodInitialize
	}
	result, err := c.ask(hello, "")
	if err != nil {
		return nil, err
	}
	out[hello] = result
	if !c.modern {
		note := append(wire.AppendNotification(nil, protocol.MethodNotificationsInitialized), "{}}"...)
		if err := c.conn.WriteMessage(note); err != nil {
			return nil, err
		}
	}
	for _, method := range lists {
		pages, err := c.pages(method)
		if err != nil {
			return nil, err
		}
		if pages != nil {
			out[method] = pages
		}
	}
	return out, nil
}

// pages returns all pages of a list as one array; nil if the server does not have the list.
func (c *client) pages(method string) (json.RawMessage, error) {
	pages := []map[string]json.RawMessage{}
	for cursor, first := "", true; first || cursor != ""; first = false {
		result, err := c.ask(method, cursor)
		var refused *wire.Error
		if errors.As(err, &refused) && refused.Code == wire.CodeMethodNotFound {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		var page map[string]json.RawMessage
		if err := json.Unmarshal(result, &page); err != nil {
			return nil, err
		}
		cursor = ""
		if text, ok := page["nextCursor"]; ok {
			if err := json.Unmarshal(text, &cursor); err != nil {
				return nil, err
			}
			delete(page, "nextCursor")
		}
		pages = append(pages, page)
	}
	return json.Marshal(pages)
}

// ask sends one request and returns its result. If the response is an error, ask returns an error that wraps a
// *wire.Error.
func (c *client) ask(method, cursor string) (json.RawMessage, error) {
	c.id++
	id := wire.NumberID(c.id)
	msg := append(c.params(wire.AppendRequest(nil, id, method), method, cursor), '}')
	if err := c.conn.WriteMessage(msg); err != nil {
		return nil, err
	}
	for {
		answer, err := c.conn.ReadMessage(nil)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", method, err)
		}
		m, bad := wire.ParseMessage(answer, wire.Limits{})
		switch {
		case bad != nil:
			return nil, bad
		case !m.IsResponse() || m.ID.Raw() != id.Raw():
			continue
		case m.Error == nil:
			return bytes.Clone(m.Result), nil
		}
		e := new(wire.Error)
		d := wire.NewDecoder(m.Error)
		e.DecodeJSON(&d)
		return nil, fmt.Errorf("%s: %w", method, e)
	}
}

// params appends the params of a request. A cursor of "" stands for the first page.
func (c *client) params(b []byte, method, cursor string) []byte {
	me := protocol.Implementation{Name: "catalog", Version: "1"}
	if method == protocol.MethodInitialize {
		p := protocol.InitializeRequestParams{ProtocolVersion: c.rev.String(), ClientInfo: me}
		return p.AppendJSON(b, c.rev)
	}
	b = append(b, '{')
	if c.modern {
		meta := protocol.RequestMetaObject{ProtocolVersion: c.rev.String(),
			ClientCapabilities: &protocol.ClientCapabilities{}, ClientInfo: &me}
		b = append(meta.AppendJSON(append(b, `"_meta":`...), c.rev), ',')
	}
	if cursor != "" {
		b = append(wire.AppendString(append(b, `"cursor":`...), cursor), ',')
	}
	return wire.EndObject(b)
}

// Entry is a server of a package, for [Main].
type Entry struct {
	// Package is the import path, and Name the name of the server.
	Package, Name string
	// New returns the server.
	New func() (Server, error)
}

// Main is the program that mcpgen catalog builds. It writes the answers of all servers to the file args[0]. The other
// arguments name the revisions; without them, Main writes the answers in all revisions. It returns the exit status.
func Main(ctx context.Context, args []string, entries []Entry) int {
	if err := run(ctx, args, entries); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// record is one server in the output.
type record struct {
	Package   string             `json:"package"`
	Server    string             `json:"server"`
	Revisions map[string]Answers `json:"revisions"`
}

func run(ctx context.Context, args []string, entries []Entry) error {
	if len(args) == 0 {
		return errors.New("catalog: no file to write to")
	}
	revisions, err := named(args[1:])
	if err != nil {
		return err
	}
	out := []record{}
	for _, e := range entries {
		srv, err := e.New()
		if err != nil {
			return fmt.Errorf("%s: server %s: %w", e.Package, e.Name, err)
		}
		r := record{Package: e.Package, Server: e.Name, Revisions: map[string]Answers{}}
		for _, rev := range revisions {
			answers, err := Of(ctx, srv, rev)
			if err != nil {
				return fmt.Errorf("%s: server %s in %s: %w", e.Package, e.Name, rev, err)
			}
			r.Revisions[rev.String()] = answers
		}
		out = append(out, r)
	}
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(out); err != nil {
		return err
	}
	return os.WriteFile(args[0], text.Bytes(), 0o600)
}

func named(names []string) ([]protocol.Revision, error) {
	if len(names) == 0 {
		return mcp.Revisions(), nil
	}
	var out []protocol.Revision
	for _, name := range names {
		rev, ok := protocol.ParseRevision(name)
		if !ok || !slices.Contains(mcp.Revisions(), rev) {
			return nil, fmt.Errorf("%s is not a revision that servers offer: %v", name, mcp.Revisions())
		}
		out = append(out, rev)
	}
	return out, nil
}
