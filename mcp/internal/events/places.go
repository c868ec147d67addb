package events

import (
	"sync"

	"github.com/mcpgen/mcpgen/mcp/event"
	"github.com/mcpgen/mcpgen/mcp/internal/fair"
)

// places limits open streams, in all and for each principal.
type places struct {
	all, each int

	mu   sync.Mutex
	open int
	of   map[string]int
}

func (p *places) init(all, each int) { p.all, p.each, p.of = all, min(each, all), map[string]int{} }

// take takes a place for a stream of a principal. It returns nil, or the error for the client if there is no place.
func (p *places) take(principal string) *event.Error {
	p.mu.Lock()
	defer p.mu.Unlock()
	own := p.of[principal]
	reserved := p.all / fair.Newcomers
	switch {
	case own >= p.each:
		return &event.Error{
			Kind: event.ResourceExhausted, Message: "too many streams are open", Limit: "streams", Max: p.each,
		}
	case p.open >= p.all, own > 0 && fair.Scarce(int64(own+1), int64(p.all-p.open), int64(reserved)):
		return &event.Error{Kind: event.ResourceExhausted, Message: "too many streams are open", Limit: "streams"}
	}
	p.open++
	p.of[principal] = own + 1
	return nil
}

func (p *places) give(principal string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open--
	if p.of[principal]--; p.of[principal] == 0 {
		delete(p.of, principal)
	}
}
