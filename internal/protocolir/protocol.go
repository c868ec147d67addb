package protocolir

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/goname"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/schema"
)

// Tables are the hand-written tables beside the schemas, and the record of what was given.
type Tables struct {
	Exceptions *schema.Exceptions
	Docs       *schema.Docs
	API        *schema.API
}

// Result is a merged protocol.
type Result struct {
	Protocol *ir.Protocol
	API      *schema.API // what it gives: the record with what this set of schemas adds
	Warnings []error     // what had to be kept as untyped JSON and what is not documented
	Notes    []Note      // what the rule for later revisions has decided
}

// Note tells of a decision that nobody has to act upon.
type Note struct {
	Pos  schema.Pos
	Text string
}

// String returns file:line:col: note: text.
func (n Note) String() string { return n.Pos.String() + ": note: " + n.Text }

// Protocol merges schemas of different revisions into the protocol's IR. If they are all revisions of the record, or
// more, an error says what the record has and the merged protocol has not.
func Protocol(schemas []*schema.Schema, t Tables) (*Result, error) {
	schemas = slices.Clone(schemas)
	slices.SortFunc(schemas, func(a, b *schema.Schema) int { return cmp.Compare(a.Revision, b.Revision) })
	if len(schemas) == 0 {
		return nil, fmt.Errorf("no schema given")
	}
	if len(schemas) > maxRevisions {
		return nil, fmt.Errorf("%d schemas given; at most %d fit into one set of revisions", len(schemas), maxRevisions)
	}
	var warnings []error
	for i, s := range schemas {
		if i > 0 && schemas[i-1].Revision == s.Revision {
			return nil, fmt.Errorf("%s and %s are both revision %s", schemas[i-1].File, s.File, s.Revision)
		}
		for _, w := range s.Warnings {
			warnings = append(warnings, w)
		}
	}
	m := newMerger(schemas, t.Exceptions, t.API)
	m.merge()
	b := newProtocolBuilder(m, t.Docs)
	r := &Result{Protocol: b.build()}
	r.Notes = m.notes
	r.API = b.given(r.Protocol)
	for _, w := range m.warnings {
		warnings = append(warnings, w)
	}
	for _, u := range b.unset() {
		warnings = append(warnings, u)
	}
	if len(b.missing) > 0 {
		warnings = append(warnings, &UndocumentedError{File: "schema/docs.json", Items: b.missing})
	}
	r.Warnings = warnings
	return r, errors.Join(errors.Join(m.errs...), b.checkGiven(r.API))
}

// maxRevisions is how many revisions [ir.Revs] has bits for, less a few to spare.
const maxRevisions = 60

// UndocumentedError is the warning that some items have no doc sentence.
type UndocumentedError struct {
	File  string // where the sentences belong
	Items []schema.DocKey
}

// Error counts the items and names the first.
func (e *UndocumentedError) Error() string {
	return fmt.Sprintf("%s: warning: no sentence for %d items, the first is %s", e.File, len(e.Items), e.Items[0])
}

// reservedNames are declared in the generated package whatever the schema says.
var reservedNames = []string{
	"Both", "Client", "Dispatch", "DispatchNotification", "HasMethod", "Latest", "MethodInfo", "MethodKind", "Methods",
	"Notification", "NotificationHandler", "ParseRevision", "Prepared", "Request", "Revision", "Revisions", "Server",
	"ServerHandler", "Side", "UnimplementedNotificationHandler", "UnimplementedServerHandler",
}

// typeName returns the Go name that a definition gets, unless it is taken or was another one before.
func (b *protocolBuilder) typeName(name string) string {
	if short, ok := strings.CutPrefix(name, b.ex.Prefix); ok && short != "" {
		name = short
	}
	return goname.Of(name)
}

// wanted reports whether a definition is declared. In the package of an extension that is what it adds, and what that
// has of the core in a form which the core's package has not.
func (b *protocolBuilder) wanted(d *mergedDef) bool { return b.extension == nil || b.reached[d.name] }

type protocolBuilder struct {
	*merger
	docs    *schema.Docs
	names   *nameTable
	goNames map[string]string // by merged definition
	all     ir.Revs
	missing []schema.DocKey // items without a doc sentence
	reached map[string]bool // of an extension: what it adds and refers to
}

func newProtocolBuilder(m *merger, docs *schema.Docs) *protocolBuilder {
	b := &protocolBuilder{merger: m, docs: docs, goNames: map[string]string{}}
	b.names = newNameTable(reservedNames...)
	if m.extension != nil {
		b.names.keep("ID")
	}
	b.keepNames()
	return b
}

func (b *protocolBuilder) build() *ir.Protocol {
	p := &ir.Protocol{}
	for _, s := range b.schemas {
		name := b.names.claim(revisionName(s.Revision), "X")
		p.Revisions = append(p.Revisions, ir.Revision{Date: s.Revision, Go: name, Last: name})
	}
	b.all = p.All()
	for _, g := range b.ex.Groups {
		p.Groups = append(p.Groups, g.Name)
	}
	p.Groups = append(p.Groups, b.group(""))
	slices.Sort(p.Groups)
	for _, d := range b.order {
		if name, foreign := b.extension.foreign(d); foreign {
			b.goNames[d.name] = name
		}
	}
	b.reach()
	for _, d := range b.order {
		if b.goNames[d.name] == "" && b.wanted(d) {
			b.goNames[d.name] = b.names.claimKept(b.keptType(d), b.typeName(d.name), "Type")
		}
	}
	p.EmptyResult = b.goNames[b.empty]
	for _, d := range b.order {
		if name := b.goNames[d.name]; name == "" || isForeign(name) {
			continue
		}
		switch d.kind {
		case defStruct:
			p.Structs = append(p.Structs, b.structOf(d))
		case defEnum:
			p.Enums = append(p.Enums, b.enumOf(d))
		case defUnion:
			p.Unions = append(p.Unions, b.unionOf(d))
		case defAlias:
			p.Aliases = append(p.Aliases, b.aliasOf(d))
		}
	}
	b.methodsOf(p)
	b.codesOf(p)
	b.markersOf(p)
	b.see()
	b.review()
	return p
}

