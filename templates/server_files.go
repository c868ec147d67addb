package templates

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/templates/snip"
)

// emitFiles writes the method that says where the files of a template are.
//
//	// filesDocs are the files of docs:///{+path}.
//	func (h *docsHandlers) filesDocs() mcprt.Files {
//		return mcprt.Files{Root: h.impl.Docs.Files, URI: DocsURI, Directories: true}
//	}
func emitFiles(f *serverFile, s *ir.Server, r *ir.Resource) {
	if !f.first(s.Names.Handlers + "." + r.Root.Files) {
		return
	}
	recv, root := snip.PtrTo(snip.Ident(s.Names.Handlers)), snip.Ident(r.Root.Name)
	if r.Root.Recv != "" {
		recv = jen.Id("h").Add(recv)
		root = within(jen.Id("h").Dot("impl"), r.Root.Recv).Dot(snip.Name(r.Root.Name))
	}
	var m snip.Members
	m.Add("Root", root)
	if r.List != nil && r.List.Walk {
		m.Add("URI", fileURI(r))
	}
	m.Text("MIMEType", r.MIME)
	if r.Root.Directory {
		m.Add("Directories", jen.True())
	}
	f.note(r.Root.Files + " are the files of " + r.URI + ".")
	f.Func().Params(recv).Add(snip.Ident(r.Root.Files)).Params().Add(snip.RT("Files")).
		Block(jen.Return(snip.RT("Files").Add(m.Inline())))
}

// fileURI is a function from the path of a file to its URI: the builder of the template if that is all it takes.
//
//	func(path string) string { return DocsURI(path, 100) }
func fileURI(r *ir.Resource) jen.Code {
	build := snip.Ident(r.Names.URI)
	path := r.Vars[r.Root.Path]
	if len(r.Vars) == 1 && isBasic(path.Type, "string") {
		return build
	}
	var args []jen.Code
	for i, v := range r.Vars {
		switch {
		case i == r.Root.Path:
			args = append(args, from(path.Type, "string", jen.Id("path")))
		case v.Pointer || v.Kind == ir.VarSlice:
			args = append(args, jen.Nil())
		case v.Kind == ir.VarTime:
			args = append(args, snip.GoType(v.Type).Values())
		default:
			args = append(args, valueLit(v, v.Default))
		}
	}
	return jen.Func().Params(jen.Id("path").String()).String().Block(jen.Return(build.Call(args...)))
}

// emitReadFile writes the method that reads a file below a root.
//
//	func (h *docsHandlers) readDocs(c *mcprt.Call) (mcprt.Contents, error) {
//		path, err := docsVars(c.Vars)
//		if err != nil {
//			return mcprt.Contents{}, err
//		}
//		return h.filesDocs().Read(c, path, func(file fs.File) (mcprt.Contents, error) {
//			return mcprt.AsBlob(h.impl.Docs.Docs(c, path, file))
//		})
//	}
func emitReadFile(f *serverFile, s *ir.Server, r *ir.Resource) {
	path := r.Vars[r.Root.Path]
	callee := r.Callee
	if !slices.Contains(usedVars(&callee), r.Root.Path) {
		callee.Params = append(slices.Clip(callee.Params), ir.Param{Kind: ir.ParamVar, Var: r.Root.Path})
	}
	args := []jen.Code{callOf(&r.Callee, f.callArgs(r, &r.Callee)...)}
	if r.Callee.Kind == ir.CalleeVar {
		args = []jen.Code{jen.Id("file"), jen.Nil()}
	}
	use := jen.Func().Params(jen.Id("file").Qual("io/fs", "File")).Params(snip.RT("Contents"),
		jen.Error()).Block(contentsCode(r, args...)...)
	local := as(path.Type, "string", snip.Ident(f.localNames(r)[r.Root.Path]))
	read := jen.Id("h").Dot(snip.Name(r.Root.Files)).Call().Dot("Read").Call(jen.Id("c"), local, use)
	f.Line()
	f.Func().Params(jen.Id("h").Add(snip.PtrTo(snip.Ident(s.Names.Handlers)))).Add(snip.Ident(r.Names.Read)).
		Params(jen.Id("c").Add(snip.PtrTo(snip.RT("Call")))).
		Params(snip.RT("Contents"), jen.Error()).
		Block(append(f.readVars(r, &callee, snip.RT("Contents").Values()), jen.Return(read))...)
}
