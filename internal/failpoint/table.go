package failpoint

// Bug is a bug that can be planted.
type Bug struct {
	// Name is what [On] is asked, and what MCPGEN_PLANTED names.
	Name string
	// Area is the part that it breaks: relay, sessions, hub, values, tasks or stores.
	Area string
	// Promise is what it breaks, as the documents say it, and Where names the document and its section.
	Promise, Where string
	// Test is a test of a package that fails with the bug, such as "mcp/mcphttp TestName"; "" if none does.
	Test string
}

// Table has all bugs that can be planted.
var Table = []Bug{
	{"session-level-lost", "sessions", "a replica that goes on with a session knows its log level",
		"deploy.md, Sessions and replicas", ""},
}