// restGroup names the file of the types that no group of the exceptions claims.
const restGroup = "base"

func (b *protocolBuilder) group(name string) string {
	for _, g := range b.ex.Groups {
		for _, pattern := range g.Match {
			if globMatch(pattern, name) {
				return g.Name
			}
		}
	}
	if b.extension != nil {
		return "" // one file
	}
	return restGroup
}

func (b *protocolBuilder) enumOf(d *mergedDef) *ir.Enum {
	e := &ir.Enum{Go: b.goNames[d.name], Schema: d.name, Group: b.group(d.name), Revs: d.revs}
	doc := b.docs.Enum(d.name)
	if doc == "" {
		doc = b.docs.Type(d.name)
	}
	e.Doc = b.typeDoc(e.Go, d, doc)
	var kept map[string]string
	if t := b.api.Type(d.name); t != nil {
		kept = t.Values
	}
	for _, v := range d.values {
		value := ir.EnumValue{Go: b.names.claimKept(kept[v.text], e.Go+goname.Of(v.text), "Value"), Value: v.text,
			Revs: v.revs}
		value.Doc = b.memberDoc(schema.DocKey{Section: "enums", Name: d.name, Member: v.text}, b.docs.Value(d.name, v.text),
			v.revs, d.revs)
		e.Values = append(e.Values, value)
	}
	return e
}

func (b *protocolBuilder) aliasOf(d *mergedDef) *ir.Alias {
	a := &ir.Alias{Go: b.goNames[d.name], Schema: d.name, Group: b.group(d.name), Revs: d.revs, Type: b.typeRef(d.alias)}
	a.Doc = b.typeDoc(a.Go, d, b.docs.Type(d.path))
	return a
}

func (b *protocolBuilder) typeRef(t *mergedType) *ir.Type {
	out := &ir.Type{Kind: t.kind, Many: t.many, Null: t.null}
	if t.name != "" {
		out.Name = b.goNames[t.name]
	}
	if t.elem != nil {
		out.Elem = b.typeRef(t.elem)
	}
	return out
}

func (b *protocolBuilder) methodsOf(p *ir.Protocol) {
	for _, x := range b.methods {
		base, kept := b.typeName(trimKind(x.def)), b.api.Methods[x.name]
		if kept == nil {
			kept = &schema.APIMethod{}
		}
		method := &ir.Method{
			Name: x.name, Const: b.names.claimKept(kept.Const, "Method"+goname.Of(x.name), "Name"), Go: base,
			Notification: x.notification,
			Revs:         x.client | x.server, ClientRevs: x.client, Skip: b.ex.IsSkipped(x.name),
			Params: b.goNames[x.params], Union: b.defs[x.params].kind == defUnion,
		}
		if x.client != 0 {
			method.From |= ir.FromClient
			method.Note = b.note(x.client, b.all)
		}
		if x.server != 0 {
			method.From |= ir.FromServer
		}
		if !x.notification {
			method.Reply = base + "Reply"
			method.Marker = goname.LowerFirst(method.Reply)
			for _, r := range x.results {
				method.Results = append(method.Results, b.goNames[r])
			}
			if slices.ContainsFunc(method.Results, isForeign) {
				method.Marker = ""
			}
		}
		method.Doc = b.memberDoc(schema.DocKey{Section: "methods", Name: x.name}, b.docs.Method(x.name), method.Revs, b.all)
		p.Methods = append(p.Methods, method)
	}
}

func (b *protocolBuilder) codesOf(p *ir.Protocol) {
	if x := b.extension; x != nil {
		b.codes = slices.DeleteFunc(b.codes, func(c *mergedCode) bool { return !x.own[c.def] })
	}
	for _, c := range b.codes {
		code := &ir.Code{Go: b.names.claimKept(b.api.Codes[c.name+" "+c.text], "Code"+goname.Of(c.name), "Error"),
			Value: c.text, Revs: c.revs}
		code.Doc = b.memberDoc(schema.DocKey{Section: "codes", Name: c.text}, b.docs.Code(c.text), c.revs, b.all)
		if slices.Contains(rpcCodes, c.text) {
			code.Doc = b.docs.Code(c.text)
		}
		p.Codes = append(p.Codes, code)
	}
}

// rpcCodes are the codes of JSON-RPC itself: whenever a schema began to name them, every
// revision has them.
var rpcCodes = []string{"-32700", "-32600", "-32601", "-32602", "-32603"}

// markersOf lists for every struct the interfaces that it is a member of.
func (b *protocolBuilder) markersOf(p *ir.Protocol) {
	byName := map[string]*ir.Struct{}
	for _, s := range p.Structs {
		byName[s.Go] = s
	}
	for _, u := range p.Unions {
		for _, v := range u.Variants {
			if u.Marker != "" {
				byName[v.Struct].Markers = append(byName[v.Struct].Markers, u.Marker)
			}
		}
	}
	for _, x := range p.Methods {
		if x.Skip || x.ClientRevs == 0 || x.Notification || x.Marker == "" {
			continue
		}
		for _, r := range x.Results {
			byName[r].Markers = append(byName[r].Markers, x.Marker)
		}
	}
}
