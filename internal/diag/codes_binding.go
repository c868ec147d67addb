package diag

// bindingCodes is the family 3xx: template variables and parameters.
var bindingCodes = []Code{
	{"MCP301", Error, "a template variable has no parameter",
		"Variables are bound to parameters by name; case and underscores do not matter. When the names\n" +
			"differ, say so with a var line.",
		"//mcp:resource uri=t:///{number}\nfunc (s *S) Get(ctx context.Context, num int) (string, error)",
		"//mcp:resource uri=t:///{number}\n//mcp:var number param=num\nfunc (s *S) Get(ctx context.Context, num int) (string, error)"},
	{"MCP302", Error, "a parameter is neither a variable nor special",
		"Every parameter gets its value from the URI, or is recognised by its type (caller, request,\n" +
			"page). Nothing else can fill it.",
		"//mcp:resource uri=t:///{id}\nfunc (s *S) Get(ctx context.Context, id string, verbose bool) (string, error)",
		"//mcp:resource uri=t:///{id}{?verbose}\n//mcp:var verbose default=false\nfunc (s *S) Get(ctx context.Context, id string, verbose bool) (string, error)"},
	{"MCP303", Error, "a parameter type cannot be read from a URI",
		"A variable is text. It can become a string, bool, number, time, duration, enum, a type with\n" +
			"UnmarshalText, or a slice of these where the template repeats it.",
		"type Span struct{ From, To int }",
		"type Span struct{ From, To int }\nfunc (s *Span) UnmarshalText(text []byte) error"},
	{"MCP304", Error, "an optional variable has no default",
		"Query variables may be absent. Say what absence means: a default, or a pointer that is nil.",
		"//mcp:resource uri=logs:///{host}{?limit}",
		"//mcp:resource uri=logs:///{host}{?limit}\n//mcp:var limit default=100"},
	{"MCP305", Error, "a variable that spans segments has a scalar type",
		"The value may contain slashes, so only text or a list of segments can hold it.",
		"//mcp:resource uri=docs:///{+path}\nfunc (s *S) Doc(ctx context.Context, path int) (string, error)",
		"//mcp:resource uri=docs:///{+path}\nfunc (s *S) Doc(ctx context.Context, path string) (string, error)"},
}

