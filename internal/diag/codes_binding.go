package diag

// bindingCodes is the family 3xx: template variables, parameters and arguments.
var bindingCodes = []Code{
	{"MCP301", Error, "a template variable has no parameter",
		"Variables are bound to parameters by name; case and underscores are ignored. If the names differ,\n" +
			"write param= in a var directive.",
		"//mcp:resource uri=t:///{number}\nfunc (s *S) Get(ctx context.Context, num int) (string, error)",
		"//mcp:resource uri=t:///{number}\n//mcp:var number param=num\n" +
			"func (s *S) Get(ctx context.Context, num int) (string, error)"},
	{"MCP302", Error, "a parameter is neither a variable nor of a special type",
		"Every parameter gets its value from the URI, or from the runtime by its type (caller, request,\n" +
			"page).",
		"//mcp:resource uri=t:///{id}\nfunc (s *S) Get(ctx context.Context, id string, verbose bool) (string, error)",
		"//mcp:resource uri=t:///{id}{?verbose}\n//mcp:var verbose default=false\n" +
			"func (s *S) Get(ctx context.Context, id string, verbose bool) (string, error)"},
	{"MCP303", Error, "a parameter type cannot be read from a URI",
		"A variable is text. It can become a string, bool, number, time, duration, enum, a type with\n" +
			"UnmarshalText, or a slice of these where the template repeats it: {?tag*} is a query parameter that may\n" +
			"come several times, {/path*} is several segments of the path.",
		"//mcp:resource uri=notes:///all{?tag}\nfunc (s *S) All(ctx context.Context, tag []string) (string, error)",
		"//mcp:resource uri=notes:///all{?tag*}\nfunc (s *S) All(ctx context.Context, tag []string) (string, error)"},
	{"MCP304", Error, "an optional variable has no default",
		"Query variables may be absent. Declare a default, or use a pointer, which is nil for an absent\n" +
			"variable.",
		"//mcp:resource uri=logs:///{host}{?limit}",
		"//mcp:resource uri=logs:///{host}{?limit}\n//mcp:var limit default=100"},
	{"MCP305", Error, "a variable that spans segments has a scalar type",
		"The value may contain slashes, so the parameter must be a string or a slice of segments.",
		"//mcp:resource uri=docs:///{+path}\nfunc (s *S) Doc(ctx context.Context, path int) (string, error)",
		"//mcp:resource uri=docs:///{+path}\nfunc (s *S) Doc(ctx context.Context, path string) (string, error)"},
	{"MCP306", Error, "an example is not a valid value",
		"Models copy examples. A call with an invalid value would be refused, so the example must be a value of the\n" +
			"type and within the limits of the same line.",
		"//mcp:var project pattern=[A-Z]+ example=ops", "//mcp:var project pattern=[A-Z]+ example=OPS"},
}

