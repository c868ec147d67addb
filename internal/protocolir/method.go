package protocolir

import (
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/goname"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/protocolir/merged"
	"github.com/mcpgen/mcpgen/internal/protocolir/revision"
	"github.com/mcpgen/mcpgen/internal/protocolir/union"
	"github.com/mcpgen/mcpgen/schema"
)

func (b *builder) methodsOf(p *ir.Protocol) {
	handlers := newNameTable()
	for _, x := range b.API.Methods {
		handlers.keep(x.Handler)
	}
	for _, x := range b.Methods {
		kept := b.API.Methods[x.Name]
		base := b.handlerName(handlers, x, kept)
		method := &ir.Method{
			Name: x.Name, Const: b.names.claimKept(kept.Const, "Method"+goname.Of(x.Name), "Name"), Go: base,
			Notification: x.Notification,
			Revs:         x.Client | x.Server, ClientRevs: b.dispatched(x, x.Client),
			ServerRevs: b.dispatched(x, x.Server),
			Params:     b.goNames[x.Params], Union: b.Defs[x.Params].Kind == revision.Union,
		}
		if x.Client != 0 {
			method.From |= ir.FromClient
			method.Note = b.comments.Note(method.ClientRevs, b.comments.All)
		}
		if x.Server != 0 {
			method.From |= ir.FromServer
			method.ServerNote = b.comments.Note(method.ServerRevs, b.comments.All)
		}
		if !x.Notification {
			method.Reply = b.names.claimKept(replyName(kept), base+"Reply", "Type", replyFunctions...)
			method.Marker = goname.LowerFirst(method.Reply)
			results := b.resultsOf(x, method.ClientRevs|method.ServerRevs)
			for _, r := range results {
				method.Results = append(method.Results, b.goNames[r.Name])
			}
			method.By = b.replyOf(x, method, results)
		}
		key := schema.DocKey{Section: "methods", Name: x.Name}
		method.Doc = b.comments.Member(key, b.docs.Method(x.Name), method.Revs, b.comments.All)
		p.Methods = append(p.Methods, method)
	}
}

// handlerName returns the name of a handler method. If a revision gives a definition another method than earlier ones,
// the earlier method keeps the name.
func (b *builder) handlerName(taken *nameTable, x *merged.Method, kept schema.APIMethod) string {
	if kept.Handler != "" {
		return kept.Handler
	}
	name := b.typeName(strings.TrimSuffix(strings.TrimSuffix(x.Def, "Request"), "Notification"))
	if taken.taken[name] {
		name = goname.Of(x.Name)
	}
	return taken.claim(name, "Method")
}

// replyName returns the name in the record of the interface for the replies to a method; "" if there is none.
func replyName(kept schema.APIMethod) string {
	if kept.Handler == "" || kept.Results == nil {
		return ""
	}
	return kept.Handler + "Reply"
}

// resultsOf lists the results of a request. In a revision that defines none it is the empty result.
func (b *builder) resultsOf(x *merged.Method, dispatched ir.Revs) (out []merged.Member) {
	rest := dispatched
	for _, name := range x.Results {
		revs := b.Defs[name].Revs & dispatched
		out = append(out, merged.Member{Name: name, Revs: revs})
		rest &^= revs
	}
	if rest == 0 {
		return out
	}
	i := slices.IndexFunc(out, func(m merged.Member) bool { return m.Name == b.Empty })
	if i < 0 {
		return append(out, merged.Member{Name: b.Empty, Revs: rest})
	}
	out[i].Revs |= rest
	return out
}

// replyOf returns, for each revision, how the results of a request are told apart.
func (b *builder) replyOf(x *merged.Method, m *ir.Method, results []merged.Member) []ir.Decision {
	d := &merged.Def{Name: m.Reply, Revs: m.ClientRevs | m.ServerRevs, Members: results, Pos: b.Defs[x.Def].Pos}
	if d.Revs == 0 {
		return nil
	}
	decide := union.New(b.Set, b.Report, b.goNames)
	decide.Result = func(def string) (text string) {
		text, _ = b.ex.Default(def, union.ResultType)
		return text
	}
	return decide.Decide(d)
}

// dispatched returns the revisions of among in which the dispatcher knows a method.
func (b *builder) dispatched(x *merged.Method, among ir.Revs) (revs ir.Revs) {
	for i, s := range b.Schemas {
		if among.Has(i) && !b.ex.IsSkipped(x.Name, s.Revision) {
			revs |= merged.Bit(i)
		}
	}
	return revs
}

func (b *builder) codesOf(p *ir.Protocol) {
	if x := b.extension; x != nil {
		b.Codes = slices.DeleteFunc(b.Codes, func(c *merged.Code) bool { return !x.Own[c.Def] })
	}
	for _, c := range b.Codes {
		code := &ir.Code{Go: b.names.claimKept(b.API.Codes[c.Name+" "+c.Text], "Code"+goname.Of(c.Name), "Error"),
			Value: c.Text, Revs: c.Revs}
		key := schema.DocKey{Section: "codes", Name: c.Text}
		code.Doc = b.comments.Member(key, b.docs.Code(c.Text), c.Revs, b.comments.All)
		if slices.Contains(rpcCodes, c.Text) {
			code.Doc = b.docs.Code(c.Text)
		}
		p.Codes = append(p.Codes, code)
	}
}

// rpcCodes are the codes of JSON-RPC itself. They count for all revisions, although older schemas do not name them.
var rpcCodes = []string{"-32700", "-32600", "-32601", "-32602", "-32603"}

// markersOf lists, for each struct, the interfaces of unions and replies that it implements.
func (b *builder) markersOf(p *ir.Protocol) {
	byName := map[string]*ir.Struct{}
	for _, s := range p.Structs {
		byName[s.Go] = s
	}
	for _, u := range p.Unions {
		for _, v := range u.Variants {
			if s := byName[v.Struct]; s != nil { // else it is the core's
				s.Markers = append(s.Markers, u.Marker)
			}
		}
	}
	for _, x := range p.Methods {
		if x.ClientRevs|x.ServerRevs == 0 || x.Notification {
			continue
		}
		for _, r := range x.Results {
			if s := byName[r]; s != nil {
				s.Markers = append(s.Markers, x.Marker)
			}
		}
	}
}
