package diag

// uriCodes is the family 2xx: addresses and templates.
var uriCodes = []Code{
	{"MCP201", Error, "the URI has no scheme",
		"A resource has an absolute URI. Choose a scheme of your own, such as the name of the application.",
		"//mcp:resource uri=/search/{q}", "//mcp:resource uri=wiki:///search/{q}"},
	{"MCP202", Error, "a template expression is not closed",
		"Braces enclose variables. A literal brace is percent-encoded.",
		"//mcp:resource uri=notes:///{name", "//mcp:resource uri=notes:///{name}"},
	{"MCP203", Error, "two variables are adjacent",
		"Without a literal between them, the end of the first value is ambiguous.",
		"//mcp:resource uri=notes:///{a}{b}", "//mcp:resource uri=notes:///{a}/{b}"},
	{"MCP204", Error, "two variables span several segments",
		"A variable that may contain slashes takes as much as possible. With two of them, a URI could be\n" +
			"split in more than one way.",
		"//mcp:resource uri=docs:///{+dir}{/rest*}", "//mcp:resource uri=docs:///{dir}{/rest*}"},
	{"MCP205", Error, "the expression cannot be used in a resource template",
		"Variable names have no hyphens, and some operators (prefix lengths, fragments) cannot be matched\n" +
			"against a URI.",
		"//mcp:resource uri=notes:///{note-id}", "//mcp:resource uri=notes:///{note_id}"},
	{"MCP206", Error, "two templates match the same URI",
		"The router prefers literals, then templates with more literal text, then single segments. If these\n" +
			"rules do not decide, one URI would belong to two resources. The message names such a URI.",
		"//mcp:resource uri=notes:///{id}\n//mcp:resource uri=notes:///{slug}",
		"//mcp:resource uri=notes:///{id}\n//mcp:resource uri=notes:///by-slug/{slug}"},
	{"MCP207", Error, "the URI is declared twice",
		"Each URI belongs to one declaration of a server.",
		"//mcp:resource uri=config:///settings\n//mcp:resource uri=config:///settings",
		"//mcp:resource uri=config:///settings\n//mcp:resource uri=config:///theme"},
	{"MCP208", Warning, "a variable stands in the authority of the URI",
		"The text between // and the next slash is a host name. URL parsers refuse slashes, spaces and colons\n" +
			"there, so clients could not read such resources.",
		"//mcp:resource uri=notes://{name}", "//mcp:resource uri=notes:///{name}"},
	{"MCP209", Note, "a literal URI hides one value of a template",
		"Literals win over templates. An instance of the template whose value equals the literal cannot be\n" +
			"read.",
		"//mcp:resource uri=notes:///motd\n//mcp:resource uri=notes:///{id}",
		"//mcp:resource uri=notes:///special/motd\n//mcp:resource uri=notes:///{id}"},
	{"MCP210", Warning, "a URI has a variable in the syntax of another system",
		"Templates are those of RFC 6570, with variables in braces. `:id`, `$id` and `*` are literal text in\n" +
			"a URI, so only that text would be served. This is an error if the function has a parameter of that\n" +
			"name.",
		"//mcp:resource uri=notes:///:id", "//mcp:resource uri=notes:///{id}"},
}
