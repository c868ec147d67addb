package server

import (
	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/templates/jenutil"
)

// emitSource writes the interface of a database.
//
//	// AccountSource has the values of crm:///{region}/{id}. Its methods are called concurrently.
//	type AccountSource interface {
//		// Get returns one value, or an error that wraps mcp.ErrNotFound if there is none.
//		Get(ctx context.Context, region string, id int64) (Account, error)
//		// List returns a page of the values, in an order that lasts.
//		List(ctx context.Context, page mcp.Page) (mcp.List[Account], error)
//	}
func emitSource(f *serverFile, s *ir.Server, r *ir.Resource) {
	n, value := r.Struct.Names, jenutil.GoType(r.Struct.Type)
	methods := []jen.Code{
		jenutil.Note("Get returns one value, or an error that wraps mcp.ErrNotFound if there is none."),
		jen.Id("Get").Params(f.sourceParams(r)...).Params(value, jen.Error()),
	}
	if r.List != nil {
		methods = append(methods,
			jenutil.Note("List returns one page of the values, in the same order each time."),
			jen.Id("List").Params(jenutil.CtxParam(), jen.Id("page").Add(jenutil.MCP("Page"))).
				Params(jenutil.MCP("List").Types(value),
					jen.Error()))
	}
	f.note(n.Keeper + " has the values of " + r.URI + ", for " + s.Names.Impl + "." + r.Struct.Field +
		". Its methods are called concurrently.")
	f.Type().Add(jenutil.Ident(n.Keeper)).Interface(methods...)
	emitWatcher(f, r)
}

// emitWatcher writes the interface of a source that knows when its values change.
//
//	// AccountWatcher is an AccountSource that knows when a value changes.
//	type AccountWatcher interface {
//		// Watch takes its first look when it is called and yields after each change …
//		Watch(ctx context.Context, region string, id int64) iter.Seq2[time.Time, error]
//	}
func emitWatcher(f *serverFile, r *ir.Resource) {
	n := r.Struct.Names
	if n.Watcher == "" {
		return
	}
	otherwise := "Without it, changes are known from " + r.Names.Updated + " alone."
	if r.PollMillis > 0 {
		otherwise = "Without it, watched values are read again from time to time."
	}
	f.note(n.Watcher+" can be implemented by "+withArticle(n.Keeper)+" that knows when a value changes.", otherwise)
	f.Type().Add(jenutil.Ident(n.Watcher)).Interface(
		jenutil.Note("Watch takes its first look when it is called and yields after each change. The sequence runs while "+
			"somebody is subscribed, until ctx ends."),
		jen.Id("Watch").Params(f.sourceParams(r)...).Add(watchSeq()))
}

func watchSeq() jen.Code {
	return jen.Qual("iter", "Seq2").Types(jen.Qual("time", "Time"), jen.Error())
}

// sourceParams are a context and the variables.
func (f *serverFile) sourceParams(r *ir.Resource) []jen.Code {
	return append([]jen.Code{jenutil.CtxParam()}, paramList(f.varParams(r))...)
}

// emitSourceHandlers writes the functions that ask a source.
//
//	func readAccount(impl *CrmImpl, c *mcprt.Call) (mcprt.Contents, error) {
//		v, err := readAccountVars(c.Vars)
//		if err != nil {
//			return mcprt.Contents{}, err
//		}
//		return accountContents(impl.Account.Get(c, v.Region, v.ID))
//	}
func emitSourceHandlers(f *serverFile, s *ir.Server, r *ir.Resource) {
	get := f.sourceField(r).Dot("Get").Call(f.sourceArgs(r)...)
	f.sourceHandler(s, r.Names.Read).Params(jenutil.RT("Contents"), jen.Error()).Block(
		append(f.sourceVars(r, jenutil.RT("Contents").Values()),
			jen.Return(jenutil.Ident(r.Struct.Names.Contents).Call(get)))...)
	if r.Struct.Names.Watcher == "" || r.Watch != nil {
		return
	}
	// func watchAccount(impl *CrmImpl, c *mcprt.Call) (iter.Seq2[time.Time, error], error) {
	//	…
	//	if w, ok := impl.Account.(AccountWatcher); ok {
	//		return w.Watch(c, v.Region, v.ID), nil
	//	}
	//	return mcprt.Poll(30*time.Second, mcprt.With(impl, readAccount))(c)
	// }
	isWatcher := jen.List(jen.Id("w"),
		jen.Id("ok")).Op(":=").Add(f.sourceField(r)).Assert(jenutil.Ident(r.Struct.Names.Watcher))
	rest := jen.Return(jen.Nil(), jen.Nil())
	if r.PollMillis > 0 {
		rest = jen.Return(pollCode(r, readCode(r)).Call(jen.Id("c")))
	}
	f.sourceHandler(s, r.Names.Watch).Params(watchSeq(), jen.Error()).Block(
		append(f.sourceVars(r, jen.Nil()),
			jen.If(isWatcher, jen.Id("ok")).Block(jen.Return(jen.Id("w").Dot("Watch").Call(f.sourceArgs(r)...), jen.Nil())),
			rest)...)
}

// sourceHandler starts the handler of a source.
func (f *serverFile) sourceHandler(s *ir.Server, name string) *jen.Statement {
	return f.handler(s, true, name, callParam())
}

// sourceField is impl.Account.
func (f *serverFile) sourceField(r *ir.Resource) *jen.Statement {
	return jen.Id("impl").Dot(jenutil.Name(r.Struct.Field))
}

func (f *serverFile) sourceArgs(r *ir.Resource) []jen.Code {
	_, values := f.readInto(r, "v")
	return append([]jen.Code{jen.Id("c")}, values...)
}

// sourceVars reads the variables of the URI.
func (f *serverFile) sourceVars(r *ir.Resource, zero jen.Code) []jen.Code {
	into, _ := f.readInto(r, "v")
	return []jen.Code{readVarsCode(r, into, jen.Id("c").Dot("Vars")), jenutil.IfErr(zero, jen.Err())}
}

// liveMembers are the members of mcprt.Resource that serve a struct.
//
//	Value:     mcprt.HolderOf(impl.Settings),
//	Subscribe: true,
//	List:      mcprt.HolderOf(impl.Settings),
func liveMembers(r *ir.Resource, m *jenutil.Members) {
	if r.Struct.Kind == ir.StructSource {
		m.Add("Read", readCode(r))
	} else {
		m.Add("Value", kept(r))
	}
}

// structList is what lists the values of a struct.
func structList(r *ir.Resource) jen.Code {
	keeper := jen.Id("impl").Dot(jenutil.Name(r.Struct.Field))
	if r.Struct.Kind == ir.StructSource {
		return jenutil.RT("ListPages").Call(keeper.Dot("List"), jenutil.Ident(r.Names.Entry))
	}
	return kept(r)
}

// kept is the holder or store of a struct as the server sees it.
func kept(r *ir.Resource) jen.Code {
	of := "HolderOf"
	if r.Struct.Kind == ir.StructStore {
		of = "StoreOf"
	}
	return jenutil.RT(of).Call(jen.Id("impl").Dot(jenutil.Name(r.Struct.Field)))
}

// fieldPath is a field of x, possibly of a struct embedded in it: x.Base.ID.
func fieldPath(x, path string) *jen.Statement { return selected(jenutil.Ident(x), path) }
