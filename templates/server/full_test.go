package server

import (
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/uritemplate"
)

const fullPath = "example.com/app/full"

// fullPackage is a representation in which every text slot is filled with text and every emitter has
// something to write.
func fullPackage(text string) *ir.GoPackage {
	in := fullArgs(text)
	no := false
	fixed := ir.Callee{Kind: ir.CalleeConst, Name: "Motto", File: text, Decl: text, Type: basic("string")}
	template := fullTemplate(text)
	return &ir.GoPackage{
		Path: fullPath, Name: "full", Sources: []string{text, "b.go"},
		Servers: []*ir.Server{{
			Name: text, Version: text, Title: text, Description: text, WebsiteURL: text, Instructions: text, PageSize: 7,
			Receivers: []ir.Receiver{{Field: "Store", Type: ptr(named(fullPath, "Store")), Pointer: true}},
			Resources: []*ir.Resource{
				{
					Callee: fixed, URI: "full:///" + text, Name: text, Title: text, Description: text, MIME: text, Size: 3,
					Audience: []string{text}, Modified: text, Icons: []ir.Icon{{Src: text, MIME: text, Sizes: []string{text},
						Theme: text}},
					Meta: []ir.MetaEntry{{Key: text, Value: text}}, Result: ir.ResultText, Fixed: true, Subscribe: true,
					Names: ir.ResourceNames{Updated: "MottoUpdated"},
				},
				template,
			},
			Tools: []*ir.Tool{{
				Callee: fullMethod(text, "Do", ir.Param{Kind: ir.ParamArgs, Type: in.Type}), Name: text, Title: text,
				Description: text,
				Destructive: &no, OpenWorld: &no, Icons: []ir.Icon{{Src: text}}, Meta: []ir.MetaEntry{{Key: text, Value: text}},
				InputSchema: text, OutputSchema: text, Args: in, Result: ir.ToolDone, CallName: "callDo",
			}},
			Routes: &ir.RouteNode{On: ir.RouteScheme, Cases: []ir.RouteCase{{Text: text, Node: &ir.RouteNode{
				On: ir.RouteSegment, Seg: 0, Cases: []ir.RouteCase{{Text: text, Node: &ir.RouteNode{
					Try: []ir.RouteTry{{Resource: 1, Segs: []int{0, 1, 2}}},
				}}},
			}}}},
			Caps: ir.Capabilities{Resources: true, Subscribe: true, ListChanged: true, Completions: true, Tools: true},
			Names: ir.ServerNames{
				Type: "FullServer", Impl: "FullImpl", New: "NewFullServer", Features: "fullFeatures",
				Route: "routeFull",
			},
		}},
		Args: []*ir.ArgStruct{in},
		Guards: []ir.Guard{{Func: "Do", Type: funcOf(
			[]*ir.GoType{contextType(), {Kind: ir.GoStruct, Fields: []ir.GoField{{Name: "A", Type: basic("int")}}}},
			[]*ir.GoType{basic("error")})}},
	}
}

func fullMethod(text, name string, params ...ir.Param) ir.Callee {
	return ir.Callee{Kind: ir.CalleeMethod, Recv: "Store", Name: name, File: text, Decl: text, Params: params}
}

// fullTemplate is a template with variables of every kind that holds text.
func fullTemplate(text string) *ir.Resource {
	vars := []*ir.Var{
		{Name: text, GoName: "Name", Param: "name", Kind: ir.VarString, Type: basic("string"), Desc: text, Escape: text,
			MinLen: 1, MaxLen: 9},
		{Name: text, GoName: "Level", Param: "level", Kind: ir.VarEnum, Type: named(fullPath, "Level"),
			Values: []string{text, text + "2"}, Escape: text},
		{Name: text, GoName: "Day", Param: "day", Kind: ir.VarTime, Type: timeType(), Layout: text, Op: uritemplate.OpQuery,
			HasDefault: true, Default: text},
		{Name: text, GoName: "Text", Param: "text", Kind: ir.VarString, Type: basic("string"), Op: uritemplate.OpQuery,
			HasDefault: true, Default: text, MaxLen: -1},
		{Name: text, GoName: "Host", Param: "host", Kind: ir.VarText, Type: named("net/netip", "Addr"),
			Op: uritemplate.OpQuery, HasDefault: true, Default: text},
		{Name: text, GoName: "Must", Param: "must", Kind: ir.VarInt, Type: basic("int"), Op: uritemplate.OpQuery,
			Required: true},
	}
	t := &uritemplate.Template{Scheme: text, Multi: -1, StrictQuery: true, Segments: []uritemplate.Segment{
		{{Lit: text, Var: -1}},
		{{Lit: text, Var: -1}, {Var: 0}, {Lit: text, Var: -1}},
		{{Var: 1}},
	}}
	given := ir.Callee{Kind: ir.CalleeFunc, Name: "CompleteName", File: text, Decl: text, Params: []ir.Param{
		{Kind: ir.ParamPrefix, Type: basic("string")}, {Kind: ir.ParamGiven, Var: 3}, {Kind: ir.ParamGiven, Var: 5},
	}}
	for i := range vars[2:] {
		t.Query = append(t.Query, uritemplate.QueryVar{Param: text, Var: i + 2})
	}
	watch := fullMethod(text, "WatchNote")
	return &ir.Resource{
		Callee: fullMethod(text, "Note", ir.Param{Kind: ir.ParamVar, Var: 0, Type: basic("string")}),
		URI:    text, Template: t, Vars: vars, Name: text, Title: text, Description: text, MIME: text, Size: -1,
		Cache: ir.CachePolicy{TTLMillis: 1500, Public: true}, Subscribe: true, Result: ir.ResultJSON, Watch: &watch,
		List:       &ir.ListSource{Callee: fullMethod(text, "List"), Paged: true, Changes: true},
		Completers: []ir.Completer{{Var: 0, Callee: &given, Name: "completeNoteName"}, {Var: 1, Values: []string{text}}},
		Names: ir.ResourceNames{
			URI: "NoteURI", Parse: "ParseNoteURI", Ref: "NoteRef", Updated: "NoteUpdated", ListChanged: "NoteListChanged",
			Vars: "NoteVars", ReadVars: "readNoteVars",
			Topic: "topicNote", Append: "appendNoteURI", Entry: "noteEntry", Read: "readNote",
			Watch: "watchNote",
		},
	}
}

func fullArgs(text string) *ir.ArgStruct {
	return &ir.ArgStruct{Type: named(fullPath, "In"), Decode: "decodeIn", Fields: []ir.ArgField{
		{GoName: "Base.Name", JSONName: text, Required: true, Value: ir.ArgValue{Kind: ir.ArgString, Type: basic("string")}},
		{GoName: "Level", JSONName: text + "2", Value: ir.ArgValue{Kind: ir.ArgEnum, Type: named(fullPath, "Level"),
			Values: []string{text}}},
	}}
}
