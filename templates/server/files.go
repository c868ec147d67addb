package server

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/templates/jenutil"
)

// emitFiles writes the function that says where the files of a template are.
//
//	// filesDocs are the files of docs:///{+path}.
//	func filesDocs(impl *DocsImpl) mcprt.Files {
//		return mcprt.Files{Root: impl.Docs.Files, URI: DocsURI, Directories: true}
//	}
func emitFiles(f *serverFile, s *ir.Server, r *ir.Resource) {
	if !f.first(r.Root.Files) {
		return
	}
	root := jenutil.Ident(r.Root.Name)
	var params []jen.Code
	if r.Root.Recv != "" {
		params = append(params, implParam(s))
		root = selected(jen.Id("impl"), r.Root.Recv).Dot(jenutil.Name(r.Root.Name))
	}
	var m jenutil.Members
	m.Add("Root", root)
	if r.List != nil && r.List.Walk {
		m.Add("URI", fileURI(r))
	}
	m.Text("MIMEType", r.MIME)
	m.Flag("Directories", r.Root.Directory)
	f.note(r.Root.Files + " are the files of " + r.URI + ".")
	f.Func().Add(jenutil.Ident(r.Root.Files)).Params(params...).Add(jenutil.RT("Files")).
		Block(jen.Return(jenutil.RT("Files").Add(m.Inline())))
}

// fileURI is a function from the path of a file to its URI: the builder of the template if that is all it takes.
//
//	func(path string) string { return DocsURI(path, 100) }
func fileURI(r *ir.Resource) jen.Code {
	build := jenutil.Ident(r.Names.URI)
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
			args = append(args, jenutil.GoType(v.Type).Values())
		default:
			args = append(args, valueLit(v, v.Default))
		}
	}
	return jen.Func().Params(jen.Id("path").String()).String().Block(jen.Return(build.Call(args...)))
}

// emitReadFile writes the function that reads a file below a root.
//
//	func readDocs(impl *DocsImpl, c *mcprt.Call) (mcprt.Contents, error) {
//		v, err := readDocsVars(c.Vars)
//		if err != nil {
//			return mcprt.Contents{}, err
//		}
//		return filesDocs(impl).Read(c, v.Path, func(file fs.File) (mcprt.Contents, error) {
//			return mcprt.AsBlob(impl.Docs.Docs(c, v.Path, file))
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
	use := jen.Func().Params(jen.Id("file").Qual("io/fs", "File")).Params(jenutil.RT("Contents"),
		jen.Error()).Block(contentsCode(r, args...)...)
	_, values := f.readInto(r, "v")
	local := as(path.Type, "string", jen.Add(values[r.Root.Path]))
	read := filesCode(r).Dot("Read").Call(jen.Id("c"), local, use)
	f.handler(s, readsBound(r), r.Names.Read, callParam()).
		Params(jenutil.RT("Contents"), jen.Error()).
		Block(append(f.readVars(r, &callee, jenutil.RT("Contents").Values()), jen.Return(read))...)
}

// filesCode is filesDocs(impl).
func filesCode(r *ir.Resource) *jen.Statement {
	if r.Root.Recv == "" {
		return jenutil.Ident(r.Root.Files).Call()
	}
	return jenutil.Ident(r.Root.Files).Call(jen.Id("impl"))
}

// walkedFiles is the function that says which files a list shows.
//
//	func() mcprt.Files { return filesDocs(impl) }
func walkedFiles(r *ir.Resource) jen.Code {
	if r.Root.Recv == "" {
		return jenutil.Ident(r.Root.Files)
	}
	return jen.Func().Params().Add(jenutil.RT("Files")).Block(jen.Return(filesCode(r)))
}