// resultCodes is the family 4xx: signatures and results.
var resultCodes = []Code{
	{"MCP401", Error, "the function does not have a valid signature for its directive",
		"Each directive accepts a few signatures, which the message lists. All of them return an error.",
		"//mcp:resource uri=notes:///motd\nfunc (s *S) Motd(ctx context.Context) string",
		"//mcp:resource uri=notes:///motd\nfunc (s *S) Motd(ctx context.Context) (string, error)"},
	{"MCP402", Error, "the result type does not fit the mime type",
		"Strings are sent as text and bytes as binary data. A client cannot use a text as an image.",
		"//mcp:resource uri=i:///logo mime=image/png\nfunc (s *S) Logo(ctx context.Context) (string, error)",
		"//mcp:resource uri=i:///logo mime=image/png\nfunc (s *S) Logo(ctx context.Context) ([]byte, error)"},
	{"MCP403", Error, "the result cannot be encoded as JSON",
		"Channels, functions and complex numbers have no JSON form.",
		"type Job struct{ Done chan bool }", "type Job struct {\n\tDone chan bool `json:\"-\"`\n}"},
	{"MCP404", Error, "a keyed struct lacks a key field",
		"Every variable in the path of the template needs a field with its value.",
		"//mcp:resource uri=crm:///{region}\ntype Account struct{ Region string }",
		"//mcp:resource uri=crm:///{region}\ntype Account struct {\n\tRegion string `mcp:\"key\"`\n}"},
	{"MCP405", Error, "options or tags of a resource contradict each other",
		"A struct with a literal URI is one value. A struct with a template is one value for each key, in a\n" +
			"store or from a source. The tags of its fields decide what clients see of a value.",
		"//mcp:resource uri=config:///settings\ntype Settings struct {\n\tBody int `mcp:\"text\"`\n}",
		"//mcp:resource uri=config:///settings\ntype Settings struct {\n\tBody string `mcp:\"text\"`\n}"},
	{"MCP406", Error, "a keyword of a jsonschema tag does not fit the field",
		"Keywords limit what clients may send. A keyword for another type, a contradiction between keywords,\n" +
			"or a default that would be refused makes a schema that the server cannot fulfil.",
		"Limit int `json:\"limit,omitempty\" jsonschema:\"minLength=1\"`",
		"Limit int `json:\"limit,omitempty\" jsonschema:\"minimum=1\"`"},
	{"MCP407", Error, "a form cannot have such a field",
		"Clients show forms from flat schemas: strings, numbers, booleans, and choices of strings. Formats\n" +
			"are email, uri, date and date-time. Values that a user cannot enter belong in the program.",
		"//mcp:form\ntype Contact struct {\n\tHome Address\n}",
		"//mcp:form\ntype Contact struct {\n\tStreet, City string\n}"},
	{"MCP408", Note, "the constants of a type do not limit it",
		"A named type takes every value of its underlying type. //mcp:enum on the type, or\n" +
			"jsonschema:\"enum=…\" on one field, limits the schema and the validator to the constants. If other\n" +
			"values are valid, write //mcp:allow MCP408 with the reason above the type.",
		"type Level string\n\nconst (\n\tLow  Level = \"low\"\n\tHigh Level = \"high\"\n)", "//mcp:enum\ntype Level string"},
	{"MCP409", Error, "no other package can construct the receiver type",
		"The constructor takes the receivers in the fields of its Impl struct. Other packages cannot make a\n" +
			"value of an unexported type that no exported function, method, variable or field yields. Package\n" +
			"main may use such types, and so may a package that calls the constructor itself, and one with an\n" +
			"exported type that embeds the receiver.",
		"package notes\n\ntype store struct{}\n\n//mcp:tool\nfunc (s *store) Add(ctx context.Context, in AddIn) error",
		"package notes\n\ntype Store struct{}\n\n//mcp:tool\nfunc (s *Store) Add(ctx context.Context, in AddIn) error"},
	{"MCP410", Error, "the mapping of a type to JSON is incomplete or contradicts another",
		"One function reads the values of a type and one writes them. A type in arguments needs the first, a\n" +
			"type in results the second. Both have the same JSON type, and the same format and description if\n" +
			"both have one.",
		"//mcp:type format=uri\nfunc parseURL(s string) (url.URL, error)\n\n" +
			"//mcp:tool\nfunc Home(ctx context.Context) (url.URL, error)",
		"//mcp:type format=uri\nfunc parseURL(s string) (url.URL, error)\n\n//mcp:type\nfunc formatURL(u url.URL) string"},
	{"MCP411", Warning, "the mapping of a type is not used",
		"No argument of a tool, no form and no JSON result has the type. Keys of maps, variables of templates\n" +
			"and arguments of prompts are not mapped.",
		"//mcp:type\nfunc parseURL(s string) (url.URL, error)",
		"//mcp:tool\nfunc Open(ctx context.Context, u url.URL) error"},
	{"MCP412", Error, "a page cannot be displayed as an app",
		"An app is one HTML5 document at a URI that begins with ui://. Clients display it in a frame without\n" +
			"other files. What the index.html of an embed.FS refers to becomes a part of it; a single file must\n" +
			"have everything in it.",
		"//go:embed cards.html\n//mcp:app uri=https://example.com/cards\nvar cards string",
		"//go:embed cards.html\n//mcp:app uri=ui://board/cards\nvar cards string"},
	{"MCP413", Error, "a directory cannot be served as skills",
		"A skill is a directory with a SKILL.md. That file begins with frontmatter, which has the name of the\n" +
			"directory as name, and a description by which models choose skills. Clients refuse other skills.",
		"//go:embed skills.zip\n//mcp:skill\nvar skills []byte",
		"//go:embed skills\n//mcp:skill\nvar skills embed.FS"},
	{"MCP414", Warning, "clients may refuse a skill",
		"Every client accepts skills of up to 512 files and 16 MiB. metadata maps names to texts (the numbers and\n" +
			"lists of YAML are none), and compatibility is a text of up to 500 characters: clients may refuse the\n" +
			"whole list for a skill that has anything else there. Names that begin with io.modelcontextprotocol/\n" +
			"have meanings that extensions give them. The skills of a server have different names.",
		"---\nname: refunds\ndescription: …\nmetadata:\n  io.modelcontextprotocol/owner: finance\n---",
		"---\nname: refunds\ndescription: …\nmetadata:\n  com.example/owner: finance\n---"},
	{"MCP415", Error, "a //go:embed line is not valid",
		"The go command would refuse it when the package is built. A pattern is a path below the directory of\n" +
			"the package, with slashes, and names regular files of its module. A string or []byte has one file. What\n" +
			"no program that go generate runs can mend is an error; a file that is missing is MCP614.",
		"//go:embed ../web/cards.html\n//mcp:app uri=ui://board/cards\nvar cards string",
		"//go:embed web/cards.html\n//mcp:app uri=ui://board/cards\nvar cards string"},
	{"MCP416", Error, "a type cannot be the payload or the arguments of an event",
		"Both are structs whose fields are the members of an object. The payload is read again by encoding/json, from\n" +
			"a log that other processes may have written.",
		"//mcp:event\ntype Opened[T any] struct{ What T }", "//mcp:event\ntype Opened struct{ What string }"},
}

