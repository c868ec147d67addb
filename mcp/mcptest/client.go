package mcptest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp"
	_ "github.com/mcpgen/mcpgen/mcp/keys" // servers that are tested may have Options.Keys
	"github.com/mcpgen/mcpgen/mcp/transport"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// Server is a server under test: an mcp.Server or a generated server.
type Server interface {
	Serve(ctx context.Context, c transport.Conn) error
}

// Option configures a client.
type Option func(*Client)

// WithRevision sets the revision of the client; the default is the newest revision that servers offer.
func WithRevision(r protocol.Revision) Option { return func(c *Client) { c.rev = r } }

// endsWithin is how long a server may take to end once its client has gone, if that is more than the timeout.
const endsWithin = time.Minute

// WithTimeout sets how long the client waits for one message; the default is 10 seconds.
func WithTimeout(d time.Duration) Option { return func(c *Client) { c.timeout = d } }

// WithCaller sets the caller of all requests, as an authenticating transport does; the default is an anonymous caller.
func WithCaller(who mcp.Caller) Option { return func(c *Client) { c.caller = &who } }

// Client is one connection to a server under test. Its methods may be called from the goroutine of the test only. A
// subtest runs on another goroutine and needs another client, which may be one of the same server.
type Client struct {
	t       testing.TB
	conn    transport.Conn
	rev     protocol.Revision
	modern  bool
	timeout time.Duration
	caller  *mcp.Caller // nil for that of the server's options
	settle  func()      // called before each message of the test
	nextID  int64
	says    answers
	served  chan error
	read    chan struct{} // closed when the reader has ended

	mu         sync.Mutex
	transcript []string
	answers    map[string]chan wire.Message // for the responses to open requests, by the JSON of their ids
	subs       []*Subscription
	reports    []protocol.ProgressNotificationParams
	logs       []protocol.LoggingMessageNotificationParams
}

// New starts srv, connects a client to it and, in revisions with a handshake, sends initialize. The connection ends
// with the test.
func New(t testing.TB, srv Server, opts ...Option) *Client {
	t.Helper()
	client, server := transport.Pipe(nil)
	c := &Client{
		t: t, conn: client, rev: slices.Max(mcp.Revisions()), timeout: 10 * time.Second,
		settle: func() {}, served: make(chan error, 1), read: make(chan struct{}), answers: map[string]chan wire.Message{},
	}
	for _, opt := range opts {
		opt(c)
	}
	c.modern = !protocol.HasMethod(c.rev, protocol.MethodInitialize)
	ctx := context.Background()
	if c.caller != nil {
		ctx = mcp.WithCaller(ctx, *c.caller)
	}
	go func() { c.served <- srv.Serve(ctx, server) }()
	go c.readLoop()
	t.Cleanup(c.close)
	if !c.modern {
		c.initialize()
	}
	return c
}

// close ends the connection and waits for the server.
func (c *Client) close() {
	_ = c.conn.Close()
	<-c.read
	select {
	case err := <-c.served:
		if err != nil && !errors.Is(err, io.ErrClosedPipe) { // the server may have been writing
			c.t.Errorf("mcptest: Serve: %v", err)
		}
	case <-time.After(max(c.timeout, endsWithin)):
		c.t.Errorf("mcptest: the server did not end with its connection")
	}
}

func (c *Client) initialize() {
	c.t.Helper()
	c.call(protocol.MethodInitialize, &protocol.InitializeRequestParams{
		ProtocolVersion: c.rev.String(),
		Capabilities:    c.says.capabilities(c.rev),
		ClientInfo:      protocol.Implementation{Name: "mcptest", Version: "1"},
	}, new(protocol.InitializeResult))
	c.Notify(protocol.MethodNotificationsInitialized, nil)
	if level := c.says.logLevel; level != "" {
		c.call(protocol.MethodLoggingSetLevel, &protocol.SetLevelRequestParams{Level: level}, new(protocol.EmptyResult))
	}
}

// Do sends one request and returns its result as JSON, or its error. params is the text of a JSON object, or nil; the
// _meta of the revision is added. If the result asks for input and the client has answers, Do repeats the request with
// them until the result is complete. [CodeOf] tells the code of the error. Params that are not a JSON object end the
// test; [Client.Send] sends them.
func (c *Client) Do(method string, params json.RawMessage) (json.RawMessage, error) {
	c.t.Helper()
	if !isObject(params) && params != nil {
		c.fatalf("%s: the params are no JSON object: %s", method, params)
	}
	for range maxRounds {
		result, err := c.once(method, params)
		next := c.next(params, result)
		if next == nil {
			return result, err
		}
		params = next
	}
	c.fatalf("%s: the server asks for ever", method)
	return nil, nil
}

// CodeOf returns the code of a JSON-RPC error; 0 for any other one, and for nil.
func CodeOf(err error) int {
	if fault, ok := errors.AsType[*wire.Error](err); ok {
		return fault.Code
	}
	return 0
}

