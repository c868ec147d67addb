package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"strconv"
	"strings"
)

// fate says who noticed a mutant.
type fate int

const (
	survived fate = iota
	byCompiler
	byTests
)

// mutant is one change of a generated file.
type mutant struct {
	number int
	line   int
	text   string // of the line, before the change
	what   string // was done
	fn     *ast.FuncDecl
	edits  []edit
	fate   fate
	note   string // how it was noticed
	reason string // why it may survive
}

func (m *mutant) String() string { return fmt.Sprintf("line %d: %s: %s", m.line, m.what, m.text) }

// owner is the name of the function that was changed, "" outside of functions.
func (m *mutant) owner() string {
	if m.fn == nil {
		return ""
	}
	return m.fn.Name.Name
}

// edit replaces a range of bytes.
type edit struct {
	from, to int
	text     string
}

// apply makes edits, which are in order and do not overlap, in src[from:to].
func apply(src []byte, from, to int, edits []edit) []byte {
	var out []byte
	for _, e := range edits {
		out = append(append(out, src[from:e.from]...), e.text...)
		from = e.to
	}
	return append(out, src[from:to]...)
}

// maker collects the mutants of a file.
type maker struct {
	p    *pkg
	fn   *ast.FuncDecl
	list []*mutant
}

// mutate returns all mutants of the generated file.
func (p *pkg) mutate() []*mutant {
	m := &maker{p: p}
	for _, decl := range p.file.Decls {
		m.fn, _ = decl.(*ast.FuncDecl)
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			ast.Inspect(decl.Body, m.visit)
		case *ast.GenDecl:
			if decl.Tok == token.IMPORT {
				continue
			}
			for _, spec := range decl.Specs {
				var whole ast.Node = spec
				if !decl.Lparen.IsValid() {
					whole = decl
				}
				m.delete("delete declaration", whole)
				ast.Inspect(spec, m.visit)
			}
		}
	}
	return m.list
}

func (m *maker) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.BlockStmt:
		m.statements(n.List)
	case *ast.CaseClause:
		m.delete("delete case", n)
		m.statements(n.Body)
	case *ast.IfStmt:
		m.negate(n.Cond)
	case *ast.ForStmt:
		if n.Cond != nil {
			m.negate(n.Cond)
		}
	case *ast.BinaryExpr:
		m.operator(n)
	case *ast.BasicLit:
		m.literal(n)
	case *ast.Ident:
		if other, ok := map[string]string{"true": "false", "false": "true"}[n.Name]; ok {
			m.add("change constant to "+other, edit{m.at(n.Pos()), m.at(n.End()), other})
		}
	case *ast.CallExpr:
		m.swap(n.Args)
	case *ast.CompositeLit:
		m.elements(n)
	case *ast.Field:
		return false // tags and types of literals
	}
	return true
}

func (m *maker) statements(list []ast.Stmt) {
	for _, s := range list {
		if _, ok := s.(*ast.CaseClause); !ok {
			m.delete("delete statement", s)
		}
	}
}

// elements takes members out of a literal.
func (m *maker) elements(n *ast.CompositeLit) {
	for _, e := range n.Elts {
		end := m.at(e.End())
		if strings.HasPrefix(string(m.p.src[end:]), ",") {
			end++
		}
		m.add("delete element", edit{m.at(e.Pos()), end, ""})
	}
}

// swap exchanges neighbouring arguments.
func (m *maker) swap(args []ast.Expr) {
	for i := range len(args) - 1 {
		a, b := m.source(args[i]), m.source(args[i+1])
		if a != b {
			m.add("swap arguments", edit{m.at(args[i].Pos()), m.at(args[i].End()), b},
				edit{m.at(args[i+1].Pos()), m.at(args[i+1].End()), a})
		}
	}
}

func (m *maker) negate(cond ast.Expr) {
	m.add("negate condition", edit{m.at(cond.Pos()), m.at(cond.End()), "!(" + m.source(cond) + ")"})
}

func (m *maker) operator(n *ast.BinaryExpr) {
	other, ok := map[token.Token]string{
		token.LAND: "||", token.LOR: "&&", token.EQL: "!=", token.NEQ: "==", token.LSS: "<=", token.LEQ: "<", token.GTR: ">=",
		token.GEQ: ">",
	}[n.Op]
	if ok {
		from := m.at(n.OpPos)
		m.add("change operator to "+other, edit{from, from + len(n.Op.String()), other})
	}
}

func (m *maker) literal(n *ast.BasicLit) {
	text := n.Value
	switch n.Kind {
	case token.STRING:
		value, err := strconv.Unquote(text)
		if err != nil {
			return
		}
		text = strconv.Quote(value + "~")
	case token.INT:
		number, err := strconv.ParseInt(text, 0, 64)
		if err != nil {
			return
		}
		text = strconv.FormatInt(number+1, 10)
	case token.FLOAT:
		text += "9"
	case token.CHAR:
		text = "'~'"
	default:
		return
	}
	what := "change constant"
	if n.Kind == token.INT {
		what += " " + n.Value + " to " + text
	}
	m.add(what, edit{m.at(n.Pos()), m.at(n.End()), text})
}

func (m *maker) delete(what string, n ast.Node) {
	m.add(what, edit{m.at(n.Pos()), m.at(n.End()), ""})
}

func (m *maker) add(what string, edits ...edit) {
	start := edits[0].from
	line := 1 + strings.Count(string(m.p.src[:start]), "\n")
	m.list = append(m.list, &mutant{number: len(m.list) + 1, line: line, text: m.p.line(line), what: what, fn: m.fn,
		edits: edits})
}

func (m *maker) at(pos token.Pos) int { return m.p.fset.Position(pos).Offset }

func (m *maker) source(n ast.Node) string { return string(m.p.src[m.at(n.Pos()):m.at(n.End())]) }
