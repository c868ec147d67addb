package server

import (
	"cmp"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"unicode"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/templates/jenutil"
)

// importName is what the output calls an imported package.
type importName struct {
	path, name string
	// alias says that the package declares another name itself.
	alias bool
}

// emitterImports are the packages that emitters refer to by themselves.
var emitterImports = []importName{
	{path: "cmp", name: "cmp"},
	{path: "context", name: "context"},
	{path: "encoding/json", name: "json"},
	{path: "io/fs", name: "fs"},
	{path: "iter", name: "iter"},
	{path: "regexp", name: "regexp"},
	{path: "slices", name: "slices"},
	{path: "strconv", name: "strconv"},
	{path: "strings", name: "strings"},
	{path: "sync", name: "sync"},
	{path: "time", name: "time"},
	{path: jenutil.MCPPath, name: "mcp"},
	{path: jenutil.AppPath, name: "mcpapp"},
	{path: jenutil.EventPath, name: "mcpevent"},
	{path: jenutil.SkillPath, name: "mcpskill"},
	{path: jenutil.TaskPath, name: "mcptask"},
	{path: jenutil.RTPath, name: "mcprt"},
	{path: jenutil.ProtocolPath, name: "protocol"},
	{path: jenutil.WirePath, name: "wire"},
}

// localWords are the names of parameters and variables of generated functions, as emitters write them. With numbers
// behind them they stand in loops.
const localWords = " a args b c ctx d e err f file given h i impl in k n name next ok on opts out p page params path " +
	"prefix r s seen srv t uri v w x yield "

// isLocal reports whether a name may be that of a variable of a generated function, which would hide an import.
func isLocal(name string) bool {
	word := strings.TrimRight(name, "0123456789")
	return word != "" && strings.Contains(localWords, " "+word+" ")
}

// importNames names every package that the output may import, so that no name is a declaration of
// the user's package or stands for two packages: a second "store" from a/mcp/store is mcpstore.
func importNames(p *ir.GoPackage) []importName {
	all := slices.Clone(emitterImports)
	eachType(p, func(t *ir.GoType) {
		known := slices.ContainsFunc(all, func(i importName) bool { return i.path == t.Path })
		if t.Path != "" && t.Path != p.Path && !known {
			all = append(all, importName{path: t.Path, name: cmp.Or(t.PkgName, lastElement(t.Path))})
		}
	})
	slices.SortStableFunc(all[len(emitterImports):], func(a, b importName) int { return cmp.Compare(a.path, b.path) })
	taken := map[string]bool{}
	for _, name := range p.Declared {
		taken[name] = true
	}
	for i := range all {
		free := freeName(all[i], taken)
		all[i].alias = free != all[i].name
		all[i].name = free
		taken[free] = true
	}
	return all
}

// freeName returns the name of a package, with elements of its path in front until it is free.
func freeName(i importName, taken map[string]bool) string {
	name := i.name
	elems := strings.Split(i.path, "/")
	for k := len(elems) - 2; taken[name] || types.Universe.Lookup(name) != nil || !token.IsIdentifier(name) ||
		isLocal(name); k-- {
		if k < 0 {
			name = "pkg" + name
			continue
		}
		name = lettersOf(elems[k]) + name
	}
	return name
}

// lettersOf keeps what may stand in an identifier.
func lettersOf(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

func lastElement(path string) string { return lettersOf(path[strings.LastIndexByte(path, '/')+1:]) }

// eachType calls f for every named type that the output may mention.
func eachType(p *ir.GoPackage, f func(*ir.GoType)) {
	for _, g := range p.Guards {
		walkType(g.Type, f)
	}
	for _, s := range p.Servers {
		for _, r := range s.Receivers {
			walkType(r.Type, f)
		}
		for _, r := range s.Resources {
			for _, v := range r.Vars {
				walkType(v.Type, f)
			}
		}
		for _, e := range s.Events {
			walkType(e.Type, f)
		}
		for _, prompt := range s.Prompts {
			for _, v := range prompt.Vars() {
				walkType(v.Type, f)
			}
		}
	}
	for _, e := range p.Encoders {
		walkType(e.Type, f)
		walkEncoder(&e.Value, f)
	}
	for _, a := range p.Args {
		walkType(a.Type, f)
		walkType(a.Declare, f)
		walkFields(a.Fields, f)
		if a.Value != nil {
			walkValue(a.Value, f)
		}
	}
}

func walkFields(fields []ir.ArgField, f func(*ir.GoType)) {
	for i := range fields {
		walkValue(&fields[i].Value, f)
	}
}

func walkValue(v *ir.ArgValue, f func(*ir.GoType)) {
	if !v.Hidden {
		walkType(v.Type, f)
	}
	walkType(v.Keys.Type, f)
	if v.Elem != nil {
		walkValue(v.Elem, f)
	}
	walkFields(v.Fields, f)
}

func walkEncoder(v *ir.EncValue, f func(*ir.GoType)) {
	if v.Elem != nil {
		walkEncoder(v.Elem, f)
	}
	for i := range v.Fields {
		walkType(v.Fields[i].Type, f)
		walkEncoder(&v.Fields[i].Value, f)
	}
}

func walkType(t *ir.GoType, f func(*ir.GoType)) {
	if t == nil {
		return
	}
	if t.Kind == ir.GoNamed {
		f(t)
	}
	walkType(t.Elem, f)
	walkType(t.Key, f)
	for _, list := range [][]*ir.GoType{t.Args, t.Params, t.Results} {
		for _, sub := range list {
			walkType(sub, f)
		}
	}
	for _, field := range t.Fields {
		walkType(field.Type, f)
	}
}