// once sends a request, and returns its result or its error, even if the result asks for input.
func (c *Client) once(method string, params json.RawMessage) (json.RawMessage, error) {
	c.t.Helper()
	c.settle()
	id, answer := c.newID()
	c.send(append(c.appendParams(wire.AppendRequest(nil, id, method), params, c.progressToken(id)), '}'))
	m := c.await(id, method, answer)
	if m.Error == nil {
		return m.Result, nil
	}
	e := new(wire.Error)
	d := wire.NewDecoder(m.Error)
	e.DecodeJSON(&d)
	return nil, e
}

// newID returns the next request id, and the channel that receives the response.
func (c *Client) newID() (wire.ID, chan wire.Message) {
	c.nextID++
	id, answer := wire.NumberID(c.nextID), make(chan wire.Message, 1)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.answers[id.Raw()] = answer
	return id, answer
}

func (c *Client) await(id wire.ID, method string, answer chan wire.Message) wire.Message {
	c.t.Helper()
	select {
	case m := <-answer:
		return m
	case <-c.read:
		c.fatalf("the server closed the connection before it answered %s", method)
	case <-time.After(c.timeout):
		c.fatalf("no answer to %s (id %s) within %v", method, id, c.timeout)
	}
	return wire.Message{}
}

// Notify sends a notification; params is the text of a JSON object, or nil.
func (c *Client) Notify(method string, params json.RawMessage) {
	c.t.Helper()
	c.settle()
	c.send(append(c.appendParams(wire.AppendNotification(nil, method), params, wire.ID{}), '}'))
}

// Send sends a message unchanged, also if it is not valid.
func (c *Client) Send(message string) {
	c.t.Helper()
	c.settle()
	c.send([]byte(message))
}

func (c *Client) send(msg []byte) {
	c.t.Helper()
	c.record("-> ", msg)
	if err := c.conn.WriteMessage(msg); err != nil {
		c.fatalf("send: %v", err)
	}
}

// appendParams appends params. Unless they have a _meta, it adds one: that of modern revisions, and the progress token
// unless that is zero.
func (c *Client) appendParams(b []byte, params json.RawMessage, token wire.ID) []byte {
	if params == nil {
		params = json.RawMessage("{}")
	}
	if _, ok := wire.Lookup(params, "_meta"); ok || !c.modern && token.IsZero() {
		return append(b, params...)
	}
	meta := protocol.RequestMetaObject{ProgressToken: token}
	if c.modern {
		meta.ProtocolVersion, meta.LogLevel = c.rev.String(), c.says.logLevel
		meta.ClientCapabilities = new(c.says.capabilities(c.rev))
		meta.ClientInfo = &protocol.Implementation{Name: "mcptest", Version: "1"}
	}
	b = append(b, `{"_meta":`...)
	b = append(meta.AppendJSON(b, c.rev), ',')
	for _, m := range members(params) {
		b = append(append(wire.AppendString(b, m.Name), ':'), m.Value...)
		b = append(b, ',')
	}
	return wire.EndObject(b)
}

// isObject reports whether text is a JSON object.
func isObject(text []byte) bool {
	text = bytes.TrimLeft(text, " \t\r\n")
	return len(text) > 0 && text[0] == '{' && json.Valid(text)
}

// members returns the members of a JSON object.
func members(object json.RawMessage) wire.Extra {
	var x wire.Extra
	d := wire.NewDecoder(object)
	for d.Object(); d.Next(); {
		d.Extra(&x)
	}
	return x
}

// readLoop handles the messages of the server until the connection ends.
func (c *Client) readLoop() {
	defer close(c.read)
	for {
		msg, err := c.conn.ReadMessage(nil)
		if err != nil {
			return
		}
		c.record("<- ", msg)
		m, bad := wire.ParseMessage(msg, wire.Limits{})
		if bad != nil {
			c.t.Errorf("mcptest: the server sent %s: %v", msg, bad)
			continue
		}
		if m.IsRequest() {
			c.asked(&m, msg)
			continue
		}
		c.mu.Lock()
		switch {
		case m.IsResponse():
			if answer := c.answers[m.ID.Raw()]; answer != nil {
				answer <- m
				delete(c.answers, m.ID.Raw())
			}
		case m.IsNotification():
			c.noticed(&m)
			for _, s := range c.subs {
				s.offer(&m)
			}
		}
		c.mu.Unlock()
	}
}

func (c *Client) record(arrow string, msg []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.transcript = append(c.transcript, arrow+string(msg))
}

// Transcript returns all messages so far in order, one line each: "-> " and a message to the server, or "<- " and a
// message from it.
func (c *Client) Transcript() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.transcript)
}

func (c *Client) fatalf(format string, args ...any) {
	c.t.Helper()
	for _, line := range c.Transcript() {
		c.t.Log(line)
	}
	c.t.Fatalf("mcptest: "+format, args...)
}
