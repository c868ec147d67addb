// Package event builds the events of a server, with the functions that match, shape and replay them.
package event

import (
	"cmp"
	"fmt"
	"go/types"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/goname"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/load"
	"github.com/mcpgen/mcpgen/internal/serverir/feature"
	"github.com/mcpgen/mcpgen/internal/serverir/gotype"
	"github.com/mcpgen/mcpgen/internal/serverir/jsoncheck"
	"github.com/mcpgen/mcpgen/internal/serverir/names"
	"github.com/mcpgen/mcpgen/internal/serverir/report"
	"github.com/mcpgen/mcpgen/internal/serverir/source"
	"github.com/mcpgen/mcpgen/internal/serverir/variable"
)

// builder builds the events of a server.
type builder struct {
	feature.Passes
	*feature.Context
	// all are the events in the order of the source.
	all []*event
	// hints are the events for updates of resources.
	hints []hint
	// broken are the names of structs whose event directive, or whose type, could not be used.
	broken []string
}

// event is an event with its declaration.
type event struct {
	*ir.Event
	decl *load.Decl
	spec *directive.Event
	// payload and args are the types; args is nil if there are no arguments, or none that can be used.
	payload, args types.Type
	// unsure says that the arguments could not be read.
	unsure bool
}

// New returns what builds the events of one server.
func New(s *feature.Context) feature.Kind { return &builder{Context: s} }

// Declare reads the events.
func (b *builder) Declare() {
	source.EachSpec(b.Pkg, b.build)
	for _, d := range b.Pkg.Decls {
		if d.Primary != nil && d.Primary.Bad && d.Primary.Name == "event" {
			b.broken = append(b.broken, d.Name)
		}
	}
}

// Refer reads the functions of events.
func (b *builder) Refer() {
	source.EachSpec(b.Pkg, func(d *load.Decl, spec *directive.Match) { b.refer(d, spec.Of, matching) })
	source.EachSpec(b.Pkg, func(d *load.Decl, spec *directive.Shape) { b.refer(d, spec.Of, shaping) })
	source.EachSpec(b.Pkg, func(d *load.Decl, spec *directive.Replay) { b.refer(d, spec.Of, replaying) })
}

// Finish compares arguments by their names where no function does, and makes events of the updates of resources, of
// which all is known.
func (b *builder) Finish() {
	source.EachSpec(b.Pkg, b.updates)
	for _, e := range b.all {
		b.replayed(e)
		if e.Match == nil && e.Replay == nil && e.args != nil {
			b.compare(e)
		}
		if len(e.Equal) > 0 {
			e.Names.Match = "match" + goname.UpperFirst(e.decl.Name)
		}
	}
}

// Capabilities adds that there are events.
func (b *builder) Capabilities(c *ir.Capabilities) {
	for _, e := range b.Server.Events {
		c.Events = c.Events || !e.Proto.Off
		c.EventsChanged = c.EventsChanged || !e.Proto.Off && e.Toggle != ""
	}
	for _, r := range b.Server.Resources {
		c.Events = c.Events || !r.Proto.Off && r.Event != nil
	}
}

// Claim reserves the names of the events.
func (b *builder) Claim(c *names.Registry) {
	for _, e := range b.all {
		n := e.Names
		methods := []string{"." + n.Publish, "." + n.Commit}
		if e.Replay != nil {
			methods = []string{"." + n.Announce}
		}
		c.Claim(e.decl, append(methods, "."+n.Field, n.Match, "."+e.Toggle)...)
	}
}

// build turns one event directive into IR.
func (b *builder) build(d *load.Decl, spec *directive.Event) {
	if d.Obj == nil || source.Invalid(d.Obj.Type()) {
		b.broken = append(b.broken, d.Name)
		return
	}
	e := &event{decl: d, spec: spec, payload: d.Obj.Type(), Event: &ir.Event{
		Pos: b.Res.Pos(d.Primary.Pos, d.Primary.End), File: filepath.Base(d.File.Path),
		Name: names.Shown(d), Title: spec.Title.V, Description: spec.Desc.V,
		Retain: spec.Retain.V, Keep: spec.Keep.V, Poll: spec.Poll.V,
		Proto: b.ProtoOf(d), Toggle: b.ToggleOf(d), Tags: feature.Texts(&spec.Tags), Names: namesOf(d.Name),
	}}
	if !spec.Desc.Set() {
		e.Description = source.TypeDescription(source.Description(d.Doc, d.Name))
	}
	e.Description = b.Deprecated(d, e.Description)
	b.Misplaced(d, nil)
	free := b.nameFree(e)
	b.modes(e)
	b.amounts(e)
	e.Rules = b.rules(d)
	b.arguments(e)
	b.all = append(b.all, e)
	if !b.payloadOf(e) {
		return
	}
	b.idOf(e)
	b.timeOf(e)
	if free {
		b.Server.Events = append(b.Server.Events, e.Event)
	}
}

// rules returns the access rules and limits of an event. Middleware has no effect, because no call is made for an
// occurrence; that of the defaults runs around the other features.
func (b *builder) rules(d *load.Decl) *ir.Rules {
	for _, m := range d.Directives {
		if _, ok := m.Spec.(*directive.Use); ok && !m.Bad {
			b.Report("MCP108", m.NamePos, m.NameEnd(), "`use` cannot stand on an event: no call is made for an occurrence",
				report.Fix("remove the line"))
		}
	}
	r := b.GuardOf(&variable.Set{Decl: d}, "")
	if r == nil || !r.Restricts() && r.Limit == (ir.Limit{}) {
		return nil
	}
	r.Use = nil
	return r
}

