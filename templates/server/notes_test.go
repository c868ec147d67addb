package server

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/uritemplate"
)

// Types of the hand-built representations.

func basic(name string) *ir.GoType { return &ir.GoType{Kind: ir.GoNamed, Name: name} }

func named(path, name string, args ...*ir.GoType) *ir.GoType {
	return &ir.GoType{Kind: ir.GoNamed, Path: path, PkgName: path[strings.LastIndexByte(path, '/')+1:], Name: name,
		Args: args}
}

func ptr(t *ir.GoType) *ir.GoType { return &ir.GoType{Kind: ir.GoPointer, Elem: t} }

func sliceOf(t *ir.GoType) *ir.GoType { return &ir.GoType{Kind: ir.GoSlice, Elem: t} }

func funcOf(params, results []*ir.GoType) *ir.GoType {
	return &ir.GoType{Kind: ir.GoFunc, Params: params, Results: results}
}

func contextType() *ir.GoType { return named("context", "Context") }

func timeType() *ir.GoType { return named("time", "Time") }

const notesPath = "github.com/mcpgen/mcpgen/golden/notes"

// notesPackage is golden/notes as the build stage has it.
func notesPackage() *ir.GoPackage {
	searchIn := &ir.ArgStruct{
		Type: named(notesPath, "SearchIn"), Decode: "decodeSearchIn",
		Fields: []ir.ArgField{
			{GoName: "Query", JSONName: "query", Required: true, Value: ir.ArgValue{Kind: ir.ArgString, Type: basic("string")}},
			{GoName: "Limit", JSONName: "limit", Value: ir.ArgValue{Kind: ir.ArgInt, Type: basic("int")}},
		},
	}
	text := ir.EncValue{Kind: ir.EncString, Plain: true}
	match := &ir.Encoder{Type: named(notesPath, "Match"), Name: "encodeMatch",
		Value: ir.EncValue{Kind: ir.EncStruct, Fields: []ir.EncField{
			{GoName: "URI", Name: "uri", Value: text}, {GoName: "Line", Name: "line", Value: text},
		}}}
	matches := ir.EncValue{Kind: ir.EncList, Elem: &ir.EncValue{Kind: ir.EncCall, Encoder: match}}
	searchOut := &ir.Encoder{Type: named(notesPath, "SearchOut"), Name: "encodeSearchOut", Value: ir.EncValue{
		Kind: ir.EncStruct, Fields: []ir.EncField{{GoName: "Matches", Name: "matches", Value: matches}},
	}}
	return &ir.GoPackage{
		Path: notesPath, Name: "notes", Sources: []string{"notes.go"},
		Servers: []*ir.Server{{
			Name: "notes", Title: "Team notes", Version: "1.0.0",
			Instructions: "Each note is notes:///{name}. Start with notebook:///index.",
			Receivers: []ir.Receiver{{
				Field: "Notes", Type: ptr(named(notesPath, "Notes")), Pointer: true,
			}},
			Resources: []*ir.Resource{notesReadme(), notesIndex(), notesNote()},
			Tools:     []*ir.Tool{notesSearch(searchIn, searchOut)},
			Routes: &ir.RouteNode{On: ir.RouteScheme, Cases: []ir.RouteCase{{Text: "notes", Node: &ir.RouteNode{
				On: ir.RouteCount, Cases: []ir.RouteCase{{Count: 2, Node: &ir.RouteNode{
					Try: []ir.RouteTry{{Resource: 2, Segs: []int{0, 1}}},
				}}},
			}}}},
			Caps: ir.Capabilities{Resources: true, Subscribe: true, ListChanged: true, Completions: true, Tools: true},
			Names: ir.ServerNames{
				Type: "NotesServer", Impl: "NotesImpl", New: "NewNotesServer", Features: "notesFeatures",
				Route: "routeNotes",
			},
		}},
		Args: []*ir.ArgStruct{searchIn}, Encoders: []*ir.Encoder{searchOut, match},
		Guards: notesGuards(),
	}
}

func notesReadme() *ir.Resource {
	priority := 0.8
	return &ir.Resource{
		Callee: ir.Callee{Kind: ir.CalleeVar, Name: "Readme", File: "notes.go", Decl: "Readme", Type: basic("string")},
		URI:    "docs:///readme", Name: "readme", Description: "Explains how these notes are kept.", MIME: "text/markdown",
		Size: -1, SizeOf: true, Audience: []string{"user", "assistant"}, Priority: &priority,
		Icons: []ir.Icon{{Src: "https://example.com/book.svg", MIME: "image/svg+xml", Sizes: []string{"any"},
			Theme: "dark"}},
		Result: ir.ResultText, Fixed: true,
	}
}

func notesMethod(name string, params ...ir.Param) ir.Callee {
	return ir.Callee{Kind: ir.CalleeMethod, Recv: "Notes", Name: name, File: "notes.go", Decl: "(*Notes)." + name,
		Params: params}
}

