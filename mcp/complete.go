package mcp

import (
	"context"
	"slices"

	"github.com/mcpgen/mcpgen/generated/protocol"
)

// maxCompletions is the most values of one answer that the protocol allows.
const maxCompletions = 100

// Complete implements protocol.ServerHandler. The oldest revision has the method without having
// the capability, so what counts is what was declared.
func (h *handler) Complete(_ context.Context, p *protocol.CompleteRequestParams) (protocol.CompleteReply, error) {
	w, s := (*worker)(h), h.c.s
	if s.features.Capabilities.Completions == nil {
		return nil, errNoMethod
	}
	ref, ok := p.Ref.(*protocol.ResourceTemplateReference)
	if !ok {
		return nil, invalid("/ref: unknown prompt")
	}
	r := s.template(ref.URI, w.rev)
	if r == nil {
		return nil, invalid("/ref/uri: unknown template %q", ref.URI)
	}
	if !slices.Contains(variables(ref.URI), p.Argument.Name) {
		return nil, invalid("/argument/name: the template has no variable %q", p.Argument.Name)
	}
	for i := range r.Complete {
		if c := &r.Complete[i]; c.Var == p.Argument.Name {
			return w.complete(r, c, p)
		}
	}
	return completion(s, w.rev, nil), nil
}

// complete asks a completer.
func (w *worker) complete(r *Resource, c *Completer, p *protocol.CompleteRequestParams) (protocol.CompleteReply, error) {
	call, err := w.start()
	if err != nil {
		return nil, err
	}
	w.enter()
	given := givenOf(p.Context)
	var values []string
	if c.Listed {
		values, err = w.c.s.proposeListed(call, r, c.Var, p.Argument.Value, given)
	} else {
		values, err = c.Values(call, p.Argument.Value, given)
	}
	if err != nil {
		return nil, err
	}
	return completion(w.c.s, w.rev, values), nil
}

// givenOf returns the variables that the client says are filled in.
func givenOf(c *protocol.CompleteRequestParamsContext) Given {
	if c == nil || len(c.Arguments) == 0 {
		return nil
	}
	g := make(Given, len(c.Arguments))
	for _, a := range c.Arguments {
		g[a.Name] = a.Value
	}
	return g
}

// completion makes the result: the first values, and how many there are.
func completion(s *Server, rev protocol.Revision, values []string) *protocol.CompleteResult {
	r := &protocol.CompleteResult{Meta: s.resultMeta(rev)}
	r.Completion.Total = new(int64(len(values)))
	r.Completion.HasMore = new(len(values) > maxCompletions)
	r.Completion.Values = values[:min(len(values), maxCompletions)]
	return r
}

// template returns the template with the given text that clients of rev may know, or nil.
func (s *Server) template(text string, rev protocol.Revision) *Resource {
	for i := range s.features.Resources {
		if r := &s.features.Resources[i]; r.Template != nil && r.Template.URITemplate == text && s.offersResource(i, rev) {
			return r
		}
	}
	return nil
}
