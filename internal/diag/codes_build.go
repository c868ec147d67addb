package diag

// protocolCodes are the families 6xx (what the protocol allows) and 7xx (safety). MCP701 was never reported.
var protocolCodes = []Code{
	{"MCP601", Error, "a value is outside what the protocol allows",
		"A priority is between 0 and 1, and an audience is user or assistant.",
		"//mcp:annotate priority=1.5", "//mcp:annotate priority=1"},
	{"MCP602", Error, "a public cache scope on a protected resource",
		"A shared cache would give the content to callers without the required scopes.",
		"//mcp:access scopes=crm.read\n//mcp:cache scope=public", "//mcp:access scopes=crm.read\n//mcp:cache scope=private"},
	{"MCP603", Error, "a header mirror is not possible",
		"Only strings, integers and booleans can be mirrored in a header, and each header name is used once,\n" +
			"ignoring case.",
		"Ratio float64 `mcp:\"header=Ratio\"`", "Ratio string `mcp:\"header=Ratio\"`"},
	{"MCP604", Warning, "two annotations of a tool contradict each other",
		"A tool that only reads destroys nothing, so the second annotation has no meaning.",
		"//mcp:tool readonly destructive", "//mcp:tool readonly"},
	{"MCP605", Warning, "the scheme promises that clients can fetch the resource",
		"With the scheme https, a client may fetch the page itself instead of asking the server.",
		"//mcp:resource uri=https://example.com/wiki", "//mcp:resource uri=wiki:///start"},
	{"MCP606", Error, "the icon cannot be fetched by clients",
		"Clients fetch icons themselves, and support only the schemes https and data.",
		"//mcp:icon src=file:///i.png", "//mcp:icon src=https://example.com/i.png"},
	{"MCP607", Note, "the feature is not part of this version of the server",
		"The versions in //mcp:availability are compared with version= of the server, so this feature is\n" +
			"generated and not offered. Suffixes such as -rc1 are ignored.",
		"//mcp:server name=notes version=1.1\n//mcp:availability since=1.2",
		"//mcp:server name=notes version=1.2\n//mcp:availability since=1.2"},
	{"MCP608", Error, "options of access or limit contradict each other or have no effect",
		"A rule without the effect that it suggests is dangerous. `none` stands alone and needs a default to\n" +
			"remove, hide= needs a rule, and burst= and by= need rate=.",
		"//mcp:limit burst=10", "//mcp:limit rate=60/m burst=10"},
	{"MCP609", Warning, "a tool has no description",
		"A model decides by the description whether and when to call a tool. The description is the doc\n" +
			"comment of the function, or desc=.",
		"//mcp:tool\nfunc Close(ctx context.Context, in CloseIn) error",
		"// Close closes a ticket. Its number stays valid.\n//\n//mcp:tool\n" +
			"func Close(ctx context.Context, in CloseIn) error"},
	{"MCP610", Error, "an option of an app is no origin",
		"Browsers compare origins: a scheme, a host and a port. A path, a wildcard in the middle of a host or a\n" +
			"keyword such as 'self' would be ignored or would block the whole policy.",
		"//mcp:app uri=ui://board/cards connect=api.example.com/v1",
		"//mcp:app uri=ui://board/cards connect=https://api.example.com"},
	{"MCP611", Warning, "clients block something that a page uses",
		"Clients display apps without access to other hosts and files. The origins that the page needs are\n" +
			"named by resources=, frames= and base=, and clients may ask their users. Plugins, and modules that a\n" +
			"script imports when it gets there, are always blocked.",
		"//go:embed cards.html\n//mcp:app uri=ui://board/cards\nvar cards string",
		"//go:embed cards.html\n//mcp:app uri=ui://board/cards resources=https://cdn.example.com\nvar cards string"},
	{"MCP612", Error, "a tool that runs once as a task asks its client",
		"A task goes on after an answer of the client by running its handler again from the start, which\n" +
			"task=once forbids. A middleware runs before the task is created, and may ask.",
		"//mcp:tool task=once\nfunc (s *Shop) Order(ctx context.Context, c mcp.Peer) error",
		"//mcp:tool task=restart\nfunc (s *Shop) Order(ctx context.Context, c mcp.Peer) error"},
	{"MCP613", Error, "an option about tasks has no effect",
		"A tool without task= is never a task, so a call that has to be one could never be made.",
		"//mcp:tool task-required", "//mcp:tool task=once task-required"},
	{"MCP614", Warning, "an embedded file does not exist",
		"The package does not compile without the file, and mcpgen could not read it. If a program that go\n" +
			"generate runs later makes the file, suppress the warning with that reason; mcpgen then checks the file\n" +
			"when it runs with it.",
		"//go:embed dist\n//mcp:app uri=ui://board/cards\nvar cards embed.FS   // without a directory dist",
		"//go:embed dist\n//mcp:app uri=ui://board/cards\n//mcp:allow MCP614 npm run build writes dist\nvar cards embed.FS"},
	{"MCP615", Warning, "an app is hidden from callers of its tool",
		"Clients read the app of a tool whose result they display. Callers who may call the tool and not read\n" +
			"the app get an error in place of the page. Give both the same rules, or protect the tool alone. A program\n" +
			"whose tags leave out the app has the tool without a page.",
		"//go:embed cards.html\n//mcp:app uri=ui://board/cards\n//mcp:access scopes=staff\nvar cards string\n\n" +
			"//mcp:tool ui=ui://board/cards\nfunc Show(ctx context.Context) (Board, error)",
		"//go:embed cards.html\n//mcp:app uri=ui://board/cards\nvar cards string\n\n" +
			"//mcp:tool ui=ui://board/cards\n//mcp:access scopes=staff\nfunc Show(ctx context.Context) (Board, error)"},
	{"MCP616", Warning, "a secret is asked for or repeated in the open",
		"What users fill in is seen by their client, and perhaps by a model. Headers are seen by all proxies. A\n" +
			"secret belongs to a page of the program, to which AskURL sends the user. If the value is no secret,\n" +
			"suppress the warning with that reason.",
		"//mcp:form\ntype Login struct {\n\tName     string `json:\"name\"`\n\tPassword string `json:\"password\"`\n}",
		"err := peer.AskURL(ctx, \"login\", \"Log in.\", \"https://example.com/login\")"},
	{"MCP620", Error, "the name of an extension or of an experimental capability is not valid",
		"The id of an extension is a vendor prefix, a slash and a name. The prefix is a domain that you own, in\n" +
			"reverse. Those of the protocol itself, such as io.modelcontextprotocol, are reserved.",
		"//mcp:extension id=locks", "//mcp:extension id=com.example/locks"},
	{"MCP621", Error, "the name of a method is not valid for an extension",
		"Methods of the protocol and of known extensions, and names that later revisions may use, such as all that\n" +
			"begin with tools/, are reserved. Names that begin with the id of the extension are never taken.",
		"//mcp:method name=tools/lock", "//mcp:method name=com.example/locks/lock"},
	{"MCP622", Error, "a member is reserved by the protocol",
		"The protocol itself has _meta in params and results, and resultType in results.",
		"Meta string `json:\"_meta\"`", "Meta string `json:\"meta\"`"},
	{"MCP623", Error, "a version of an extension is not valid",
		"Versions of an extension are dates, the oldest first. A method or a notification is there since one of them.",
		"//mcp:extension id=com.example/locks revisions=v2",
		"//mcp:extension id=com.example/locks revisions=2026-08-01,2026-09-15"},
	{"MCP624", Error, "a part of an event has no effect",
		"A match function looks at the arguments of an event, so the event has some. How long clients wait between polls\n" +
			"means something for events that can be polled, and what is kept for events that are published.",
		"//mcp:event modes=push poll=5s", "//mcp:event modes=poll,push poll=5s"},
	{"MCP625", Error, "subscribers cannot follow a change of an event",
		"mcp_events.json has the schemas that subscribers know. Members of a payload stay, with their types, and\n" +
			"arguments that clients send are still taken; what is new is optional in arguments. Another change ends the\n" +
			"subscriptions, once mcpgen -accept has recorded it.",
		"Title string  →  Title []string", "Title string\nTitles []string"},
	{"MCP626", Note, "there is no record of events yet",
		"mcp_events.json remembers the schemas of events, so that mcpgen can tell which change their subscribers cannot\n" +
			"follow. The first run writes it. Commit it with the source.",
		"incidents.go, mcp_gen.go", "incidents.go, mcp_gen.go, mcp_events.json"},
	{"MCP627", Error, "an event that is replayed cannot be told from others",
		"The program has the history of the event, and subscribers may get a part of it again. They know an occurrence by\n" +
			"its id, and the program says when it happened.",
		"//mcp:event args=TakenFilter", "//mcp:event args=TakenFilter id=ID time=Taken"},
	{"MCP702", Warning, "the path check of a variable is switched off",
		"Without the check the value may contain .. or NUL. If the function checks the value itself, suppress\n" +
			"the warning with that reason.",
		"//mcp:var path raw", "//mcp:var path raw\n//mcp:allow MCP702 checked against the index"},
	{"MCP703", Warning, "a feature is open to all callers although the defaults protect it",
		"access none removes the rules of the server and of the receiver type. If all callers may use the\n" +
			"feature, suppress the warning with the reason.",
		"//mcp:access none", "//mcp:access none\n//mcp:allow MCP703 says nothing about anybody"},
}

