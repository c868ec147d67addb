package server

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/internal/goname"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/templates/jenutil"
)

// eventRT is what the runtime calls name in its package for events.
func eventRT(name string) *jen.Statement { return jen.Qual(jenutil.EventPath, name) }

// eventType is the type of what publishes an event: mcpevent.Type[IncidentOpened, IncidentFilter].
func eventType(e *ir.Event) *jen.Statement {
	return eventRT("Type").Types(jenutil.GoType(e.Type), filterType(e))
}

// filterType is the struct of the arguments.
func filterType(e *ir.Event) *jen.Statement {
	if e.Args == nil {
		return jen.Struct()
	}
	return jenutil.GoType(e.Args.Type)
}

// emitEvents writes for each event the function that declares it, and the methods that publish it.
func emitEvents(f *serverFile, s *ir.Server) {
	for _, e := range s.Events {
		f := f.of(e.File)
		emitEvent(f, s, e)
		emitPublish(f, s, e)
		emitMatch(f, e)
	}
}

// eventsImpl are the parameter of the functions that declare events and the argument for it: nothing if no method of a
// value is annotated.
func eventsImpl(s *ir.Server) (params, args []jen.Code) {
	if len(s.Receivers) > len(s.Mounts) {
		return []jen.Code{implParam(s)}, []jen.Code{jenutil.AddrOf(jen.Id("impl"))}
	}
	return nil, nil
}

// emitEvent writes the function that declares an event.
//
//	// incidentOpenedEvent declares incident.opened.
//	func incidentOpenedEvent(impl *IncidentsImpl) *mcpevent.Type[IncidentOpened, IncidentFilter] {
//		return &mcpevent.Type[IncidentOpened, IncidentFilter]{ // incidents.go: IncidentOpened
//			Name: "incident.opened",
//			…
//		}
//	}
func emitEvent(f *serverFile, s *ir.Server, e *ir.Event) {
	params, _ := eventsImpl(s)
	f.note(e.Names.New + " declares " + e.Name + ".")
	f.Func().Add(jenutil.Ident(e.Names.New)).Params(params...).Add(jenutil.PtrTo(eventType(e))).Block(
		jen.Return(jenutil.Ref(eventType(e), eventMembers(e).Lines(e.File+": "+e.Type.Name))))
}

// eventMembers are the members of an event.
func eventMembers(e *ir.Event) jenutil.Members {
	var m jenutil.Members
	m.Text("Name", e.Name)
	m.Text("Title", e.Title)
	m.Text("Description", e.Description)
	m.Add("Modes", modesCode(e.Modes))
	if e.Args != nil {
		m.Add("Arguments", rawJSON(e.Arguments, eventDepth))
	}
	m.Add("Payload", rawJSON(e.Payload, eventDepth))
	if e.Schema > 0 {
		m.Add("Schema", jen.Lit(e.Schema))
	}
	if e.InputOnly > 0 {
		m.Add("InputOnly", jen.Lit(e.InputOnly))
	}
	m.Add("Revisions", protoCode(e.Proto))
	m.Add("Tags", textsCode(e.Tags))
	m.Add("Guard", rulesCode(e.Rules))
	m.Flag("Toggle", e.Toggle != "")
	if e.Retain > 0 {
		m.Add("RetainFor", jenutil.Duration(e.Retain))
	}
	if e.Keep > 0 {
		m.Add("RetainMost", jen.Lit(int(e.Keep)))
	}
	if e.Poll > 0 {
		m.Add("PollEvery", jenutil.Duration(e.Poll))
	}
	addFields(&m, e)
	addFunctions(&m, e)
	return m
}

// eventDepth is how far to the right the members of an event stand.
const eventDepth = 2

// modesCode is mcpevent.Poll | mcpevent.Push.
func modesCode(modes []string) jen.Code {
	all := jen.Empty()
	for i, mode := range modes {
		if i > 0 {
			all.Op("|")
		}
		all.Add(eventRT(goname.UpperFirst(mode)))
	}
	return all
}

// addFields adds what the fields of the payload tell.
//
//	ID: func(e *IncidentOpened) string { return e.ID },
//	At: func(e *IncidentOpened) time.Time { return e.Opened },
func addFields(m *jenutil.Members, e *ir.Event) {
	get := func(result, value jen.Code) jen.Code {
		return jen.Func().Params(payloadParam(e)).Add(result).Block(jen.Return(value))
	}
	if e.ID != "" {
		id := jen.Code(fieldPath("e", e.ID))
		if !e.IDText {
			id = jen.String().Call(id)
		}
		m.Add("ID", get(jen.String(), id))
	}
	if e.Time != "" {
		m.Add("At", get(jen.Qual("time", "Time"), fieldPath("e", e.Time)))
	}
	if e.Encode != nil {
		m.Add("Encode", jenutil.Ident(e.Encode.Name))
	}
	if e.Args != nil {
		m.Add("Args", jenutil.Ident(e.Args.Decode))
	}
}

