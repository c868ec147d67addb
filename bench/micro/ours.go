package main

import (
	"context"
	"fmt"
	"io"

	"github.com/mcpgen/mcpgen/bench/internal/work"
	"github.com/mcpgen/mcpgen/bench/servers/ours"
	"github.com/mcpgen/mcpgen/bench/servers/ours/listed"
	"github.com/mcpgen/mcpgen/bench/servers/ours/literal"
	"github.com/mcpgen/mcpgen/bench/servers/ours/many"
	"github.com/mcpgen/mcpgen/mcp"
)

// loop is a connection of ours whose peer asks the next question as soon as it has the answer to
// the one before. Nothing stands between the server and the loop but a function call, so that only
// the server is measured.
type loop struct {
	asked   chan int // how often to ask
	done    chan struct{}
	request []byte
	left    int // questions to ask
	unsaid  int // answers to come
	last    []byte
}

func newOurs(kind work.Kind, _ work.Era) (subject, error) {
	srv, err := oursOf(kind)
	if err != nil {
		return nil, err
	}
	l := &loop{asked: make(chan int), done: make(chan struct{})}
	go func() { _ = srv.Serve(context.Background(), l) }()
	return l, nil
}

func oursOf(kind work.Kind) (*mcp.Server, error) {
	switch kind {
	case work.Small:
		s, err := ours.NewBenchServer(ours.BenchImpl{}, nil)
		return s.Server, err
	case work.Listed:
		s, err := listed.NewListedServer(listed.ListedImpl{}, nil)
		return s.Server, err
	case work.Literal:
		s, err := literal.NewLiteralServer(literal.LiteralImpl{}, nil)
		return s.Server, err
	case work.Templates:
		s, err := many.NewManyServer(many.ManyImpl{}, nil)
		return s.Server, err
	}
	return nil, fmt.Errorf("no server %d", kind)
}

func (l *loop) run(request []byte, n int) ([]byte, error) {
	l.request, l.unsaid = request, n
	l.asked <- n
	<-l.done
	return l.last, nil
}

// ReadMessage implements transport.Conn.
func (l *loop) ReadMessage(buf []byte) ([]byte, error) {
	if l.left == 0 {
		n, ok := <-l.asked
		if !ok {
			return buf[:0], io.EOF
		}
		l.left = n
	}
	l.left--
	return append(buf[:0], l.request...), nil
}

// WriteMessage implements transport.Conn.
func (l *loop) WriteMessage(msg []byte) error {
	if l.unsaid--; l.unsaid == 0 {
		l.last = append(l.last[:0], msg...)
		l.done <- struct{}{}
	}
	return nil
}

// Close implements transport.Conn.
func (l *loop) Close() error { return nil }
