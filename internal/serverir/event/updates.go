package event

import (
	"fmt"
	"slices"

	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/load"
	"github.com/mcpgen/mcpgen/internal/serverir/report"
)

// updates gives a resource the event of its updates.
func (b *builder) updates(d *load.Decl, spec *directive.Resource) {
	i := slices.IndexFunc(b.Server.Resources, func(r *ir.Resource) bool { return r.URI == spec.URI.V && r.AliasOf == nil })
	if !spec.Event.Set() || i < 0 {
		return
	}
	r, arg := b.Server.Resources[i], spec.Event.Arg
	if why, better := unfit(d, r); why != "" {
		b.Report("MCP405", arg.Pos, arg.End, why, report.Fix(better))
		return
	}
	e := &ir.ResourceEvent{
		Name: r.Name + ".updated", Description: fmt.Sprintf("The resource %s may have changed: read it again.", r.Name),
		Modes: modesOf(&spec.Event),
	}
	if r.Template != nil {
		e.Description = fmt.Sprintf("A resource of the template %s may have changed: read it again.", r.Name)
	}
	if !b.updatesFree(e.Name, arg) {
		return
	}
	if r.Rules.Restricts() {
		rules := *r.Rules
		rules.Limit, rules.Use = ir.Limit{}, nil
		e.Rules = &rules
	}
	r.Event = e
	b.hints = append(b.hints, hint{e.Name, d})
}

// hint is the event for the updates of a resource, with its declaration.
type hint struct {
	name string
	decl *load.Decl
}

// unfit says why updates of a resource cannot be events, and what to do instead; empty if they can.
func unfit(d *load.Decl, r *ir.Resource) (why, better string) {
	switch {
	case !r.Subscribe:
		return fmt.Sprintf("nothing says that `%s` has changed, so there is nothing to tell", d.Name), "add `subscribe`"
	case r.Fixed:
		return fmt.Sprintf("`%s` never changes", d.Name), "remove `event`"
	case r.Toggle != "":
		return fmt.Sprintf("`%s` is switched off and on, and the event of its updates is not", d.Name),
			"remove `event` or `toggle`"
	case r.PollMillis > 0 || r.Watch != nil || r.Struct != nil && r.Struct.Kind == ir.StructSource:
		return fmt.Sprintf("changes of `%s` are looked for only while a client is subscribed, so events of them "+
			"would be missing", d.Name), "remove `event`, or declare an event with //mcp:event on a struct, and publish it"
	case r.Rules != nil && slices.ContainsFunc(r.Rules.Policies, func(p ir.Policy) bool { return p.Name != "" }):
		return fmt.Sprintf("the policy of `%s` looks at its variables, and an event has none", d.Name),
			"remove `event`, or declare an event with //mcp:event on a struct, and leave out in //mcp:shape what a caller " +
				"may not see"
	}
	return "", ""
}

// updatesFree checks the name of an event for updates, and reports whether no other has it.
func (b *builder) updatesFree(name string, arg *directive.Arg) bool {
	if !namePattern.MatchString(name) {
		b.Report("MCP109", arg.Pos, arg.End, fmt.Sprintf("the event would be called `%s`, and the name of an event has "+
			"letters, digits and _ . / - only", name), report.Fix("give the resource another name=…"))
		return false
	}
	other := (*load.Decl)(nil)
	for _, e := range b.all {
		if e.Name == name {
			other = e.decl
		}
	}
	for _, h := range b.hints {
		if h.name == name {
			other = h.decl
		}
	}
	if other == nil {
		return true
	}
	b.Taken(arg.Pos, arg.End, "event", name, other, "give one of them another name=…")
	return false
}

// modesOf returns the modes of an event; the default is what every server can do.
func modesOf(set *directive.Enums) []string {
	if len(set.V) == 0 {
		return []string{"poll", "push"}
	}
	var modes []string
	for _, item := range set.V {
		modes = append(modes, item.V)
	}
	return modes
}