// payloadParam is e *IncidentOpened.
func payloadParam(e *ir.Event) *jen.Statement {
	return jen.Id("e").Add(jenutil.PtrTo(jenutil.GoType(e.Type)))
}

// addFunctions adds the functions of the user. Those of an event without arguments do not take any.
//
//	Match: impl.Ops.Matches,
//	Shape: func(c mcp.Caller, _ struct{}, e *IncidentOpened) IncidentOpened { return impl.Ops.Shaped(c, e) },
func addFunctions(m *jenutil.Members, e *ir.Event) {
	switch {
	case e.Match != nil:
		m.Add("Match", calleeCode(jen.Id("impl"), e.Match))
	case len(e.Equal) > 0:
		m.Add("Match", jenutil.Ident(e.Names.Match))
	}
	if len(e.Equal) > 0 && e.Match == nil {
		m.Add("Equal", equalCode(e))
	}
	if e.Shape != nil {
		shape := calleeCode(jen.Id("impl"), e.Shape)
		if e.Args == nil {
			shape = jen.Func().Params(jen.Id("c").Add(jenutil.MCP("Caller")), jen.Id("_").Struct(), payloadParam(e)).
				Add(jenutil.GoType(e.Type)).Block(jen.Return(shape.Call(jen.Id("c"), jen.Id("e"))))
		}
		m.Add("Shape", shape)
	}
	if e.Replay != nil {
		m.Add("Replay", replayCode(e))
	}
}

// replayCode is the function that returns the history of an event.
//
//	func(ctx context.Context, _ struct{}, next string, n int) (mcp.EventPage[IncidentOpened], error) {
//		return impl.Ops.Replay(ctx, next, n)
//	}
func replayCode(e *ir.Event) jen.Code {
	replay := calleeCode(jen.Id("impl"), e.Replay)
	if e.Args != nil {
		return replay
	}
	return jen.Func().Params(jenutil.CtxParam(), jen.Id("_").Struct(), jen.Id("next").String(), jen.Id("n").Int()).
		Params(jenutil.MCP("EventPage").Types(jenutil.GoType(e.Type)), jen.Error()).
		Block(jen.Return(replay.Call(jen.Id("ctx"), jen.Id("next"), jen.Id("n"))))
}

// equalCode are the fields that are compared with arguments.
//
//	[]mcpevent.Equal[IncidentOpened, IncidentFilter]{{
//		Wants: func(f IncidentFilter) []any { return mcpevent.WantedText(f.Service) },
//		Has:   func(e *IncidentOpened) any { return e.Service },
//	}}
func equalCode(e *ir.Event) jen.Code {
	var list []jen.Code
	for _, c := range e.Equal {
		var m jenutil.Members
		m.Add("Wants", jen.Func().Params(jen.Id("f").Add(filterType(e))).Index().Any().Block(
			jen.Return(eventRT(wantedNames[c.Kind]).Call(fieldPath("f", c.Arg)))))
		m.Add("Has", jen.Func().Params(payloadParam(e)).Any().Block(jen.Return(fieldPath("e", c.Field))))
		list = append(list, m.Lines(""))
	}
	return jen.Index().Add(eventRT("Equal")).Types(jenutil.GoType(e.Type), filterType(e)).Values(list...)
}

// wantedNames are the functions that make the values that an argument wants.
var wantedNames = map[ir.CompareKind]string{
	ir.CompareAlways: "Wanted", ir.CompareText: "WantedText", ir.ComparePointer: "WantedAt", ir.CompareList: "WantedList",
}

// emitPublish writes the methods that publish an event.
//
//	// PublishIncidentOpened publishes incident.opened soon, and never blocks. …
//	func (s *IncidentsServer) PublishIncidentOpened(ctx context.Context, e *IncidentOpened) error {
//		return s.incidentOpenedEvent.Publish(ctx, e)
//	}
//
//	// CommitIncidentOpened publishes incident.opened, and returns when …
//	func (s *IncidentsServer) CommitIncidentOpened(ctx context.Context, e *IncidentOpened) error {
//		return s.incidentOpenedEvent.Commit(ctx, e)
//	}
//
// An event whose history the program has gets another one:
//
//	// AnnounceIncidentOpened says that the history of incident.opened has more. It never blocks.
//	func (s *IncidentsServer) AnnounceIncidentOpened() {
//		s.incidentOpenedEvent.Announce()
//	}
func emitPublish(f *serverFile, s *ir.Server, e *ir.Event) {
	if e.Replay != nil {
		f.note(e.Names.Announce + " says that the history of " + e.Name + " has more. It never blocks.")
		f.method(s, e.Names.Announce).Params().Block(jen.Id("s").Dot(jenutil.Name(e.Names.Field)).Dot("Announce").Call())
		return
	}
	for _, m := range []struct{ name, call, does string }{
		{e.Names.Publish, "Publish", "soon, and never blocks. If too many wait, it is lost and subscribers " +
			"are told of a gap. The error is about e itself."},
		{e.Names.Commit, "Commit", "and returns when the log has it."},
	} {
		f.note(m.name + " publishes " + e.Name + " " + m.does + " If ctx is that of a call, its caller learns that the " +
			"event is its own doing.")
		f.method(s, m.name).Params(jenutil.CtxParam(), payloadParam(e)).Error().Block(
			jen.Return(jen.Id("s").Dot(jenutil.Name(e.Names.Field)).Dot(jenutil.Name(m.call)).Call(jen.Id("ctx"), jen.Id("e"))))
	}
}

