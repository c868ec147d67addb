package protocolgen

import (
	"bytes"
	"fmt"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/protocolir"
	"github.com/mcpgen/mcpgen/internal/version"
	"github.com/mcpgen/mcpgen/schema"
)

// CodecTable returns a Go file for internal/recorded/compare, which names the type of each message in each revision of
// the committed schemas, and its codec.
func CodecTable() ([]byte, error) {
	set, err := schema.Embedded()
	if err != nil {
		return nil, err
	}
	t, err := readTables()
	if err != nil {
		return nil, err
	}
	names, err := protocolir.NewGoNames(set, t)
	if err != nil {
		return nil, err
	}
	p := names.Protocol()
	var b bytes.Buffer
	fmt.Fprintf(&b, "package main\n\nimport %q\n\nfunc init() {\n", version.Module+"/generated/protocol")
	known := map[string]bool{}
	for _, s := range p.Structs {
		known[s.Go] = true
		fmt.Fprintf(&b, "\tcodecs[%q] = structure[protocol.%s]()\n", s.Go, s.Go)
	}
	for _, u := range p.Unions {
		known[u.Go] = true
		fmt.Fprintf(&b, "\tcodecs[%q] = union(protocol.Append%s, protocol.Decode%s)\n", u.Go, u.Go, u.Go)
	}
	for rev, s := range schema.OldestFirst(set) {
		for _, def := range s.Defs {
			if name := names.Definition(s, def.Name); known[name] {
				typeLine(&b, s.Revision, "definition "+def.Name, name)
			}
		}
		for _, m := range p.Methods {
			if m.Revs.Has(rev) {
				typesOfMethod(&b, s.Revision, m, known)
			}
		}
	}
	b.WriteString("}\n")
	return b.Bytes(), nil
}

func typeLine(b *bytes.Buffer, revision, kind, name string) {
	fmt.Fprintf(b, "\ttypes[%q] = %q\n", revision+" "+kind, name)
}

// typesOfMethod writes the types of the params and of the results of a method. Where it has several results, the first
// that neither asks for input nor stands for a task is the one that is meant.
func typesOfMethod(b *bytes.Buffer, revision string, m *ir.Method, known map[string]bool) {
	kind := "request "
	if m.Notification {
		kind = "notification "
	}
	if known[m.Params] {
		typeLine(b, revision, kind+m.Name, m.Params)
	}
	said := map[string]bool{}
	for _, name := range m.Results {
		kind := "result "
		switch name {
		case "InputRequiredResult":
			kind = "input "
		case "CreateTaskResult":
			kind = "task "
		}
		if known[name] && !said[kind] {
			said[kind] = true
			typeLine(b, revision, kind+m.Name, name)
		}
	}
}