// referenceCodes is the family 5xx: one declaration naming another.
var referenceCodes = []Code{
	{"MCP501", Error, "of=, updates=, ui=, policy= or server= names nothing in this package",
		"The value of of= is the Go name or the MCP name of an annotated resource, that of updates= its URI,\n" +
			"that of ui= the URI of an app, that of server= the name in a server directive, and that of policy= a method\n" +
			"of the receiver or a function; all of them in the same package and of the same server.",
		"//mcp:list of=Tickte", "//mcp:list of=Ticket"},
	{"MCP502", Error, "var= names no variable of the template",
		"A completion belongs to one variable of the resource or prompt that of= names.",
		"//mcp:complete of=Ticket var=nr", "//mcp:complete of=Ticket var=number"},
	{"MCP503", Warning, "a resource with subscribe never publishes updates",
		"Clients would wait for updates that never come. Add a watch function, a store, poll=, or a tool with\n" +
			"updates=; a call of the generated Updated method counts too.",
		"//mcp:resource uri=t:///{id} subscribe", "//mcp:resource uri=t:///{id} subscribe\n\n//mcp:watch of=Get"},
	{"MCP504", Warning, "the instances of a template are not listed",
		"Clients find resources through resources/list. Add a list function, or write list=none if the\n" +
			"omission is intended.",
		"//mcp:resource uri=t:///{id}", "//mcp:resource uri=t:///{id} list=none"},
	{"MCP505", Error, "a list or completion function takes the request",
		"A list must be the same on every connection of a caller, because clients and proxies cache it.",
		"//mcp:list of=Get\nfunc (s *S) List(ctx context.Context, c *mcp.Call) iter.Seq2[GetRef, error]",
		"//mcp:list of=Get\nfunc (s *S) List(ctx context.Context, who mcp.Caller) iter.Seq2[GetRef, error]"},
	{"MCP506", Error, "an argument of an event is compared with nothing",
		"Without a match function each argument is compared with the field of the payload that has the same name in\n" +
			"JSON and the same type: a string, a number or a bool, not behind a pointer. If an argument may be left out\n" +
			"and its zero value means something, it is a pointer or a list.",
		"//mcp:event args=Filter\ntype Opened struct{ Service string }\n\ntype Filter struct{ Services []string }",
		"//mcp:event args=Filter\ntype Opened struct{ Service string }\n\ntype Filter struct{ Service []string }"},
}
