package diag

// syntaxCodes is the family 1xx: how a directive is written and where it stands.
var syntaxCodes = []Code{
	{"MCP101", Error, "a space turns a directive into documentation",
		"Go treats a comment as a directive only if there is no space between the slashes, the tool and the\n" +
			"name. With a space the line is documentation, and the directive would be ignored without a message.",
		"// mcp:resource uri=notes:///motd", "//mcp:resource uri=notes:///motd"},
	{"MCP102", Error, "a directive has an upper-case letter",
		"The tool and the name of a Go directive are lower case. gofmt takes anything else for documentation,\n" +
			"and inserts a space when the file is next saved.",
		"//mcp:Resource uri=notes:///motd", "//mcp:resource uri=notes:///motd"},
	{"MCP103", Error, "unknown directive",
		"The word after the colon is the name of the directive. An unknown name is an error, so that a\n" +
			"spelling mistake cannot remove a feature.",
		"//mcp:resorce uri=notes:///motd", "//mcp:resource uri=notes:///motd"},
	{"MCP104", Error, "the directive has no such option",
		"Every directive has a fixed set of options, and so have the tags of fields. The message lists them\n" +
			"and proposes the nearest one.",
		"//mcp:resource uri=notes:///motd mimetype=text/plain", "//mcp:resource uri=notes:///motd mime=text/plain"},
	{"MCP105", Error, "an argument or its quotes are not well formed",
		"Arguments are option=value, or an option alone, separated by white space, without commas, colons,\n" +
			"dashes or brackets. A quote directly after the equals sign, or at the start of a word, begins a Go\n" +
			"string; quotes are \" and the backquote. The string ends on the same line, has only the escapes of\n" +
			"Go, and is followed by a space. Long texts belong in a file: desc=@file.",
		"//mcp:resource uri=notes:///motd title=\"Message of",
		"//mcp:resource uri=notes:///motd title=\"Message of the day\""},
	{"MCP106", Error, "an option is given twice",
		"Only options that hold a list may be repeated. For other options, one of the values would be\n" +
			"ignored. The alias directive declares a second URI for a function.",
		"//mcp:resource uri=notes:///a uri=notes:///b", "//mcp:resource uri=notes:///a\n//mcp:alias uri=notes:///b"},
	{"MCP107", Error, "a directive is not attached to a declaration",
		"A directive belongs to the declaration whose doc comment contains it. A blank line ends the doc\n" +
			"comment. Only the server directive, and refinements in the same comment, may stand alone.",
		"//mcp:resource uri=notes:///motd\n\nfunc (s *Server) Motd(ctx context.Context) (string, error)",
		"//mcp:resource uri=notes:///motd\nfunc (s *Server) Motd(ctx context.Context) (string, error)"},
	{"MCP108", Error, "the directive does not apply to this kind of declaration",
		"A directive applies to some kinds of declarations: a watch directive to a function, an enum\n" +
			"directive to a type.",
		"//mcp:watch of=Note\ntype Watcher struct{}",
		"//mcp:watch of=Note\nfunc (s *Server) WatchNote(ctx context.Context, name string) iter.Seq2[time.Time, error]"},
	{"MCP109", Error, "the value has the wrong form for its option",
		"Each option has one type, such as a number, a duration, a size in bytes, or one of a set of words.\n" +
			"The message names the type and gives an example.",
		"//mcp:cache ttl=30", "//mcp:cache ttl=30s"},
	{"MCP110", Error, "a required option or name is missing",
		"Some directives have no meaning without a certain option: a resource needs its URI, a completion the\n" +
			"variable that it completes.",
		"//mcp:complete of=Ticket", "//mcp:complete of=Ticket var=number"},
	{"MCP111", Error, "a declaration needs exactly one feature directive",
		"One declaration makes one feature. Directives such as cache or limit refine a feature. They have no\n" +
			"meaning alone, except on the receiver type of annotated methods and beside the server directive,\n" +
			"where they are defaults.",
		"//mcp:cache ttl=1h\nfunc (s *Server) Motd(ctx context.Context) (string, error)",
		"//mcp:resource uri=notes:///motd\n//mcp:cache ttl=1h\nfunc (s *Server) Motd(ctx context.Context) (string, error)"},
	{"MCP112", Error, "the file named after @ cannot be used",
		"A text written as @path is read when the code is generated. The path is relative to the package and\n" +
			"stays inside of it, and the file contains UTF-8 text.",
		"//mcp:server name=notes instructions=@../secret.md", "//mcp:server name=notes instructions=@INSTRUCTIONS.md"},
	{"MCP113", Error, "a comment is almost a directive",
		"A directive begins with //mcp: exactly: no space, no other sign, no other name. A line in the form\n" +
			"of another tool would be ignored without a message.",
		"//+mcp:tool\n//mcp.tool\n//mcpgen:tool", "//mcp:tool"},
	{"MCP114", Warning, "a directive of another tool has a name and options of mcpgen",
		"The name of the tool is one letter away from mcp, and the directive and its options are those of\n" +
			"mcpgen. If the directive belongs to another tool, suppress the warning.",
		"//mpc:tool name=search", "//mcp:tool name=search"},
}
