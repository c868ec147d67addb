package server

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// newPromptListing lists the prompts.
func newPromptListing(s *Server) listing {
	declared := make([]*protocol.Prompt, len(s.features.Prompts))
	for i := range declared {
		declared[i] = s.features.Prompts[i].Entry
	}
	guard := func(i int) *Guard { return s.features.Prompts[i].Guard }
	return newListing(s, pagesOfPrompts, declared, visible{s.offersPrompt, guard}, "prompts", func(rev protocol.Revision) []byte {
		r := protocol.ListPromptsResult{Meta: s.resultMeta(rev)}
		return r.AppendJSON(nil, rev)
	})
}

// ListPrompts implements protocol.ServerHandler.
func (h *handler) ListPrompts(_ context.Context, p *protocol.PaginatedRequestParams) (protocol.ListPromptsReply, error) {
	w, s := (*worker)(h), h.c.s
	if s.features.Capabilities.Prompts == nil {
		return nil, errNoMethod
	}
	return w.pageOf(&s.prepared.prompts, p.Cursor)
}

// GetPrompt implements protocol.ServerHandler.
func (h *handler) GetPrompt(_ context.Context, p *protocol.GetPromptRequestParams) (protocol.GetPromptReply, error) {
	w, s := (*worker)(h), h.c.s
	if s.features.Capabilities.Prompts == nil {
		return nil, errNoMethod
	}
	w.target, w.speaker = p.Name, p.Meta
	prompt := s.prompt(p.Name, w.rev)
	if prompt == nil {
		return nil, invalid("/name: unknown prompt %q", p.Name)
	}
	call, err := w.startPrompt(prompt, p)
	if err != nil {
		return nil, err
	}
	var args []byte
	if prompt.Asks {
		args = wire.AppendMap(nil, p.Arguments, wire.AppendString)
	}
	if err := w.resume(call, args, p.InputResponses, p.RequestState); err != nil {
		return nil, err
	}
	if err := w.enterFor(prompt.Asks || prompt.Guard.slow()); err != nil {
		return nil, err
	}
	var r PromptResult
	if prompt.Guard == nil {
		r, err = prompt.Get(call)
	} else {
		r, err = w.getWithin(call, prompt)
	}
	if next, bad := w.outcome(call, args); bad != nil {
		return nil, bad
	} else if next != nil {
		return next, nil
	}
	if err != nil {
		return nil, promptError(call, err)
	}
	if err := r.check(); err != nil {
		return nil, fmt.Errorf("prompt %s: %w", p.Name, err)
	}
	if r.Description == "" {
		r.Description = prompt.Entry.Description
	}
	return &protocol.GetPromptResult{Description: r.Description, Messages: r.Messages, Meta: s.resultMeta(w.rev)}, nil
}

// startPrompt starts the call of a prompt, if its caller may get it. Who may not does not learn what is wrong
// with its arguments.
func (w *worker) startPrompt(prompt *Prompt, p *protocol.GetPromptRequestParams) (*Call, error) {
	absent := invalid("/name: unknown prompt %q", p.Name)
	if err := w.admit(prompt.Guard, absent); err != nil {
		return nil, err
	}
	bad := w.vars.fill(prompt.Entry.Arguments, p.Arguments)
	if bad != nil && !prompt.Guard.asks() {
		return nil, bad
	}
	call, err := w.startPath()
	if err != nil {
		return nil, err
	}
	call.about, call.named, call.meta = p.Name, true, p.Meta
	if err := w.askPolicies(call, prompt.Guard, bad == nil, absent); err != nil {
		return nil, promptError(call, err)
	}
	return call, bad
}

// prompt returns the prompt called name that clients of rev may know, or nil.
func (s *Server) prompt(name string, rev protocol.Revision) *Prompt {
	i := -1
	if s.features.RoutePrompt != nil {
		i = s.features.RoutePrompt(name)
	}
	if i < 0 || !s.offersPrompt(i, rev) {
		return nil
	}
	return &s.features.Prompts[i]
}

// fill makes v the arguments of a prompt, at the places where they are declared. An optional argument
// with no text counts as left out: clients send the empty fields of a form that way.
func (v *Vars) fill(declared []protocol.PromptArgument, given wire.Map[string]) error {
	v.reset()
	v.given = true
	for i := range given {
		if !slices.ContainsFunc(declared, func(a protocol.PromptArgument) bool { return a.Name == given[i].Name }) {
			return badArgument(given[i].Name, "unknown argument")
		}
	}
	for i := range declared {
		a := &declared[i]
		text, ok := given.Get(a.Name)
		switch {
		case isTrue(a.Required) && !ok:
			return badArgument(a.Name, "is required")
		case ok && (text != "" || isTrue(a.Required)):
			v.put(i, text)
		}
	}
	return nil
}

// badArgument says what is wrong with the argument of a prompt.
func badArgument(name, reason string) *wire.Error {
	step := strings.ReplaceAll(strings.ReplaceAll(name, "~", "~0"), "/", "~1")
	return invalid("/arguments/%s: %s", step, reason)
}

// promptError is the error of a prompt. The client is told which argument could not be read.
func promptError(call *Call, err error) error {
	bad, ok := errors.AsType[*VarError](err)
	if ok && errors.Is(call.Vars.Err(), bad) {
		return badArgument(bad.Var, bad.Reason)
	}
	return err
}