// namesOf returns the generated names for the event of a struct.
func namesOf(base string) ir.EventNames {
	up := goname.UpperFirst(base)
	low := goname.Unexported(up) + "Event"
	return ir.EventNames{Publish: "Publish" + up, Commit: "Commit" + up, Announce: "Announce" + up, Field: low, New: low}
}

// namePattern matches the name of an event.
var namePattern = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9_./-]{0,126}[A-Za-z0-9])?$`)

// nameFree checks the name of an event. It reports whether no other event has it.
func (b *builder) nameFree(e *event) bool {
	from, to := source.NamedAt(e.decl, e.spec.Name)
	if !namePattern.MatchString(e.Name) {
		b.Report("MCP109", from, to, fmt.Sprintf("`%s` is not a name for an event: 1 to 128 of A-Z a-z 0-9 _ . / -, with a "+
			"letter or digit at both ends", e.Name), report.Fix("name="+cmp.Or(goname.JoinLower(e.decl.Name, "."), "happened")))
		return false
	}
	for _, o := range b.all {
		if o.Name == e.Name {
			b.Taken(from, to, "event", e.Name, o.decl, "give one of them another name=…")
			return false
		}
	}
	return true
}

// modes reads modes=.
func (b *builder) modes(e *event) {
	e.Modes = modesOf(&e.spec.Modes)
	if arg := e.spec.Poll.Arg; arg != nil && !strings.Contains(strings.Join(e.Modes, " "), "poll") {
		b.Report("MCP624", arg.Pos, arg.End, "`poll` is how long clients wait between polls, and `modes` has no `poll`",
			report.Fix("remove it, or add poll to modes="))
	}
}

// amounts reports limits by which no history would be left.
func (b *builder) amounts(e *event) {
	for _, k := range []struct {
		arg *directive.Arg
		ok  bool
	}{
		{e.spec.Retain.Arg, e.Retain > 0}, {e.spec.Keep.Arg, e.Keep > 0}, {e.spec.Poll.Arg, e.Poll > 0},
	} {
		if k.arg != nil && !k.ok {
			from, to := source.ValueOf(k.arg)
			b.Report("MCP109", from, to, fmt.Sprintf("`%s` of an event must be more than 0", k.arg.Option),
				report.Fix("remove it for the default"))
		}
	}
}

// payloadOf describes the struct of the payload. It returns false if the struct cannot be a payload.
func (b *builder) payloadOf(e *event) bool {
	from, to := source.NameOf(e.decl)
	if why := b.notPayload(e.payload); why != "" {
		b.Report("MCP416", from, to, why, report.Fix("declare a struct with a field for each member of the payload"))
		return false
	}
	// Clients read it, and the server reads it again from its history.
	if !jsoncheck.Output(b.Types, e.payload, from, to) || !jsoncheck.Check(b.Types, e.payload, true, from, to) {
		return false
	}
	e.Type, e.Payload, e.Encode = b.ParamGoType(e.payload), b.PayloadSchema(e.payload), b.Encoder(e.payload)
	return true
}

// notPayload says why a struct cannot be the payload of an event; empty if it can.
func (b *builder) notPayload(t types.Type) string {
	named, _ := t.(*types.Named)
	switch {
	case named == nil || named.TypeParams().Len() > 0:
		return "the payload of an event has no type parameters, nor is it an alias"
	case gotype.MarshalsJSON(t) || gotype.MarshalsText(t):
		return fmt.Sprintf("`%s` writes itself, so its members are not known", b.TypeText(t))
	case b.HoldsMapped(t):
		return fmt.Sprintf("`%s` has a type that functions with `type` read and write, and a payload is read by "+
			"encoding/json", b.TypeText(t))
	}
	return ""
}

// arguments finds the struct that args= names.
func (b *builder) arguments(e *event) {
	if !e.spec.Args.Set() {
		return
	}
	e.unsure = true
	from, to := source.ValueOf(e.spec.Args.Arg)
	obj, _ := b.Pkg.Types.Scope().Lookup(e.spec.Args.V).(*types.TypeName)
	if obj == nil || b.Pkg.Generated(obj) {
		b.Report("MCP501", from, to, fmt.Sprintf("`args=%s` names no type of this package", e.spec.Args.V),
			report.Fix("declare it: type "+goname.UpperFirst(goname.Of(e.spec.Args.V))+" struct { … }"))
		return
	}
	t := obj.Type()
	why := ""
	switch n, _ := t.(*types.Named); {
	case source.Invalid(t):
		return
	case n == nil || n.TypeParams().Len() > 0 || !gotype.IsStruct(t) || gotype.IsNamed(t, "time", "Time"):
		why = fmt.Sprintf("the arguments of an event are a struct; `%s` is none that can be used", b.TypeText(t))
	case gotype.UnmarshalsJSON(t) || gotype.UnmarshalsText(t):
		why = fmt.Sprintf("`%s` reads itself, so its arguments are not known", b.TypeText(t))
	}
	if why != "" {
		b.Report("MCP416", from, to, why, report.Fix("name a struct with a field for each argument"))
		return
	}
	if jsoncheck.Check(b.Types, t, true, from, to) {
		e.args, e.unsure = t, false
		e.Args, e.Arguments = b.ArgStruct(t), b.InputSchema(t)
	}
}
