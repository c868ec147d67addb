package overview

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/requirement"
)

// WriteRequirements prints the requirements that the authors of servers decide, and for each server how its
// declarations answer them. What no declaration answers is decided by the program, and comes last.
func WriteRequirements(w io.Writer, packages []*ir.GoPackage) error {
	table, err := requirement.Read()
	if err != nil {
		return err
	}
	for _, p := range packages {
		for _, srv := range p.Servers {
			fmt.Fprintf(w, "%s: server %s %s\n", p.Path, srv.Name, srv.Version)
			for _, r := range table.Rows {
				if text := answered(srv, r); text != "" {
					fmt.Fprintf(w, "  %s: %s\n    %s (%s)\n", r.ID, r.Asks, text, strings.Join(r.By, ", "))
				}
			}
		}
	}
	if len(packages) > 0 {
		fmt.Fprintln(w, "decided by the program, whatever the declarations are:")
		for _, r := range table.Rows {
			if _, declared := answers[r.ID]; r.Decision == requirement.Author && !declared && concerns(packages, r) {
				fmt.Fprintf(w, "  %s: %s\n    %s (%s)\n", r.ID, r.Asks, r.Says, strings.Join(r.By, ", "))
			}
		}
	}
	return nil
}

// subjects say which servers have what the rows of a subject are about.
var subjects = map[string]func(*ir.Server) bool{
	"resources": func(s *ir.Server) bool { return len(s.Resources) > 0 },
	"tools":     func(s *ir.Server) bool { return len(s.Tools) > 0 },
	"prompts":   func(s *ir.Server) bool { return len(s.Prompts) > 0 || completers(s) != "" },
	"questions": mayAsk,
	"tasks": func(s *ir.Server) bool {
		return slices.ContainsFunc(s.Tools, func(t *ir.Tool) bool { return t.Task != "" })
	},
}

// concerns reports whether a row is about something that a server of the packages has.
func concerns(packages []*ir.GoPackage, r *requirement.Row) bool {
	has := subjects[r.Subject]
	return has == nil || slices.ContainsFunc(packages, func(p *ir.GoPackage) bool {
		return slices.ContainsFunc(p.Servers, has)
	})
}

// mayAsk reports whether a handler or middleware of a server may ask its client something.
func mayAsk(s *ir.Server) bool {
	asks := func(c *ir.Callee, rules *ir.Rules) bool {
		return c.Takes(ir.ParamPeer) || rules != nil && rules.Use != nil
	}
	return slices.ContainsFunc(s.Resources, func(r *ir.Resource) bool { return asks(&r.Callee, r.Rules) }) ||
		slices.ContainsFunc(s.Tools, func(t *ir.Tool) bool { return asks(&t.Callee, t.Rules) }) ||
		slices.ContainsFunc(s.Prompts, func(p *ir.Prompt) bool { return asks(&p.Callee, p.Rules) })
}

// answered is how a server answers a row by its declarations; empty if it has nothing that the row is about.
func answered(srv *ir.Server, r *requirement.Row) string {
	answer := answers[r.ID]
	if r.Decision != requirement.Author || answer == nil {
		return ""
	}
	return answer(srv)
}

