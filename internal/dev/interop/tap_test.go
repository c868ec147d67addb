package interop

import (
	"context"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpgen/mcpgen/internal/dev/interop/validator"
)

// openValidator returns the validator of messages.
func openValidator(t *testing.T) *validator.Schemas {
	t.Helper()
	schemas, err := validator.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	return schemas
}

// tap is a transport of the Go SDK that shows every message to the validator.
type tap struct {
	sdk.Transport
	t       *testing.T
	cancels chan struct{} // one for each notifications/cancelled that the client has written

	mu      sync.Mutex
	session *validator.Session
}

func newTap(t *testing.T, to sdk.Transport, revision string) *tap {
	t.Helper()
	p := &tap{Transport: to, t: t, cancels: make(chan struct{}, 64)}
	p.session = openValidator(t).Session(revision)
	return p
}

// Connect implements sdk.Transport.
func (p *tap) Connect(ctx context.Context) (sdk.Connection, error) {
	c, err := p.Transport.Connect(ctx)
	return &tapped{Connection: c, tap: p}, err
}

// fromClient and fromServer show a message to the validator.
func (p *tap) fromClient(m jsonrpc.Message) {
	text, err := jsonrpc.EncodeMessage(m)
	p.mu.Lock()
	defer p.mu.Unlock()
	if err == nil {
		p.session.FromClient(text)
	}
}

func (p *tap) fromServer(m jsonrpc.Message) {
	text, err := jsonrpc.EncodeMessage(m)
	p.mu.Lock()
	defer p.mu.Unlock()
	if err == nil {
		err = p.session.FromServer(text)
	}
	if err != nil {
		p.t.Errorf("the server wrote: %v", err)
	}
}

// tapped is the connection of a tap.
type tapped struct {
	sdk.Connection
	tap *tap
}

// Write implements sdk.Connection.
func (c *tapped) Write(ctx context.Context, m jsonrpc.Message) error {
	c.tap.fromClient(m)
	err := c.Connection.Write(ctx, m)
	if r, ok := m.(*jsonrpc.Request); ok && r.Method == "notifications/cancelled" {
		c.tap.cancels <- struct{}{}
	}
	return err
}

// Read implements sdk.Connection.
func (c *tapped) Read(ctx context.Context) (jsonrpc.Message, error) {
	m, err := c.Connection.Read(ctx)
	if err == nil {
		c.tap.fromServer(m)
	}
	return m, err
}