// resultCodes is the family 4xx: signatures and results.
var resultCodes = []Code{
	{"MCP401", Error, "the function does not have a valid signature for its directive",
		"Each directive accepts a few forms; the message lists them. All of them can fail, so all of them\n" +
			"return an error.",
		"//mcp:resource uri=notes:///motd\nfunc (s *S) Motd(ctx context.Context) string",
		"//mcp:resource uri=notes:///motd\nfunc (s *S) Motd(ctx context.Context) (string, error)"},
	{"MCP402", Error, "the result type does not fit the mime type",
		"Strings are sent as text and bytes as binary data; a client that asked for an image cannot use\n" +
			"a text.",
		"//mcp:resource uri=i:///logo mime=image/png\nfunc (s *S) Logo(ctx context.Context) (string, error)",
		"//mcp:resource uri=i:///logo mime=image/png\nfunc (s *S) Logo(ctx context.Context) ([]byte, error)"},
	{"MCP403", Error, "the result cannot be encoded as JSON",
		"Channels, functions and complex numbers have no JSON form.",
		"type Job struct{ Done chan bool }", "type Job struct {\n\tDone chan bool `json:\"-\"`\n}"},
	{"MCP404", Error, "a keyed struct lacks a key field",
		"Every variable in the path of the template needs a field that holds its value.",
		"//mcp:resource uri=crm:///{region}\ntype Account struct{ Region string }",
		"//mcp:resource uri=crm:///{region}\ntype Account struct {\n\tRegion string `mcp:\"key\"`\n}"},
	{"MCP405", Error, "keys or tags of a resource do not go together",
		"A struct with a literal URI is one value; with a template it is one value for each key, kept in a\n" +
			"store or got from a source. The tags of its fields say what clients see of a value.",
		"//mcp:resource uri=config:///settings\ntype Settings struct {\n\tBody int `mcp:\"text\"`\n}",
		"//mcp:resource uri=config:///settings\ntype Settings struct {\n\tBody string `mcp:\"text\"`\n}"},
	{"MCP406", Error, "a keyword of a jsonschema tag does not fit the field",
		"Keywords limit what clients may send. One that is for another type, that contradicts another\n" +
			"one, or a default that would be refused would make the schema promise what cannot be kept.",
		"Limit int `json:\"limit,omitempty\" jsonschema:\"minLength=1\"`",
		"Limit int `json:\"limit,omitempty\" jsonschema:\"minimum=1\"`"},
	{"MCP407", Error, "a form cannot have such a field",
		"Clients draw forms from flat schemas: texts, numbers, booleans, and choices among texts. Formats are email,\n" +
			"uri, date and date-time. What a person cannot fill in belongs into the program.",
		"//mcp:form\ntype Contact struct {\n\tHome Address\n}",
		"//mcp:form\ntype Contact struct {\n\tStreet, City string\n}"},
	{"MCP408", Note, "the constants of a type do not limit it",
		"A named type takes every value of its kind. What clients may send, and what they are told, is limited to the\n" +
			"constants by //mcp:enum on the type, or by jsonschema:\"enum=…\" on one field. If other values are meant to be\n" +
			"allowed, write //mcp:allow MCP408 with the reason above the type.",
		"type Level string\n\nconst (\n\tLow  Level = \"low\"\n\tHigh Level = \"high\"\n)", "//mcp:enum\ntype Level string"},
	{"MCP409", Error, "no caller can give the server a value of the receiver type",
		"The constructor takes the receivers in the fields of its Impl struct. A type with an unexported name that no\n" +
			"exported function, method, variable or field yields cannot be made by other packages. Package main is free\n" +
			"to use such types, and so are a package that calls the constructor itself, and one with an exported type that\n" +
			"embeds the receiver.",
		"package notes\n\ntype store struct{}\n\n//mcp:tool\nfunc (s *store) Add(ctx context.Context, in AddIn) error",
		"package notes\n\ntype Store struct{}\n\n//mcp:tool\nfunc (s *Store) Add(ctx context.Context, in AddIn) error"},
	{"MCP410", Error, "the mapping of a type to JSON is not complete, or contradicts another",
		"One function reads the values of a type and one writes them. A type that arguments hold needs the first, one\n" +
			"that results hold the second. Both have the same JSON type, and the same format and description if both say one.",
		"//mcp:type format=uri\nfunc parseURL(s string) (url.URL, error)\n\n//mcp:tool\nfunc Home(ctx context.Context) (url.URL, error)",
		"//mcp:type format=uri\nfunc parseURL(s string) (url.URL, error)\n\n//mcp:type\nfunc formatURL(u url.URL) string"},
	{"MCP411", Warning, "the mapping of a type is not used",
		"No argument of a tool, no form and no result that is JSON has the type. Keys of maps, variables of templates and\n" +
			"arguments of prompts are not mapped.",
		"//mcp:type\nfunc parseURL(s string) (url.URL, error)",
		"//mcp:tool\nfunc Open(ctx context.Context, u url.URL) error"},
}

// referenceCodes is the family 5xx: one declaration naming another.
var referenceCodes = []Code{
	{"MCP501", Error, "of=, updates=, policy= or server= names nothing in this package",
		"The value of of= is the Go name or the MCP name of an annotated resource, that of updates= its URI,\n" +
			"that of server= the name in a server directive, that of policy= a method of the receiver or a function; all of\n" +
			"them in the same package, and of the same server.",
		"//mcp:list of=Tickte", "//mcp:list of=Ticket"},
	{"MCP502", Error, "var= names no variable of the template",
		"A completion belongs to one variable of the resource that it names.",
		"//mcp:complete of=Ticket var=nr", "//mcp:complete of=Ticket var=number"},
	{"MCP503", Warning, "subscribe is promised but nothing reports changes",
		"Clients would wait for updates that never come. Give the resource a watcher, a store, polling,\n" +
			"or a tool that updates it; a call of its generated Updated method counts as well.",
		"//mcp:resource uri=t:///{id} subscribe", "//mcp:resource uri=t:///{id} subscribe\n\n//mcp:watch of=Get"},
	{"MCP504", Warning, "the items of a template are not listed",
		"Clients find resources through the list. Provide one, or say that it is left out on purpose.",
		"//mcp:resource uri=t:///{id}", "//mcp:resource uri=t:///{id} list=none"},
	{"MCP505", Error, "a lister takes a session",
		"A list must be the same on every connection of a caller, because clients and proxies cache it.",
		"//mcp:list of=Get\nfunc (s *S) List(ctx context.Context, sess *mcp.Session) iter.Seq2[GetRef, error]",
		"//mcp:list of=Get\nfunc (s *S) List(ctx context.Context, who mcp.Caller) iter.Seq2[GetRef, error]"},
}