// answers are how the declarations of a server answer the rows of which they decide.
var answers = map[string]func(*ir.Server) string{
	"res-templates-dynamic": resources("are templates", func(r *ir.Resource) bool { return r.Template != nil }),
	"res-mime":              resources("have a media type", func(r *ir.Resource) bool { return r.MIME != "" }),
	"res-names":             resources("have a title", titled),
	"res-describe":          resources("have a description", func(r *ir.Resource) bool { return r.Description != "" }),
	"res-subscribe":         resources("can be subscribed to", func(r *ir.Resource) bool { return r.Subscribe }),
	"res-cache":             resources("may be kept", func(r *ir.Resource) bool { return r.Cache.TTLMillis > 0 }),
	"res-access":            resources("ask for rights", func(r *ir.Resource) bool { return r.Rules.Restricts() }),
	"res-rate":              resources("have a rate", func(r *ir.Resource) bool { return limit(r.Rules).Rate > 0 }),
	"res-timeout":           resources("have a timeout", func(r *ir.Resource) bool { return limit(r.Rules).Timeout > 0 }),
	"res-file":              resources("are files below a root", func(r *ir.Resource) bool { return r.Root != nil }),
	"list-changed-author":   resources("are in a list that can change", (*ir.Resource).ListChanges),
	"res-other-scheme":      schemes,
	"res-scheme-document":   documented,
	"res-patterns": func(s *ir.Server) string {
		return either(s.ResourceTools, "resources are tools too", "resources are no tools")
	},
	"subscribe-optional": subscriptions,
	"subscribe-implications": func(s *ir.Server) string {
		return share(watchable(s), "subscriptions", "hear of changes by a store, a watch or a poll", hears, uriOf)
	},
	"tool-access":         tools("ask for rights", func(t *ir.Tool) bool { return t.Rules.Restricts() }),
	"tool-rate":           tools("have a rate", func(t *ir.Tool) bool { return limit(t.Rules).Rate > 0 }),
	"init-timeout-option": tools("have a timeout", func(t *ir.Tool) bool { return limit(t.Rules).Timeout > 0 }),
	"tool-describe":       tools("have a description", func(t *ir.Tool) bool { return t.Description != "" }),
	"tool-hints": tools("have hints", func(t *ir.Tool) bool {
		return t.ReadOnly != nil || t.Destructive != nil || t.Idempotent != nil || t.OpenWorld != nil
	}),
	"task-author": tools("may be tasks", func(t *ir.Tool) bool { return t.Task != "" }),
	"http-header-secret": tools("have arguments that are headers too", func(t *ir.Tool) bool {
		return strings.Contains(t.InputSchema, `"x-mcp-header"`)
	}),
	"app-visibility":             appTools,
	"prompt-security":            prompts,
	"completion-sorted":          completers,
	"page-size":                  pageSize,
	"version-extension-document": extensions,
	"deprecated-features": func(s *ir.Server) string {
		return either(s.Capabilities().Logging, "log messages are sent to clients", "no log messages are sent to clients")
	},
	"app-csp":         apps("name origins", `"csp"`),
	"app-permissions": apps("ask for permissions", `"permissions"`),
	"app-domain":      apps("have an origin of their own", `"domain"`),
	"event-id":        events("take their id from a field", func(e *ir.Event) bool { return e.ID != "" }),
	"event-minimal":   events("are shaped for each subscriber", func(e *ir.Event) bool { return e.Shape != nil }),
	"event-evolve":    events("have ended subscriptions by a change", func(e *ir.Event) bool { return e.Schema > 0 }),
}

// titled reports whether a resource has a title, or its entries have one of their own.
func titled(r *ir.Resource) bool { return r.Title != "" || r.Struct != nil && r.Struct.Title != nil }

// hears reports whether subscribers of a resource are told of changes without a call of the program.
func hears(r *ir.Resource) bool {
	return r.Watch != nil || r.PollMillis > 0 || r.Struct != nil && r.Struct.Kind != ir.StructSource
}

func uriOf(r *ir.Resource) string { return r.URI }
func toolName(t *ir.Tool) string  { return t.Name }

func either(on bool, is, isNot string) string {
	if on {
		return is
	}
	return isNot
}

func limit(g *ir.Rules) ir.Limit {
	if g == nil {
		return ir.Limit{}
	}
	return g.Limit
}

// plain are the resources that are neither apps nor further addresses of others.
func plain(s *ir.Server) []*ir.Resource {
	return slices.DeleteFunc(slices.Clone(s.Resources), func(r *ir.Resource) bool {
		return r.App != nil || r.AliasOf != nil
	})
}

func watchable(s *ir.Server) []*ir.Resource {
	return slices.DeleteFunc(plain(s), func(r *ir.Resource) bool { return !r.Subscribe })
}

