package diag

// uriCodes is the family 2xx: addresses and templates.
var uriCodes = []Code{
	{"MCP201", Error, "the URI has no scheme",
		"A resource is addressed by an absolute URI. Pick a scheme of your own, such as the name of\n" +
			"your application.",
		"//mcp:resource uri=/search/{q}", "//mcp:resource uri=wiki:///search/{q}"},
	{"MCP202", Error, "a template expression is not closed",
		"Braces enclose variables. A brace that is meant literally is written percent-encoded.",
		"//mcp:resource uri=notes:///{name", "//mcp:resource uri=notes:///{name}"},
	{"MCP203", Error, "two variables touch each other",
		"Without a literal between them nobody can tell where the first value ends.",
		"//mcp:resource uri=notes:///{a}{b}", "//mcp:resource uri=notes:///{a}/{b}"},
	{"MCP204", Error, "two variables span several segments",
		"A variable that may contain slashes takes as much as it can get. With two of them a URI could\n" +
			"be split in more than one way.",
		"//mcp:resource uri=docs:///{+dir}{/rest*}", "//mcp:resource uri=docs:///{dir}{/rest*}"},
	{"MCP205", Error, "the expression cannot be used in a resource template",
		"Hyphens are not allowed in variable names, and some operators (prefix lengths, fragments)\n" +
			"cannot be matched backwards.",
		"//mcp:resource uri=notes:///{note-id}", "//mcp:resource uri=notes:///{note_id}"},
	{"MCP206", Error, "two templates match the same URI",
		"The router prefers literals, then templates with more literal text, then single segments. When\n" +
			"that does not decide, the same address would have two owners. The message names one such URI.",
		"//mcp:resource uri=notes:///{id}\n//mcp:resource uri=notes:///{slug}",
		"//mcp:resource uri=notes:///{id}\n//mcp:resource uri=notes:///by-slug/{slug}"},
	{"MCP207", Error, "the URI is declared twice",
		"Each address belongs to one declaration of a server.",
		"//mcp:resource uri=config:///settings\n//mcp:resource uri=config:///settings",
		"//mcp:resource uri=config:///settings\n//mcp:resource uri=config:///theme"},
	{"MCP208", Warning, "a variable stands in the authority of the URI",
		"Between // and the next slash is a host name. URL parsers refuse slashes, spaces and colons\n" +
			"there, so clients could not address such items.",
		"//mcp:resource uri=notes://{name}", "//mcp:resource uri=notes:///{name}"},
	{"MCP210", Warning, "a URI has a variable in the manner of another system",
		"Templates are those of RFC 6570, with variables in braces. `:id`, `$id` and `*` are literal text in a URI, so\n" +
			"nothing but that text would be served. It is an error if the function has a parameter of that name.",
		"//mcp:resource uri=notes:///:id", "//mcp:resource uri=notes:///{id}"},
	{"MCP209", Note, "a literal URI hides one value of a template",
		"Literals win over templates. An item whose key equals the literal cannot be read.",
		"//mcp:resource uri=notes:///motd\n//mcp:resource uri=notes:///{id}",
		"//mcp:resource uri=notes:///special/motd\n//mcp:resource uri=notes:///{id}"},
}
