package main

import (
	"context"
	"io"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpgen/mcpgen/bench/internal/work"
	"github.com/mcpgen/mcpgen/bench/servers/sdk"
)

// sdkLoop is the same as loop for the official SDK, at the boundary that it offers: whole messages,
// decoded and encoded with its own functions, without its framing of lines.
type sdkLoop struct {
	text  chan []byte // the request that may be read
	done  chan error
	left  int
	again *work.Message
	last  []byte
}

func newSDK(kind work.Kind, _ work.Era) (subject, error) {
	l := &sdkLoop{text: make(chan []byte, 1), done: make(chan error, 1)}
	_, err := sdkOf(kind).Connect(context.Background(), l, nil)
	return l, err
}

func sdkOf(kind work.Kind) *mcp.Server {
	switch kind {
	case work.Listed, work.Literal:
		return sdk.Listed()
	case work.Templates:
		return sdk.Templates()
	}
	return sdk.New()
}

// Connect implements mcp.Transport.
func (l *sdkLoop) Connect(context.Context) (mcp.Connection, error) { return l, nil }

func (l *sdkLoop) run(request *work.Message, n int) ([]byte, error) {
	l.left, l.again = n, request
	l.text <- request.Next()
	err := <-l.done
	return l.last, err
}

// Read implements mcp.Connection.
func (l *sdkLoop) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case text := <-l.text:
		return jsonrpc.DecodeMessage(text)
	case <-ctx.Done():
		return nil, io.EOF
	}
}

// Write implements mcp.Connection.
func (l *sdkLoop) Write(_ context.Context, msg jsonrpc.Message) error {
	text, err := jsonrpc.EncodeMessage(msg)
	if l.left--; l.left > 0 && err == nil {
		l.text <- l.again.Next()
		return nil
	}
	l.last = text
	l.done <- err
	return err
}

// Close implements mcp.Connection.
func (l *sdkLoop) Close() error { return nil }

// SessionID implements mcp.Connection.
func (l *sdkLoop) SessionID() string { return "" }
