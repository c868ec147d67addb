package main

import (
	"fmt"
	"go/ast"
	"slices"
	"strings"
)

// hook is a file that is added to the package under test: it tells which mutant is alive.
const hook = `package %s

import (
	"os"
	"strconv"
)

var activeMutant, _ = strconv.Atoi(os.Getenv("MCPGEN_MUTANT"))
`

// together writes the generated file so that the mutants of a batch, each of them inside of a function, are all in
// it: as a copy of their function, which the function calls if the mutant is the one that is alive. One build then
// serves many mutants.
func (p *pkg) together(batch []*mutant) []byte {
	byFunc := map[*ast.FuncDecl][]*mutant{}
	for _, m := range batch {
		byFunc[m.fn] = append(byFunc[m.fn], m)
	}
	var edits []edit
	var copies strings.Builder
	for _, decl := range p.file.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok || byFunc[fn] == nil {
			continue
		}
		edits = append(edits, p.dispatch(fn, byFunc[fn])...)
		for _, m := range byFunc[fn] {
			name := p.offset(fn.Name.End())
			renamed := slices.Concat([]edit{{name, name, fmt.Sprintf("_mutant%d", m.number)}}, m.edits)
			copies.WriteString("\n\n")
			copies.Write(apply(p.src, p.offset(fn.Pos()), p.offset(fn.End()), renamed))
		}
	}
	return append(apply(p.src, 0, len(p.src), edits), copies.String()...)
}

// dispatch gives all parameters a name and puts a switch before the first statement.
func (p *pkg) dispatch(fn *ast.FuncDecl, mutants []*mutant) (edits []edit) {
	var args []string
	for _, field := range fn.Type.Params.List {
		for _, name := range field.Names {
			arg := name.Name
			if arg == "_" {
				arg = fmt.Sprintf("mutant%d", len(args))
				edits = append(edits, edit{p.offset(name.Pos()), p.offset(name.End()), arg})
			}
			if _, variadic := field.Type.(*ast.Ellipsis); variadic {
				arg += "..."
			}
			args = append(args, arg)
		}
	}
	receiver := ""
	if fn.Recv != nil {
		name, add := receiverName(fn)
		if add {
			at := p.offset(fn.Recv.List[0].Type.Pos())
			edits = slices.Insert(edits, 0, edit{at, at, name + " "})
		}
		receiver = name + "."
	}
	var b strings.Builder
	b.WriteString("\nswitch activeMutant {\n")
	for _, m := range mutants {
		call := fmt.Sprintf("%s%s_mutant%d(%s)", receiver, fn.Name.Name, m.number, strings.Join(args, ", "))
		if fn.Type.Results == nil {
			fmt.Fprintf(&b, "case %d:\n%s\nreturn\n", m.number, call)
		} else {
			fmt.Fprintf(&b, "case %d:\nreturn %s\n", m.number, call)
		}
	}
	b.WriteString("}\n")
	at := p.offset(fn.Body.Lbrace) + 1
	return append(edits, edit{at, at, b.String()})
}

// receiverName is the name of a receiver; add is true if it has none yet.
func receiverName(fn *ast.FuncDecl) (name string, add bool) {
	if names := fn.Recv.List[0].Names; len(names) == 1 {
		return names[0].Name, false
	}
	return "mutantSelf", true
}

// joinable reports whether the function of a mutant can be copied.
func joinable(m *mutant) bool {
	if m.fn == nil || m.fn.Name.Name == "init" || m.fn.Type.TypeParams != nil {
		return false
	}
	for _, field := range m.fn.Type.Params.List {
		if len(field.Names) == 0 {
			return false
		}
	}
	if m.fn.Recv == nil {
		return true
	}
	name, _ := receiverName(m.fn)
	return name != "_"
}

// isGuard reports whether a mutant takes out a variable without a name, which has a value. Such mutants do not meet: if
// nobody notices that all of them are gone, nobody notices one.
func isGuard(m *mutant) bool {
	return m.fn == nil && m.what == "delete declaration" && strings.HasPrefix(m.text, "var _ ") &&
		strings.Contains(m.text, " = ")
}

// unguard is the edit that takes the value from a guard. Its type stays, because it may be the only one that needs an
// import; without a value it says nothing of the user's code.
func (p *pkg) unguard(m *mutant) edit {
	e := m.edits[0]
	e.from += strings.Index(string(p.src[e.from:e.to]), " = ")
	return e
}
