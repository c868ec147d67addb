package diag

// protocolCodes are the families 6xx (what the protocol allows) and 7xx (safety).
var protocolCodes = []Code{
	{"MCP601", Error, "a value is outside what the protocol allows",
		"Priorities run from 0 to 1, an audience is user or assistant.",
		"//mcp:annotate priority=1.5", "//mcp:annotate priority=1"},
	{"MCP602", Error, "a public cache scope on a protected resource",
		"A shared cache would hand the content to callers without the needed scopes.",
		"//mcp:access scopes=crm.read\n//mcp:cache scope=public", "//mcp:access scopes=crm.read\n//mcp:cache scope=private"},
	{"MCP603", Error, "a header mirror is not possible",
		"Only strings, integers and booleans are mirrored, and a header name is used once, ignoring case.",
		"Ratio float64 `mcp:\"header=Ratio\"`", "Ratio string `mcp:\"header=Ratio\"`"},
	{"MCP604", Warning, "two hints contradict each other",
		"A tool that only reads destroys nothing, so the second hint has no meaning.",
		"//mcp:tool readonly destructive", "//mcp:tool readonly"},
	{"MCP605", Warning, "the scheme promises that clients can fetch the resource",
		"With https:// a client may skip the server and fetch the page itself.",
		"//mcp:resource uri=https://example.com/wiki", "//mcp:resource uri=wiki:///start"},
	{"MCP606", Error, "the icon cannot be fetched by clients",
		"Icons are shown on the machine of the client, which reaches https: and data: addresses only.",
		"//mcp:icon src=file:///i.png", "//mcp:icon src=https://example.com/i.png"},
	{"MCP607", Note, "the feature is not part of this version of the server",
		"The versions in //mcp:availability are compared with version= of the server, so this feature is generated and not\n" +
			"offered. Suffixes such as -rc1 do not count.",
		"//mcp:server name=notes version=1.1\n//mcp:availability since=1.2",
		"//mcp:server name=notes version=1.2\n//mcp:availability since=1.2"},
	{"MCP608", Error, "options of access or limit contradict each other or mean nothing",
		"A rule that does not do what it looks like is worse than none. `none` stands alone and needs a default to\n" +
			"loosen, hide= needs a rule, and burst= and by= need a rate=.",
		"//mcp:limit burst=10", "//mcp:limit rate=60/m burst=10"},
	{"MCP609", Warning, "a tool has no description",
		"A model decides by the description whether and when to call a tool. It comes from the doc comment of the\n" +
			"function, or from desc=.",
		"//mcp:tool\nfunc Close(ctx context.Context, in CloseIn) error",
		"// Close closes a ticket. Its number stays valid.\n//\n//mcp:tool\nfunc Close(ctx context.Context, in CloseIn) error"},
	{"MCP701", Warning, "a path from outside reaches the file system",
		"A value chosen by a client may contain .. or be absolute. An os.Root refuses to leave its\n" +
			"directory whatever the value is.",
		"os.ReadFile(path)", "s.Files.Open(path) // Files is an *os.Root"},
	{"MCP702", Warning, "screening of a path variable is switched off",
		"Without it the value may contain .. or NUL. Suppress the warning with a reason if the function\n" +
			"checks the value itself.",
		"//mcp:var path raw", "//mcp:var path raw\n//mcp:allow MCP702 checked against the index"},
	{"MCP703", Warning, "a feature is open to everybody although the defaults protect it",
		"access none drops what the server or the receiver type asks for. Suppress the warning with a reason\n" +
			"if everybody may use the feature.",
		"//mcp:access none", "//mcp:access none\n//mcp:allow MCP703 says nothing about anybody"},
}

// buildCodes is the family 8xx: the generated file and the package around it.
var buildCodes = []Code{
	{"MCP801", Error, "the generated file is older than its declarations",
		"Run the generator and commit the result; -check in CI keeps it that way.",
		"mcpgen -check ./...   (after an edit)", "go generate ./... && mcpgen -check ./..."},
	{"MCP802", Warning, "a suppression suppresses nothing",
		"The diagnostic that it names no longer appears here. Delete the line, so that the next one is\n" +
			"seen.",
		"//mcp:allow MCP504 listed elsewhere", "(line deleted)"},
	{"MCP803", Error, "a generated name is already taken",
		"The package declares the name that the generator needs. Rename one of them.",
		"func NoteURI() string", "func legacyNoteURI() string"},
	{"MCP804", Error, "not supported by this version of mcpgen yet",
		"The grammar knows the directive, option or value, and checks its form, but this version does not act\n" +
			"on it. Refusing is safer than a server that lacks what its source promises. Remove it or use\n" +
			"a newer version.",
		"//mcp:limit timeout=5s", "(line deleted, until a version that supports it)"},
	{"MCP805", Error, "an annotated declaration does not type-check",
		"The generator needs the types in the signature of what is annotated, and of what that refers\n" +
			"to. Errors elsewhere, and inside function bodies, are left to the compiler.",
		"//mcp:resource uri=notes:///motd\nfunc (s *S) Motd(ctx context.Contxt) (string, error)",
		"//mcp:resource uri=notes:///motd\nfunc (s *S) Motd(ctx context.Context) (string, error)"},
	{"MCP806", Error, "a source file cannot be read or parsed",
		"A file with a syntax error may hide declarations, so nothing is generated from its package.",
		"func (s *S) Motd( {", "func (s *S) Motd(ctx context.Context) (string, error) {"},
	{"MCP807", Note, "no server directive: the package name is the server's name",
		"Clients show the name of the server, and generated names come from it. The name of the package\n" +
			"is a good one for many; write it down if it shall outlive a renamed package.",
		"package notes", "//mcp:server name=notes\npackage notes"},
	{"MCP808", Error, "a directive stands in a file that is not built everywhere",
		"The generated file is built on every system, so it cannot mention what only some of them have.\n" +
			"Annotate a function in an ordinary file, and let it call what differs.",
		"//go:build linux\n\npackage host\n\n//mcp:resource uri=host:///load\nfunc Load(ctx context.Context) (string, error)",
		"//mcp:resource uri=host:///load\nfunc Load(ctx context.Context) (string, error) { return load() } // load_linux.go, load_other.go"},
	{"MCP809", Warning, "a directive stands in a test file",
		"The generated file belongs to the package and cannot mention what its tests declare, so a\n" +
			"directive in a file *_test.go does nothing. Put a server for tests into a package of its own.",
		"// notes_test.go\n//mcp:tool\nfunc Fake(ctx context.Context) error",
		"// internal/fakes/fakes.go\n//mcp:tool\nfunc Fake(ctx context.Context) error"},
	{"MCP810", Error, "packages import each other",
		"Go has no import cycles. The generated file imports what signatures and mounts name, so it may\n" +
			"close a cycle that the files beside it do not show. Move what both packages need into one that\n" +
			"imports neither.",
		"// shop/shop.go\nimport \"example.com/m/store\"\n// store/store.go\nimport \"example.com/m/shop\"",
		"// shop/shop.go\nimport \"example.com/m/item\"\n// store/store.go\nimport \"example.com/m/item\""},
	{"MCP811", Note, "a package that was named has no directive",
		"Nothing is generated for it. It is an error if it was the only package that was named, because then the\n" +
			"run did nothing at all. Patterns with dots match many packages, and say nothing about those without.",
		"mcpgen ./store   (a package without directives)", "mcpgen ./notes"},
}