func notesIndex() *ir.Resource {
	return &ir.Resource{
		Callee: notesMethod("Index"), URI: "notebook:///index", Name: "index",
		Description: "Returns a Markdown list of all notes, one line each.", MIME: "text/markdown",
		Size: -1, Result: ir.ResultText, Names: ir.ResourceNames{Read: "readIndex"},
	}
}

func notesNote() *ir.Resource {
	text := basic("string")
	byName := ir.Param{Kind: ir.ParamVar, Type: text}
	watch := notesMethod("WatchNote", byName)
	complete := notesMethod("CompleteName", ir.Param{Kind: ir.ParamPrefix, Type: text})
	return &ir.Resource{
		Callee: notesMethod("Note", byName), URI: "notes:///{name}", Name: "note",
		Template: &uritemplate.Template{Scheme: "notes", Segments: []uritemplate.Segment{nil, {{Var: 0}}}, Multi: -1},
		Vars: []*ir.Var{{Name: "name", GoName: "Name", Param: "name", Kind: ir.VarString, Type: text, MinLen: -1,
			MaxLen: -1}},
		Description: "Returns the text of one note.", MIME: "text/markdown", Size: -1,
		Subscribe: true, Result: ir.ResultText,
		List:       &ir.ListSource{Callee: notesMethod("ListNotes"), Changes: true},
		Watch:      &watch,
		Completers: []ir.Completer{{Callee: &complete, Name: "completeNoteName"}},
		Names: ir.ResourceNames{
			URI: "NoteURI", Parse: "ParseNoteURI", Ref: "NoteRef", Updated: "NoteUpdated", ListChanged: "NoteListChanged",
			Vars: "NoteVars", ReadVars: "readNoteVars",
			Topic: "topicNote", Append: "appendNoteURI", Entry: "noteEntry", Read: "readNote",
			Watch: "watchNote",
		},
	}
}

func notesSearch(in *ir.ArgStruct, out *ir.Encoder) *ir.Tool {
	yes := true
	return &ir.Tool{
		Callee: notesMethod("Search", ir.Param{Kind: ir.ParamArgs, Type: in.Type}),
		Name:   "search", Description: "Finds the notes that contain a text.", ReadOnly: &yes,
		InputSchema: `{"type":"object","properties":{"query":{"type":"string","description":"Text that a note must contain, in any case."},` +
			`"limit":{"type":"integer","description":"Most matches to return; 10 when left out."}},"additionalProperties":false,"required":["query"]}`,
		OutputSchema: `{"type":"object","properties":{"matches":{"type":"array","items":{"type":"object","properties":{` +
			`"uri":{"type":"string","description":"URI of the note."},` +
			`"line":{"type":"string","description":"Line that contains the text."}},"additionalProperties":false,` +
			`"required":["uri","line"]},"description":"Matches in order of name."}},"additionalProperties":false,"required":["matches"]}`,
		Args: in, Result: ir.ToolStructured, Encode: out, CallName: "callSearch",
	}
}

func notesGuards() []ir.Guard {
	recv := ptr(named(notesPath, "Notes"))
	text := basic("string")
	guard := func(name string, params []*ir.GoType, results ...*ir.GoType) ir.Guard {
		all := append([]*ir.GoType{recv, contextType()}, params...)
		return ir.Guard{Recv: recv, Func: name,
			Type: funcOf(all, results)}
	}
	seq := func(t *ir.GoType) *ir.GoType { return named("iter", "Seq2", t, basic("error")) }
	one := []*ir.GoType{text}
	return []ir.Guard{
		guard("Index", nil, text, basic("error")),
		guard("Note", one, text, basic("error")),
		guard("ListNotes", nil, seq(named(notesPath, "NoteRef"))),
		guard("CompleteName", one, sliceOf(text), basic("error")),
		guard("WatchNote", one, seq(timeType())),
		guard("Search", []*ir.GoType{named(notesPath, "SearchIn")}, named(notesPath, "SearchOut"), basic("error")),
	}
}

func TestEmitPackageWritesGoldenNotes(t *testing.T) {
	want, err := os.ReadFile("../../golden/notes/mcp_gen.go")
	if err != nil {
		t.Fatal(err)
	}
	got, err := emitOne(namePlaces(notesPackage()))
	if err != nil {
		t.Fatal(err)
	}
	if diff := firstDifference(string(got), string(want)); diff != "" {
		t.Error(diff)
	}
}

// emitOne is the text of the only file of a package.
func emitOne(p *ir.GoPackage) ([]byte, error) {
	parts, err := EmitPackage(p)
	if err != nil {
		return nil, err
	}
	return parts[0].Data, nil
}

// firstDifference shows the first line in which two texts differ.
func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range max(len(g), len(w)) {
		a, b := "(end)", "(end)"
		if i < len(g) {
			a = g[i]
		}
		if i < len(w) {
			b = w[i]
		}
		if a != b {
			return fmt.Sprintf("line %d\n got: %s\nwant: %s", i+1, a, b)
		}
	}
	return ""
}