// buildCodes is the family 8xx: the generated file and the package around it.
var buildCodes = []Code{
	{"MCP801", Error, "the generated file is older than its declarations",
		"Run the generator and commit the result. mcpgen -check in CI detects stale files.",
		"mcpgen -check ./...   (after an edit)", "go generate ./... && mcpgen -check ./..."},
	{"MCP802", Warning, "a suppression suppresses nothing",
		"The diagnostic that the line names does not appear here any more. Delete the line, so that a later\n" +
			"diagnostic is not hidden.",
		"//mcp:allow MCP504 listed elsewhere", "(line deleted)"},
	{"MCP803", Error, "a generated name is already taken",
		"The package declares a name that the generator needs. Rename one of the two declarations.",
		"func NoteURI() string", "func legacyNoteURI() string"},
	{"MCP804", Error, "not supported by this version of mcpgen",
		"The grammar has the directive, option or value and checks its form, but this version does not\n" +
			"implement it. An error is safer than a server that lacks what its source declares. Remove it, or use\n" +
			"a newer version.",
		"//mcp:limit timeout=5s", "(line deleted, until a version that supports it)"},
	{"MCP805", Error, "an annotated declaration does not type-check",
		"The generator needs the types in the signatures of annotated declarations, and the types that these\n" +
			"refer to. Other errors, and errors in function bodies, are left to the compiler.",
		"//mcp:resource uri=notes:///motd\nfunc (s *S) Motd(ctx context.Contxt) (string, error)",
		"//mcp:resource uri=notes:///motd\nfunc (s *S) Motd(ctx context.Context) (string, error)"},
	{"MCP806", Error, "a source file cannot be read or parsed",
		"A file with a syntax error may hide declarations, so nothing is generated for its package.",
		"func (s *S) Motd( {", "func (s *S) Motd(ctx context.Context) (string, error) {"},
	{"MCP807", Note, "no server directive: the package name is the server's name",
		"Clients show the name of the server, and generated names are made from it. Without a server\n" +
			"directive it is the name of the package. Write a server directive to keep the name if the package is\n" +
			"renamed.",
		"package notes", "//mcp:server name=notes\npackage notes"},
	{"MCP808", Error, "a directive stands in a file that is not built everywhere",
		"The generated file is built on every system, so it cannot use a declaration that only some systems\n" +
			"have. Annotate a function in a file without build constraints, and call the system-specific code\n" +
			"from it.",
		"//go:build linux\n\npackage host\n\n//mcp:resource uri=host:///load\nfunc Load(ctx context.Context) (string, error)",
		"//mcp:resource uri=host:///load\nfunc Load(ctx context.Context) (string, error) { return load() } " +
			"// load_linux.go, load_other.go"},
	{"MCP809", Warning, "a directive stands in a test file",
		"The generated file belongs to the package and cannot use declarations of its tests, so a directive\n" +
			"in a file *_test.go has no effect. Put a server for tests into a package of its own.",
		"// notes_test.go\n//mcp:tool\nfunc Fake(ctx context.Context) error",
		"// internal/fakes/fakes.go\n//mcp:tool\nfunc Fake(ctx context.Context) error"},
	{"MCP810", Error, "packages import each other",
		"Go has no import cycles. The generated file imports the packages in signatures and mounts, and may\n" +
			"close a cycle that the other files do not show. Move what both packages need into a third one that\n" +
			"imports neither.",
		"// shop/shop.go\nimport \"example.com/m/store\"\n// store/store.go\nimport \"example.com/m/shop\"",
		"// shop/shop.go\nimport \"example.com/m/item\"\n// store/store.go\nimport \"example.com/m/item\""},
	{"MCP811", Note, "a named package has no directive",
		"Nothing is generated for the package: it has no directive, no file in this build, or belongs to another\n" +
			"module. This is an error if it is the only package of the command line, because then the run does nothing.\n" +
			"A pattern with dots causes a note only if no package at all that it matches has a directive.",
		"mcpgen ./store   (a package without directives)", "mcpgen ./notes"},
	{"MCP812", Error, "a file of yours has the name of a generated file",
		"Generated code goes to mcp_gen.go, and with split to a file for each source, tools_mcp_gen.go for\n" +
			"tools.go. A file of that name without the header of mcpgen is yours, and is never written over.",
		"tools.go, tools_mcp_gen.go   (both written by hand)", "tools.go, tools_more.go"},
	{"MCP821", Note, "go.mod lacks mcpgen",
		"Generated code imports packages of mcpgen, so it builds only in a module that requires mcpgen.",
		"module example.com/notes\n\ngo 1.26.0",
		"module example.com/notes\n\ngo 1.26.0\n\nrequire github.com/mcpgen/mcpgen v0.0.0\n\n" +
			"replace github.com/mcpgen/mcpgen => ../mcpgen"},
	{"MCP822", Warning, "the runtime is newer than this mcpgen",
		"The runtime in go.mod knows a revision of the protocol that this mcpgen does not, so the output was made\n" +
			"for fewer. mcpgen check reports it. go tool mcpgen always runs the version of go.mod.",
		"mcpgen check ./...", "go tool mcpgen check ./..."},
}
