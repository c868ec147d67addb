package mcprt

import (
	"context"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/internal/access"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/server"
)

// NewServer returns a server with the features of f. Nil opts means the defaults. It fails if an option is out of range
// or f contradicts itself. f must not be changed afterwards.
func NewServer(f *Features, opts *mcp.Options) (*mcp.Server, error) {
	s, err := server.NewServer(f, options(opts))
	return (*mcp.Server)(s), err
}

// options converts o to the type of package server; nil if o is nil.
func options(o *mcp.Options) *server.Options {
	if o == nil {
		return nil
	}
	return &server.Options{
		Logger:                o.Logger,
		Keys:                  o.Keys,
		ShowErrors:            o.ShowErrors,
		PageSize:              o.PageSize,
		OnlyTags:              o.OnlyTags,
		ExceptTags:            o.ExceptTags,
		DynamicTools:          o.DynamicTools,
		MaxInFlight:           o.MaxInFlight,
		MaxQuestions:          o.MaxQuestions,
		MaxSubscriptions:      o.MaxSubscriptions,
		MaxListens:            o.MaxListens,
		MaxTotalSubscriptions: o.MaxTotalSubscriptions,
		MaxWatchers:           o.MaxWatchers,
		Grace:                 o.Grace,
		MaxFileBytes:          o.MaxFileBytes,
		Caller:                call.Caller(o.Caller),
		Audit:                 o.Audit,
		AskTimeout:            o.AskTimeout,
		UpdateDelay:           o.UpdateDelay,
		Bus:                   o.Bus,
		BusName:               o.BusName,
		Replicas:              o.Replicas,
		ShareRates:            o.ShareRates,
		Observer:              o.Observer,
		Tasks:                 o.Tasks,
		Events:                o.Events,
	}
}

// Member is a server for [Join]: an [mcp.Server], or a generated server, which embeds one.
type Member interface{ Base() *mcp.Server }

// prefixed is a member with a prefix before the names of its tools and prompts.
type prefixed struct {
	Member
	prefix string
}

// Prefixed returns m with prefix before the names of its tools and prompts, for [Join]. The prefix has ASCII letters,
// digits, underscores, dots and hyphens.
func Prefixed(prefix string, m Member) Member { return prefixed{m, prefix} }

// Join returns a server with the features of f and of its members, at the same URIs and names. Members go on serving
// their own clients; updates of a member reach the clients of all.
func Join(f *Features, opts *mcp.Options, members ...Member) (*mcp.Server, error) {
	list := make([]server.Member, len(members))
	for i, m := range members {
		list[i] = member(m)
	}
	s, err := server.Join(f, options(opts), list...)
	return (*mcp.Server)(s), err
}

// member converts m to the type of package server; nil if m is nil.
func member(m Member) server.Member {
	if m == nil {
		return nil
	}
	if p, ok := m.(prefixed); ok {
		return server.Prefixed(p.prefix, member(p.Member))
	}
	return (*server.Server)(m.Base())
}

// Use converts middleware to the type of the tables. It is not inlined, so that its closures are compiled once.
//
//go:noinline
func Use(list ...mcp.Middleware) call.Use {
	return call.UseOf(func(c *call.Call) *mcp.Call { return (*mcp.Call)(c) }, list...)
}

// Policy is a function of the program that decides whether a caller may use a feature.
type Policy = access.Policy

// PolicyOf adapts a policy that takes the caller only.
func PolicyOf(f func(context.Context, mcp.Caller) error) Policy {
	return func(c *Call) error { return f(c, mcp.Caller(c.Caller())) }
}
