package server

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/templates/jenutil"
)

// rulesCode is what a feature asks of its callers, nil for nothing.
//
//	&mcprt.Guard{
//		Access: mcprt.Access{Scopes: []string{"notes.read"}},
//		Limit:  mcprt.Limit{Timeout: 5 * time.Second},
//		Use:    mcprt.Use(impl.Middleware.Trace),
//	}
func rulesCode(r *ir.Rules) jen.Code {
	if r == nil {
		return nil
	}
	var m jenutil.Members
	if r.Restricts() {
		m.Add("Access", jenutil.RT("Access").Add(accessLit(r)))
	}
	if r.Limit != (ir.Limit{}) {
		m.Add("Limit", jenutil.RT("Limit").Add(limitLit(&r.Limit)))
	}
	if len(r.Use) > 0 {
		var list []jen.Code
		for _, name := range r.Use {
			list = append(list, jen.Id("impl").Dot("Middleware").Dot(jenutil.Name(name)))
		}
		m.Add("Use", jenutil.RT("Use").Call(list...))
	}
	return jenutil.Ref(jenutil.RT("Guard"), m.Lines(""))
}

// accessLit is {Scopes: []string{"notes.read"}, Policies: []mcprt.Policy{mcprt.PolicyOf(impl.Notes.Members)}}.
func accessLit(r *ir.Rules) jen.Code {
	var m jenutil.Members
	var all, items []jen.Code
	m.Add("Scopes", textsCode(r.Scopes))
	m.Add("AnyScope", setsCode(r.AnyScope))
	m.Add("AnyRole", setsCode(r.AnyRole))
	for i := range r.Policies {
		p := &r.Policies[i]
		if p.Name != "" {
			items = append(items, handlerCode("WithPolicy", calls(&p.Callee), p.Name))
		} else {
			all = append(all, jenutil.RT("PolicyOf").Call(calleeCode(jen.Id("impl"), &p.Callee)))
		}
	}
	if all != nil {
		m.Add("Policies", jen.Index().Add(jenutil.RT("Policy")).Values(all...))
	}
	if items != nil {
		m.Add("ItemPolicies", jen.Index().Add(jenutil.RT("Policy")).Values(items...))
	}
	m.Flag("Shown", r.Shown)
	return m.Inline()
}

// setsCode is [][]string{{"notes.audit", "notes.admin"}}, nil for none.
func setsCode(sets [][]string) jen.Code {
	if len(sets) == 0 {
		return nil
	}
	var list []jen.Code
	for _, set := range sets {
		list = append(list, jen.Values(jenutil.Strings(set)...))
	}
	return jen.Index().Index().String().Values(list...)
}

// limitLit is {Timeout: 5 * time.Second, Rate: 60, Per: time.Minute}.
func limitLit(l *ir.Limit) jen.Code {
	var m jenutil.Members
	number := func(name string, n int64) {
		if n > 0 {
			m.Add(name, jen.Lit(int(n)))
		}
	}
	if l.Timeout > 0 {
		m.Add("Timeout", jenutil.Duration(l.Timeout))
	}
	number("Rate", l.Rate)
	if l.Rate > 0 {
		m.Add("Per", jenutil.Duration(l.Per))
	}
	number("Burst", l.Burst)
	switch l.By {
	case "client":
		m.Add("By", jenutil.RT("ByClient"))
	case "global":
		m.Add("By", jenutil.RT("Global"))
	}
	number("Concurrency", l.Concurrency)
	number("Bytes", l.Bytes)
	return m.Inline()
}

// policiesOf are the policies of a feature that take its variables.
func policiesOf(r *ir.Rules) []ir.Policy {
	if r == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(r.Policies), func(p ir.Policy) bool { return p.Name == "" })
}

// emitPolicies writes the functions that give policies their variables.
//
//	func mayReadNote(impl *NotesImpl, c *mcprt.Call) error {
//		v, err := readNoteVars(c.Vars)
//		if err != nil {
//			return err
//		}
//		return impl.Notes.OwnNotes(c, c.Caller(), v.Name)
//	}
func emitPolicies(f *serverFile, s *ir.Server, r *ir.Resource) {
	for _, p := range policiesOf(r.Rules) {
		f.handler(s, calls(&p.Callee), p.Name, callParam()).
			Error().
			Block(append(f.readVarsOr(r, &p.Callee, jenutil.IfErr(jen.Err())),
				jen.Return(callOf(&p.Callee, f.callArgs(r, &p.Callee)...)))...)
	}
}

// emitMiddleware writes the interface of what runs around features.
//
//	// NotesMiddleware runs around the features of NotesServer that name its methods with use.
//	type NotesMiddleware interface {
//		Trace(c *mcp.Call, p mcp.Params, next mcp.Next) (mcp.Result, error)
//	}
func emitMiddleware(f *serverFile, s *ir.Server) {
	if len(s.Middleware) == 0 {
		return
	}
	var methods []jen.Code
	for _, name := range s.Middleware {
		methods = append(methods, jenutil.Ident(name).
			Params(
				jen.Id("c").Add(jenutil.PtrTo(jenutil.MCP("Call"))),
				jen.Id("p").Add(jenutil.MCP("Params")), jen.Id("next").Add(jenutil.MCP("Next")),
			).Params(jenutil.MCP("Result"), jen.Error()))
	}
	f.note(s.Names.Middleware + " runs around the features of " + s.Names.Type +
		" that name its methods with use: see [mcp.Middleware].")
	f.Type().Add(jenutil.Ident(s.Names.Middleware)).Interface(methods...)
}
