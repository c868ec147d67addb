// Package client is a client of a fleet for each revision of the protocol, on net/http and nothing of this project,
// so that no mistake is made on both sides. It subscribes, reads what is said to have changed, changes its mind now
// and then, and reports everything to package verdict.
package client

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/fleet/internal/verdict"
)

// Revisions are those that a client can speak, oldest first. The last one has no sessions.
var Revisions = []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", Modern}

// Modern is the first revision without sessions.
const Modern = "2026-07-28"

// Patience is how long a client waits for an answer. A process may be stopped for half of it.
const Patience = 60 * time.Second

// Conn sends the requests of one client. It is safe for concurrent use.
type Conn struct {
	URL string
	// Streams is where streams of notifications are opened; empty means URL.
	Streams  string
	Revision string
	Seen     *verdict.Client
	HTTP     *http.Client
	// Capabilities are those that each request of the newest revision declares, and a session when it begins; nil means
	// none.
	Capabilities object
	// User is who the client says that it is; empty means nobody.
	User string
}

// NewConn returns a conn with connections of its own.
func NewConn(url, revision string, seen *verdict.Client) *Conn {
	dial := net.Dialer{Timeout: 5 * time.Second}
	return &Conn{URL: url, Revision: revision, Seen: seen, HTTP: &http.Client{
		Transport: &http.Transport{DialContext: dial.DialContext, MaxIdleConnsPerHost: 4, IdleConnTimeout: 10 * time.Second},
	}}
}

// At returns a conn like c to another address.
func (c *Conn) At(url string) *Conn {
	other := *c
	other.URL = url
	return &other
}

// streams returns a conn to where streams are opened.
func (c *Conn) streams() *Conn { return c.At(cmp.Or(c.Streams, c.URL)) }

// StatusError is a response with an HTTP status that is no success.
type StatusError struct {
	Code int
	Body string
}

func (e *StatusError) Error() string { return fmt.Sprintf("status %d: %.200s", e.Code, e.Body) }

// RPCError is an error object of JSON-RPC.
type RPCError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (e *RPCError) Error() string { return fmt.Sprintf("%d: %s", e.Code, e.Message) }

// asError returns an error, and not one that is nil inside.
func asError(e *RPCError) error {
	if e == nil {
		return nil
	}
	return e
}

