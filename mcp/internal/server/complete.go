package server

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
	var (
		r    *Resource // nil for a prompt
		list []Completer
	)
	switch ref := p.Ref.(type) {
	case *protocol.ResourceTemplateReference:
		absent := invalid("/ref/uri: unknown template %q", ref.URI)
		if r = s.template(ref.URI, w.rev); r == nil {
			return nil, absent
		}
		if err := w.admitCompletion(r.Guard, absent); err != nil {
			return nil, err
		}
		if !slices.Contains(variables(ref.URI), p.Argument.Name) {
			return nil, invalid("/argument/name: the template has no variable %q", p.Argument.Name)
		}
		list = r.Complete
	case *protocol.PromptReference:
		absent := invalid("/ref/name: unknown prompt %q", ref.Name)
		prompt := s.prompt(ref.Name, w.rev)
		if prompt == nil {
			return nil, absent
		}
		if err := w.admitCompletion(prompt.Guard, absent); err != nil {
			return nil, err
		}
		if !prompt.has(p.Argument.Name) {
			return nil, invalid("/argument/name: the prompt has no argument %q", p.Argument.Name)
		}
		list = prompt.Complete
	}
	for i := range list {
		if c := &list[i]; c.Var == p.Argument.Name {
			return w.complete(r, c, p)
		}
	}
	return completion(s, w.rev, nil), nil
}

// admitCompletion checks whether the caller may complete what g guards.
func (w *worker) admitCompletion(g *Guard, absent error) error {
	if err := w.admit(g, absent); err != nil || !g.asks() {
		return err
	}
	call, err := w.start()
	if err != nil {
		return err
	}
	return w.askPolicies(call, g, false, absent)
}

// has reports whether p has an argument called name.
func (p *Prompt) has(name string) bool {
	return slices.ContainsFunc(p.Entry.Arguments, func(a protocol.PromptArgument) bool { return a.Name == name })
}

// complete asks a completer of r, or of a prompt.
func (w *worker) complete(r *Resource, c *Completer, p *protocol.CompleteRequestParams) (protocol.CompleteReply, error) {
	call := w.call
	if call == nil {
		var err error
		if call, err = w.start(); err != nil {
			return nil, err
		}
	}
	if err := w.enterFor(false); err != nil {
		return nil, err
	}
	defer call.expireAfter(helpTimeout).Stop()
	given := givenOf(p.Context)
	var (
		values []string
		err    error
	)
	if c.Listed {
		values, err = w.c.s.proposeListed(call, r, c.Var, p.Argument.Value, given)
	} else {
		values, err = c.Values(call, p.Argument.Value, given)
	}
	switch {
	case isNotFound(err):
		values = nil // the earlier variables name nothing, at least not yet
	case err != nil:
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