// emitMatch writes the function that compares the arguments with the fields of the payload.
//
//	// matchIncidentOpened reports whether e is what f asks for.
//	func matchIncidentOpened(f IncidentFilter, e *IncidentOpened) bool {
//		return (f.Service == "" || f.Service == e.Service) &&
//			(len(f.Severity) == 0 || slices.Contains(f.Severity, e.Severity))
//	}
func emitMatch(f *serverFile, e *ir.Event) {
	if len(e.Equal) == 0 || !f.first(e.Names.Match) {
		return
	}
	all := jen.Empty()
	for i, c := range e.Equal {
		if i > 0 {
			all.Op("&&").Line()
		}
		all.Add(comparisonCode(c))
	}
	f.note(e.Names.Match + " reports whether e is what f asks for.")
	f.Func().Add(jenutil.Ident(e.Names.Match)).Params(jen.Id("f").Add(filterType(e)), payloadParam(e)).Bool().Block(
		jen.Return(all))
}

// comparisonCode compares one argument.
func comparisonCode(c ir.Comparison) jen.Code {
	arg, field := func() *jen.Statement { return fieldPath("f", c.Arg) }, fieldPath("e", c.Field)
	switch c.Kind {
	case ir.CompareText:
		return jen.Parens(arg().Op("==").Lit("").Op("||").Add(arg()).Op("==").Add(field))
	case ir.ComparePointer:
		return jen.Parens(arg().Op("==").Nil().Op("||").Add(jenutil.Deref(arg())).Op("==").Add(field))
	case ir.CompareList:
		return jen.Parens(jen.Len(arg()).Op("==").Lit(0).Op("||").Qual("slices", "Contains").Call(arg(), field))
	}
	return arg().Op("==").Add(field)
}

// withEvents adds the events of a server to its features, and makes the value that has what publishes them.
//
//	f := incidentsFeatures(&impl)
//	s := &IncidentsServer{incidentOpenedEvent: incidentOpenedEvent(&impl)}
//	mcpevent.Add(f, s.incidentOpenedEvent)
//	srv, err := mcprt.NewServer(f, opts)
//	if err != nil {
//		return nil, err
//	}
//	s.Server = srv
//	return s, nil
func withEvents(s *ir.Server, features jen.Code) []jen.Code {
	var m jenutil.Members
	_, args := eventsImpl(s)
	list := []jen.Code{jen.Id("f")}
	for _, e := range s.Events {
		m.Add(e.Names.Field, jenutil.Ident(e.Names.New).Call(args...))
		list = append(list, jen.Id("s").Dot(jenutil.Name(e.Names.Field)))
	}
	list = append(list, updatesCode(s)...)
	return []jen.Code{
		jen.Id("f").Op(":=").Add(features),
		jen.Id("s").Op(":=").Add(jenutil.Ref(jenutil.Ident(s.Names.Type), m.Lines(""))),
		eventRT("Add").Call(list...),
		jen.List(jen.Id("srv"), jen.Err()).Op(":=").Add(newServer(s, jen.Id("f"))),
		jenutil.IfErr(jen.Nil(), jen.Err()),
		jen.Id("s").Dot("Server").Op("=").Id("srv"),
		jen.Return(jen.Id("s"), jen.Nil()),
	}
}

// hasEvents reports whether a server has events, its own or of updates.
func hasEvents(s *ir.Server) bool {
	return len(s.Events) > 0 || slices.ContainsFunc(s.Resources, func(r *ir.Resource) bool { return r.Event != nil })
}

// updatesCode declares the events for updates of resources.
//
//	&mcpevent.Updates{ // notes.go: Note
//		Name:     "note.updated",
//		Resource: "notes:///{id}",
//		…
//	}
func updatesCode(s *ir.Server) (list []jen.Code) {
	for _, r := range s.Resources {
		if r.Event == nil {
			continue
		}
		var m jenutil.Members
		m.Text("Name", r.Event.Name)
		m.Text("Description", r.Event.Description)
		m.Text("Resource", r.URI)
		m.Add("Modes", modesCode(r.Event.Modes))
		m.Add("Revisions", protoCode(r.Proto))
		m.Add("Tags", textsCode(r.Tags))
		m.Add("Guard", rulesCode(r.Event.Rules))
		list = append(list, jenutil.Ref(eventRT("Updates"), m.Lines("")))
	}
	return list
}

// eventFields are the fields of the type of a server with what publishes its events.
func eventFields(s *ir.Server) (fields []jen.Code) {
	for _, e := range s.Events {
		fields = append(fields, jenutil.Ident(e.Names.Field).Add(jenutil.PtrTo(eventType(e))))
	}
	return fields
}
