package serverir

import (
	"bytes"
	"cmp"
	"fmt"
	"go/token"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/goname"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/load"
)

// Stub returns a file that declares every exported name which the output for pkg will have, made
// from directives alone: signatures of the user may mention them before they exist.
func Stub(pkg *load.Package) []byte {
	var types, funcs, middleware []string
	for _, name := range serverNamesOf(pkg) {
		s := serverNames(name)
		types = append(types, s.Type, s.Impl)
		funcs = append(funcs, s.New)
	}
	if slices.ContainsFunc(pkg.Decls, func(d *load.Decl) bool { return load.Refinements[*directive.Use](d) != nil }) {
		for _, name := range serverNamesOf(pkg) {
			middleware = append(middleware, serverNames(name).Middleware)
		}
	}
	for _, base := range templatesOf(pkg) {
		n := templateNames(base)
		types = append(types, n.Ref)
		funcs = append(funcs, n.URI, n.Parse)
	}
	more, interfaces, makers := stubNames(pkg)
	types, funcs = append(types, more...), append(funcs, makers...)
	interfaces = append(interfaces, middleware...)
	for _, d := range pkg.Decls {
		for n := range load.Refinements[*directive.Alias](d) {
			funcs = append(funcs, aliasNames(baseName(pkg, d), n).URI, aliasNames(baseName(pkg, d), n).Parse)
		}
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "package %s\n\n", pkg.Name)
	for _, name := range unique(types) {
		fmt.Fprintf(&b, "type %s struct{}\n", name)
	}
	for _, name := range unique(interfaces) {
		fmt.Fprintf(&b, "type %s interface{}\n", name)
	}
	for _, name := range unique(funcs) {
		fmt.Fprintf(&b, "func %s(...any)\n", name)
	}
	return b.Bytes()
}

// unique drops repeated names and what is not an identifier.
func unique(names []string) []string {
	slices.Sort(names)
	return slices.DeleteFunc(slices.Compact(names), func(s string) bool { return !token.IsIdentifier(s) })
}

// serverNamesOf are the names in the server directives, or the package name without any.
func serverNamesOf(pkg *load.Package) []string {
	var names []string
	eachSpec(pkg, func(_ *load.Decl, spec *directive.Server) {
		if spec.Name.V != "" {
			names = append(names, spec.Name.V)
		}
	})
	if len(names) == 0 {
		names = []string{pkg.Name}
	}
	return names
}

// TypeName is the word for a server called name in the names of its types: Notes in NotesServer, also for
// a server called notes-server.
func TypeName(name string) string {
	full := goname.Of(name)
	return cmp.Or(strings.TrimSuffix(full, "Server"), full)
}

func serverNames(name string) ir.ServerNames {
	up := TypeName(name)
	low := unexported(up)
	return ir.ServerNames{
		Type: up + "Server", Impl: up + "Impl", Middleware: up + "Middleware", New: "New" + up + "Server",
		Features: low + "Features", Handlers: low + "Handlers", Route: "route" + up, RouteTool: "route" + up + "Tool",
		RoutePrompt: "route" + up + "Prompt",
	}
}

// templateNames are the names that a template declared by the Go name base may need.
func templateNames(base string) ir.ResourceNames {
	up := upperFirst(base)
	low := unexported(up)
	return ir.ResourceNames{
		URI: up + "URI", Parse: "Parse" + up + "URI", Ref: up + "Ref",
		Vars: low + "Vars", Topic: "topic" + up, Entry: low + "Entry", List: "list" + up,
		Read: "read" + up, Watch: "watch" + up,
	}
}

// fieldName is the field of a reference that holds the parameter called param: its name in the style of
// Go, unless a field has that already. RefInfo is embedded.
func fieldName(r *resource, param string) string {
	taken := func(name string) bool {
		return name == "RefInfo" || slices.ContainsFunc(r.Vars, func(v *ir.Var) bool { return v.GoName == name })
	}
	name := goname.Of(param)
	if taken(name) || strings.ContainsFunc(param, func(r rune) bool { return r > unicode.MaxASCII }) {
		name = upperFirst(param)
	}
	for taken(name) {
		name += "Var"
	}
	return name
}

func upperFirst(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}

// unexported makes a name of the package's own: Note gives note, HTTPLog gives httpLog, URI gives uri.
func unexported(s string) string {
	words := splitName(s)
	if len(words) == 0 {
		return s
	}
	return strings.ToLower(words[0]) + s[len(words[0]):]
}

// splitName cuts a Go name into its words: ListHTTPLogs gives List, HTTP, Logs.
func splitName(s string) []string {
	var words []string
	runes := []rune(s)
	start := 0
	for i := 1; i < len(runes); i++ {
		lowUp := !unicode.IsUpper(runes[i-1]) && unicode.IsUpper(runes[i])
		upEnd := unicode.IsUpper(runes[i-1]) && unicode.IsUpper(runes[i]) && i+1 < len(runes) && unicode.IsLower(runes[i+1])
		if lowUp || upEnd || runes[i] == '_' {
			words = append(words, strings.Trim(string(runes[start:i]), "_"))
			start = i
		}
	}
	words = append(words, strings.Trim(string(runes[start:]), "_"))
	return slices.DeleteFunc(words, func(w string) bool { return w == "" })
}

// joinLower joins the words of a Go name in lower case: kebab-case with "-", snake_case with "_".
func joinLower(goName, sep string) string {
	return strings.ToLower(strings.Join(splitName(goName), sep))
}

// sameName reports whether two names are the same but for case and underscores.
func sameName(a, b string) bool {
	plain := func(s string) string { return strings.ToLower(strings.ReplaceAll(s, "_", "")) }
	return plain(a) == plain(b)
}