// share says how many of a list have something, and names the fewer: those that have it, or those that have not.
func share[T any](list []T, what, have string, has func(T) bool, name func(T) string) string {
	if len(list) == 0 {
		return ""
	}
	var with, without []string
	for _, x := range list {
		if has(x) {
			with = append(with, name(x))
		} else {
			without = append(without, name(x))
		}
	}
	text := fmt.Sprintf("%d of %d %s %s", len(with), len(list), what, have)
	switch {
	case len(with) == 0 || len(without) == 0:
	case len(with) < len(without):
		text += ": " + strings.Join(with, ", ")
	default:
		text += ", not " + strings.Join(without, ", ")
	}
	return text
}

func resources(have string, has func(*ir.Resource) bool) func(*ir.Server) string {
	return func(s *ir.Server) string { return share(plain(s), "resources", have, has, uriOf) }
}

func tools(have string, has func(*ir.Tool) bool) func(*ir.Server) string {
	return func(s *ir.Server) string { return share(s.Tools, "tools", have, has, toolName) }
}

func events(have string, has func(*ir.Event) bool) func(*ir.Server) string {
	return func(s *ir.Server) string {
		return share(s.Events, "events", have, has, func(e *ir.Event) string { return e.Name })
	}
}

// schemes are those of the URIs, each once.
func schemes(s *ir.Server) string {
	var list []string
	for _, r := range plain(s) {
		scheme, _, _ := strings.Cut(r.URI, ":")
		if !slices.Contains(list, scheme) {
			list = append(list, scheme)
		}
	}
	if list == nil {
		return ""
	}
	return "schemes: " + strings.Join(list, ", ")
}

func documented(s *ir.Server) string {
	if len(plain(s)) == 0 {
		return ""
	}
	return either(s.Instructions != "", "instructions are sent to clients", "no instructions are sent to clients")
}

func subscriptions(s *ir.Server) string {
	if len(s.Resources) == 0 {
		return ""
	}
	return either(s.Capabilities().Subscribe, "subscriptions are offered", "no subscriptions are offered")
}

// apps says how many pages have a member in their metadata.
func apps(have, member string) func(*ir.Server) string {
	return func(s *ir.Server) string {
		list := slices.DeleteFunc(slices.Clone(s.Resources), func(r *ir.Resource) bool { return r.App == nil })
		return share(list, "pages", have, func(r *ir.Resource) bool {
			return slices.ContainsFunc(r.Meta, func(m ir.MetaEntry) bool { return strings.Contains(m.Value, member) })
		}, uriOf)
	}
}

func appTools(s *ir.Server) string {
	list := slices.DeleteFunc(slices.Clone(s.Tools), func(t *ir.Tool) bool { return t.App == "" })
	return share(list, "tools with an app", "are for apps only", func(t *ir.Tool) bool { return t.OnlyApps }, toolName)
}

func prompts(s *ir.Server) string {
	return share(s.Prompts, "prompts", "ask for rights", func(p *ir.Prompt) bool { return p.Rules.Restricts() },
		func(p *ir.Prompt) string { return p.Name })
}

// completers counts the completions, and those that are functions.
func completers(s *ir.Server) string {
	var all []ir.Completer
	for _, r := range s.Resources {
		all = append(all, r.Completers...)
	}
	for _, p := range s.Prompts {
		all = append(all, p.Completers...)
	}
	return share(all, "completions", "are functions", func(c ir.Completer) bool { return c.Callee != nil },
		func(c ir.Completer) string { return c.Name })
}

func pageSize(s *ir.Server) string {
	if s.PageSize == 0 {
		return "pages have the size of the options"
	}
	return fmt.Sprintf("pages have %d entries", s.PageSize)
}

func extensions(s *ir.Server) string {
	return share(s.Extensions, "extensions", "have a description",
		func(x *ir.ServerExtension) bool { return x.Description != "" },
		func(x *ir.ServerExtension) string { return x.ID })
}
