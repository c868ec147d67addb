package diag

// syntaxCodes is the family 1xx: how a directive is written and where it stands.
var syntaxCodes = []Code{
	{"MCP101", Error, "a directive has a space that turns it into documentation",
		"Go treats a comment as a directive only if nothing separates the slashes, the tool and the\n" +
			"name. With a space the line is prose, so it would be ignored without a word.",
		"// mcp:resource uri=notes:///motd", "//mcp:resource uri=notes:///motd"},
	{"MCP102", Error, "a directive is written with an upper-case letter",
		"The tool and the name of a Go directive are lower case. gofmt takes anything else for prose\n" +
			"and inserts a space the next time the file is saved.",
		"//mcp:Resource uri=notes:///motd", "//mcp:resource uri=notes:///motd"},
	{"MCP103", Error, "the directive does not exist",
		"The word after the colon selects what the line does. An unknown one is refused instead of\n" +
			"being skipped, so that a typing mistake cannot remove a feature.",
		"//mcp:resorce uri=notes:///motd", "//mcp:resource uri=notes:///motd"},
	{"MCP104", Error, "the directive has no such option",
		"Every directive has a fixed set of options, and so have the tags of fields. The message lists them; the\n" +
			"nearest one is offered.",
		"//mcp:resource uri=notes:///motd mimetype=text/plain", "//mcp:resource uri=notes:///motd mime=text/plain"},
	{"MCP105", Error, "an argument or its quotes are not well formed",
		"Arguments are option=value, or an option alone, with white space between them: no commas, colons, dashes or\n" +
			"brackets. A quote directly after the equals sign, or at the start of a word, begins a Go string; quotes\n" +
			"are \" and the backquote. It ends on the same line, holds only escapes that Go knows, and is followed by\n" +
			"a space. Put long text into a file and write desc=@file.",
		"//mcp:resource uri=notes:///motd title=\"Message of",
		"//mcp:resource uri=notes:///motd title=\"Message of the day\""},
	{"MCP106", Error, "an option is given twice",
		"Only options that hold a list may be repeated. For anything else the second value would silently\n" +
			"win or lose. A second address for one function is written with the alias directive.",
		"//mcp:resource uri=notes:///a uri=notes:///b", "//mcp:resource uri=notes:///a\n//mcp:alias uri=notes:///b"},
	{"MCP107", Error, "a directive is not attached to a declaration",
		"A directive belongs to the declaration whose doc comment holds it. A blank line in between\n" +
			"ends the doc comment. Only the server directive, and refining directives in the same comment as it,\n" +
			"may stand alone.",
		"//mcp:resource uri=notes:///motd\n\nfunc (s *Server) Motd(ctx context.Context) (string, error)",
		"//mcp:resource uri=notes:///motd\nfunc (s *Server) Motd(ctx context.Context) (string, error)"},
	{"MCP108", Error, "the directive cannot stand on this kind of declaration",
		"A directive makes sense only on some declarations: a watcher is a function, an enum is a type.",
		"//mcp:watch of=Note\ntype Watcher struct{}",
		"//mcp:watch of=Note\nfunc (s *Server) WatchNote(ctx context.Context, name string) iter.Seq2[time.Time, error]"},
	{"MCP109", Error, "a value has the wrong form for its option",
		"Each option has one type: a number, a duration, a size in bytes, one of a set of words and so on.\n" +
			"The message says which, with an example.",
		"//mcp:cache ttl=30", "//mcp:cache ttl=30s"},
	{"MCP110", Error, "a required option or name is missing",
		"Some directives say nothing without a certain option: a resource needs its address, a completion the\n" +
			"variable that it completes.",
		"//mcp:complete of=Ticket", "//mcp:complete of=Ticket var=number"},
	{"MCP111", Error, "a declaration needs exactly one feature directive",
		"One declaration makes one feature. Directives such as cache or icon refine it and have no\n" +
			"meaning alone, except on the receiver type of annotated methods and beside the server\n" +
			"directive, where they are defaults.",
		"//mcp:cache ttl=1h\nfunc (s *Server) Motd(ctx context.Context) (string, error)",
		"//mcp:resource uri=notes:///motd\n//mcp:cache ttl=1h\nfunc (s *Server) Motd(ctx context.Context) (string, error)"},
	{"MCP112", Error, "the file named after @ cannot be used",
		"A text written as @path is read when the code is generated. The path is relative to the\n" +
			"package, stays inside it, and the file holds UTF-8 text.",
		"//mcp:server name=notes instructions=@../secret.md", "//mcp:server name=notes instructions=@INSTRUCTIONS.md"},
	{"MCP113", Error, "a comment is written almost like a directive",
		"A directive begins with //mcp: and nothing else: no space, no other sign, no other name. What looks like\n" +
			"one in the manner of another tool would be ignored without a word.",
		"//+mcp:tool\n//mcp.tool\n//mcpgen:tool", "//mcp:tool"},
	{"MCP114", Warning, "a directive of another tool has a name and options of ours",
		"The tool is one letter away from mcp, the name is one of ours, and so are its options. If the directive\n" +
			"belongs to another tool, say so.",
		"//mpc:tool name=search", "//mcp:tool name=search"},
}
