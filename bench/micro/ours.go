package main

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/mcpgen/mcpgen/bench/internal/work"
	"github.com/mcpgen/mcpgen/bench/servers/ours"
	"github.com/mcpgen/mcpgen/bench/servers/ours/listed"
	"github.com/mcpgen/mcpgen/bench/servers/ours/literal"
	"github.com/mcpgen/mcpgen/bench/servers/ours/many"
	"github.com/mcpgen/mcpgen/mcp"
)

// loop is a connection of ours whose peer asks the next question when it has the answer to the one
// before. Nothing stands between the server and the loop but a function call, so that only the
// server is measured. Only if the server reads ahead, which it does when a handler is slow, does the
// loop make a goroutine wait.
type loop struct {
	asked   chan int // how often to ask
	done    chan struct{}
	request *work.Message
	last    []byte

	left     int // questions to ask; of the goroutine that reads
	unsaid   atomic.Int64
	waiting  atomic.Bool
	answered chan struct{}
}

func newOurs(kind work.Kind, _ work.Era) (subject, error) {
	srv, err := oursOf(kind)
	if err != nil {
		return nil, err
	}
	return serve(srv), nil
}

// serve connects a server with a loop.
func serve(srv *mcp.Server) *loop {
	l := &loop{asked: make(chan int), done: make(chan struct{}), answered: make(chan struct{}, 1)}
	go func() { _ = srv.Serve(context.Background(), l) }()
	return l
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

func (l *loop) run(request *work.Message, n int) ([]byte, error) {
	l.request = request
	l.unsaid.Store(int64(n))
	l.asked <- n
	<-l.done
	return l.last, nil
}

// ReadMessage implements transport.Conn.
func (l *loop) ReadMessage(buf []byte) ([]byte, error) {
	if l.left == 0 {
		l.left = <-l.asked
	}
	for int64(l.left) != l.unsaid.Load() {
		l.waiting.Store(true)
		if int64(l.left) != l.unsaid.Load() {
			<-l.answered
		}
		l.waiting.Store(false)
	}
	l.left--
	return append(buf[:0], l.request.Next()...), nil
}

// WriteMessage implements transport.Conn.
func (l *loop) WriteMessage(msg []byte) error {
	left := l.unsaid.Add(-1)
	if l.waiting.Load() {
		select {
		case l.answered <- struct{}{}:
		default:
		}
	}
	if left == 0 {
		l.last = append(l.last[:0], msg...)
		l.done <- struct{}{}
	}
	return nil
}

// Close implements transport.Conn.
func (l *loop) Close() error { return nil }
