package main

import (
	"context"
	"encoding/json"

	"github.com/mark3labs/mcp-go/server"

	"github.com/mcpgen/mcpgen/bench/internal/work"
	"github.com/mcpgen/mcpgen/bench/servers/floor"
	"github.com/mcpgen/mcpgen/bench/servers/mcpgo"
)

// mcpgoDirect calls mcp-go as its transports do, without their queue and workers, which is its
// quickest way.
type mcpgoDirect struct{ s *server.MCPServer }

func newMCPGo(kind work.Kind, _ work.Era) (subject, error) {
	switch kind {
	case work.Listed, work.Literal:
		return mcpgoDirect{mcpgo.Listed()}, nil
	case work.Templates:
		return mcpgoDirect{mcpgo.Templates()}, nil
	}
	return mcpgoDirect{mcpgo.New()}, nil
}

func (d mcpgoDirect) run(request *work.Message, n int) (last []byte, err error) {
	for range n {
		if last, err = json.Marshal(d.s.HandleMessage(context.Background(), request.Next())); err != nil {
			return nil, err
		}
	}
	return last, nil
}

// floorDirect calls the hand-written floor.
type floorDirect struct {
	s   *floor.Server
	out []byte
}

func newFloor(work.Kind, work.Era) (subject, error) { return &floorDirect{s: floor.New()}, nil }

func (d *floorDirect) run(request *work.Message, n int) ([]byte, error) {
	for range n {
		d.out = d.s.Answer(d.out[:0], request.Next())
	}
	return d.out, nil
}