// message is any message of the server.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		URI   string         `json:"uri"`
		Level string         `json:"level"`
		Meta  map[string]any `json:"_meta"` //nolint:tagliatelle // the name of the protocol
		taskText
		Notifications struct {
			TaskIDs []string `json:"taskIds"`
		} `json:"notifications"`
	} `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *RPCError       `json:"error"`
}

// object is a JSON object.
type object map[string]any

// meta is what each request of the newest revision says about its client.
func (c *Conn) meta() object {
	return object{
		"io.modelcontextprotocol/protocolVersion":    Modern,
		"io.modelcontextprotocol/clientInfo":         object{"name": "fleet", "version": "1"},
		"io.modelcontextprotocol/clientCapabilities": c.capabilities(),
	}
}

func (c *Conn) capabilities() object {
	if c.Capabilities == nil {
		return object{}
	}
	return c.Capabilities
}

// post sends one message. session is empty for the newest revision and for initialize; id is nil for a notification.
func (c *Conn) post(ctx context.Context, session string, id any, method string, params object) (*http.Response, error) {
	body := object{"jsonrpc": "2.0", "method": method, "params": params}
	if id != nil {
		body["id"] = id
	}
	return c.send(ctx, session, body, method, params)
}

// send sends the text of one message. The method is that of a request or notification.
func (c *Conn) send(ctx context.Context, session string, body object, method string, params object) (
	*http.Response, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.URL, bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	c.header(req, session)
	if c.Revision == Modern {
		req.Header.Set("Mcp-Method", method)
		for _, key := range []string{"uri", "name", "taskId"} {
			if name, ok := params[key].(string); ok {
				req.Header.Set("Mcp-Name", name)
			}
		}
	}
	return c.do(req)
}

// get opens the stream of a session, or one that is resumed behind an event.
func (c *Conn) get(ctx context.Context, session, last string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.URL, nil)
	if err != nil {
		return nil, err
	}
	c.header(req, session)
	req.Header.Set("Accept", "text/event-stream")
	if last != "" {
		req.Header.Set("Last-Event-ID", last)
	}
	res, err := c.do(req)
	if err == nil && res.StatusCode != http.StatusOK {
		_ = res.Body.Close()
		return nil, &StatusError{Code: res.StatusCode}
	}
	return res, err
}

// do sends a request. A status that is no success is an error.
func (c *Conn) do(req *http.Request) (*http.Response, error) {
	res, err := c.HTTP.Do(req) //nolint:gosec // the caller says which replica it asks
	if err != nil {
		return nil, err
	}
	if res.StatusCode/100 != 2 {
		text, _ := io.ReadAll(io.LimitReader(res.Body, 1<<10))
		_ = res.Body.Close()
		return nil, &StatusError{res.StatusCode, string(text)}
	}
	return res, nil
}

// header sets what all requests have.
func (c *Conn) header(req *http.Request, session string) {
	req.Header.Set("Accept", "application/json, text/event-stream")
	if c.User != "" {
		req.Header.Set("Fleet-User", c.User)
	}
	if session != "" {
		req.Header.Set("Mcp-Session-Id", session)
	}
	if session != "" || c.Revision == Modern {
		req.Header.Set("Mcp-Protocol-Version", c.Revision)
	}
}

// Call sends a request and decodes its result into out. It tells the verdict if there is neither answer nor error.
func (c *Conn) Call(ctx context.Context, session, method string, params object, out any) error {
	_, err := c.call(ctx, session, method, params, out)
	return err
}

func (c *Conn) call(ctx context.Context, session, method string, params object, out any) (http.Header, error) {
	if c.Revision == Modern {
		params["_meta"] = c.meta()
	}
	begun := time.Now()
	asked, cancel := context.WithTimeout(ctx, Patience)
	defer cancel()
	header, err := c.exchange(asked, session, method, params, out)
	if err != nil && asked.Err() != nil && ctx.Err() == nil {
		c.Seen.Lost(method, time.Since(begun))
	}
	return header, err
}

func (c *Conn) exchange(ctx context.Context, session, method string, params object, out any) (http.Header, error) {
	res, err := c.post(ctx, session, 1, method, params)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close() //nolint:errcheck // it was only read
	m, err := answer(res)
	if err != nil {
		return nil, err
	}
	if m.Error != nil {
		return nil, m.Error
	}
	if out != nil {
		err = json.Unmarshal(m.Result, out)
	}
	return res.Header, err
}

// Open opens a session. There may be an id beside an error: then the server has answered initialize, and not taken the
// notification that follows.
func (c *Conn) Open(ctx context.Context) (id string, err error) {
	header, err := c.call(ctx, "", "initialize", object{
		"protocolVersion": c.Revision, "capabilities": c.capabilities(),
		"clientInfo": object{"name": "fleet", "version": "1"},
	}, nil)
	if err != nil {
		return "", err
	}
	id = header.Get("Mcp-Session-Id")
	return id, c.initialized(ctx, id)
}

// initialized says that a session has begun.
func (c *Conn) initialized(ctx context.Context, session string) error {
	res, err := c.post(ctx, session, nil, "notifications/initialized", object{})
	if err != nil {
		return err
	}
	return res.Body.Close()
}

// answer reads the answer to the only request of a response.
func answer(res *http.Response) (message, error) {
	if !strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") {
		var m message
		err := json.NewDecoder(io.LimitReader(res.Body, 8<<20)).Decode(&m)
		return m, err
	}
	events := newEvents(res.Body)
	for {
		m, err := events.next()
		if err != nil {
			return m, fmt.Errorf("the stream ended before the answer: %w", err)
		}
		if m.Method == "" {
			return m, nil
		}
	}
}

// events reads the messages of an event stream.
type events struct {
	lines *bufio.Scanner
	// last is the id of the last event.
	last string
}

func newEvents(r io.Reader) *events {
	s := bufio.NewScanner(r)
	s.Buffer(nil, 8<<20)
	return &events{lines: s}
}

// next returns the next message.
func (e *events) next() (m message, err error) {
	for e.lines.Scan() {
		line := e.lines.Text()
		if id, ok := strings.CutPrefix(line, "id: "); ok {
			e.last = id
		}
		if data, ok := strings.CutPrefix(line, "data: "); ok && data != "" {
			return m, json.Unmarshal([]byte(data), &m)
		}
	}
	if err := e.lines.Err(); err != nil {
		return m, err
	}
	return m, io.EOF
}

// sleep waits, and reports whether ctx still goes on.
func sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// gone reports whether err says that the server does not know the session.
func gone(err error) bool {
	s, ok := errors.AsType[*StatusError](err)
	return ok && (s.Code == http.StatusNotFound || s.Code == http.StatusBadRequest)
}
