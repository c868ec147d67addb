package golden

import (
	"strconv"
	"strings"
)

// slot is a place of a package where a text of the user can stand.
type slot struct {
	name string
	// verbatim says that the text, if it is accepted, is in the output as it is.
	verbatim bool
	// source is one file of a package. A § in it stands for the number of the text, so that many texts fit into one
	// package.
	source func(text string) string
}

// directive writes a key with a quoted value.
func directive(key, text string) string { return key + "=" + strconv.Quote(text) }

// comment writes a text as lines of a comment, in which no Go file may have the character NUL.
func comment(text string) string {
	return "// " + strings.NewReplacer("\r", "\n// ", "\n", "\n// ", "\x00", "").Replace(text)
}

// slots are all of them. Each file of a server slot brings a server of its own.
var slots = []slot{
	{"server name", false, func(s string) string { return withServer(directive("name", s), directive("server", s)) }},
	{"server version", true, func(s string) string { return withServer("name=m§ "+directive("version", s), "server=m§") }},
	{"server title", true, func(s string) string { return withServer("name=m§ "+directive("title", s), "server=m§") }},
	{"server desc", true, func(s string) string { return withServer("name=m§ "+directive("desc", s), "server=m§") }},
	{"server url", true, func(s string) string { return withServer("name=m§ "+directive("url", s), "server=m§") }},
	{"instructions", true, func(s string) string { return withServer("name=m§ "+directive("instructions", s), "server=m§") }},
	{"instructions file", false, func(string) string { return withServer("name=m§ instructions=@text§", "server=m§") }},
	{"resource name", true, func(s string) string { return withNote(directive("name", s)) }},
	{"resource title", true, func(s string) string { return withNote(directive("title", s)) }},
	{"resource desc", true, func(s string) string { return withNote(directive("desc", s)) }},
	{"resource desc file", false, func(string) string { return withNote("desc=@text§") }},
	{"resource mime", false, func(s string) string { return withNote(directive("mime", "text/"+s)) }},
	{"resource uri", false, func(s string) string { return plain("//mcp:resource " + directive("uri", "x§:///y"+s) + plainFunc) }},
	{"template variable", false, func(s string) string {
		return plain("//mcp:resource list=none " + directive("uri", "x§:///{"+s+"}") + wordFunc)
	}},
	{"alias", false, func(s string) string {
		return plain("//mcp:resource uri=x§:///y\n//mcp:alias " + directive("uri", "x§:///z"+s) + plainFunc)
	}},
	{"icon", true, func(s string) string { return withNote("\n//mcp:icon " + directive("src", "data:image/gif,"+s)) }},
	{"meta value", false, func(s string) string { return withNote("\n//mcp:meta " + directive("com.example/x", s)) }},
	{"meta key", false, func(s string) string { return withNote("\n//mcp:meta " + strconv.Quote("com.example/"+s+"=x")) }},
	{"var default", false, func(s string) string { return withNote("\n//mcp:var q " + directive("default", s)) }},
	{"var desc", false, func(s string) string { return withNote("\n//mcp:var name " + directive("desc", s)) }},
	{"var layout", false, func(s string) string { return withNote("\n//mcp:var at " + directive("layout", "2006"+s)) }},
	{"doc comment", false, func(s string) string {
		return plain(comment("F§ "+s) + "\n//\n//mcp:resource uri=x§:///y" + plainFunc)
	}},
	{"enum constant", false, func(s string) string {
		return withNote("") + "\n// One§ " + oneLine(s) + ".\nconst One§ Level§ = " + strconv.Quote(s) + "\n"
	}},
	{"tool title", true, func(s string) string { return withTool(directive("title", s), "x", "json", "y") }},
	{"tool name", false, func(s string) string { return withTool(directive("name", s), "x", "json", "y") }},
	{"tool desc", true, func(s string) string { return withTool(directive("desc", s), "x", "json", "y") }},
	{"tool schema", false, func(s string) string {
		return strings.Replace(plain("//mcp:tool "+directive("schema", `{"type":"object","x":`+strconv.Quote(s)+`}`)+
			"\nfunc Run§(ctx context.Context, in json.RawMessage) (string, error) { return \"\", nil }\n"), "import \"context\"", "import (\n\t\"context\"\n\t\"encoding/json\"\n)", 1)
	}},
	{"field comment", false, func(s string) string { return withTool("", s, "json", "y") }},
	{"field name", false, func(s string) string { return withTool("", "x", "json", s) }},
	{"field title", false, func(s string) string { return withTool("", "x", "jsonschema", "title="+s) }},
	{"field description", false, func(s string) string { return withTool("", "x", "jsonschema", "description="+s) }},
	{"field pattern", false, func(s string) string { return withTool("", "x", "jsonschema", "pattern=§"+s) }},
	{"field format", false, func(s string) string { return withTool("", "x", "jsonschema", "format=x"+s) }},
	{"field enum", false, func(s string) string { return withTool("", "x", "jsonschema", "enum=a,enum="+s) }},
	{"field default", false, func(s string) string { return withTool("", "x", "jsonschema", "default="+s) }},
	{"field example", false, func(s string) string { return withTool("", "x", "jsonschema", "example="+s) }},
	{"field header", false, func(s string) string { return withTool("", "x", "mcp", "header="+s) }},
	{"struct tag", false, func(s string) string {
		return withStruct("n§:///{id}", "", "ID string `mcp:\"key\"`\n\tX string "+strconv.Quote("x:"+strconv.Quote(s)+" mcp:\"title\""))
	}},
	{"struct key tag", false, func(s string) string {
		return withStruct("n§:///{word}", "", "ID string "+strconv.Quote("mcp:"+strconv.Quote("key,"+s)))
	}},
	{"struct member", false, func(s string) string {
		return withStruct("n§:///{id}", "", "ID string "+strconv.Quote("json:"+strconv.Quote(s)+" mcp:\"key\""))
	}},
	{"struct comment", false, func(s string) string {
		return withStruct("n§:///here", comment("Note§ "+s)+"\n//\n", "ID string")
	}},
	{"struct title", true, func(s string) string {
		return withStruct("n§:///{id} "+directive("title", s)+" source subscribe poll=5s", "", "ID string `mcp:\"key\"`")
	}},
	{"prompt name", true, func(s string) string { return withPrompt(directive("name", s), "") }},
	{"prompt title", true, func(s string) string { return withPrompt(directive("title", s), "") }},
	{"prompt desc", true, func(s string) string { return withPrompt(directive("desc", s), "") }},
	{"prompt comment", false, func(s string) string {
		return plain(comment("Ask§ "+s) + "\n//\n//mcp:prompt" + askFunc)
	}},
	{"argument name", false, func(s string) string { return withPrompt("", strconv.Quote(s)+" param=word") }},
	{"argument title", true, func(s string) string { return withPrompt("", "word "+directive("title", s)) }},
	{"argument desc", true, func(s string) string { return withPrompt("", "word "+directive("desc", s)) }},
	{"argument default", false, func(s string) string { return withPrompt("", "word "+directive("default", s)) }},
}

const (
	plainFunc = "\nfunc F§(ctx context.Context) (string, error) { return \"\", nil }\n"
	wordFunc  = "\nfunc F§(ctx context.Context, word string) (string, error) { return \"\", nil }\n"
	askFunc   = "\nfunc Ask§(ctx context.Context, word string) (string, error) { return \"\", nil }\n"
)

func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\r' {
			return ' '
		}
		return r
	}, s)
}

func withServer(server, of string) string {
	return "// Package m is a test.\n//\n//mcp:server " + server + "\npackage m\n\nimport \"context\"\n\n//mcp:resource uri=x§:///y " + of + plainFunc
}

func plain(code string) string { return "package m\n\nimport \"context\"\n\n" + code }

func withNote(more string) string {
	code := "//mcp:resource uri=n§:///{name}/{level}{?q,at} list=none " + more + "\n"
	if !strings.Contains(more, "mcp:var q") {
		code += "//mcp:var q default=z\n"
	}
	return strings.Replace(plain(code), "import \"context\"", "import (\n\t\"context\"\n\t\"time\"\n)", 1) +
		"func Note§(ctx context.Context, name string, level Level§, q string, at *time.Time) (string, error) { return \"\", nil }\n" +
		"\n// Level§ is an enum.\n//\n//mcp:enum\ntype Level§ string\n\n// Zero§ is a level.\nconst Zero§ Level§ = \"zero\"\n"
}

// withTool has a tool with a field that has a tag.
func withTool(more, doc, key, tag string) string {
	return plain("// In§ is the input.\ntype In§ struct {\n" + comment(doc) + "\n\tX string `json:\"x\"`\n\tY string " +
		strconv.Quote(key+":"+strconv.Quote(tag)) + "\n}\n\n//mcp:tool " + more + "\nfunc Run§(ctx context.Context, in In§) (string, error) { return \"\", nil }\n")
}

func withPrompt(more, arg string) string {
	if arg != "" {
		arg = "\n//mcp:arg " + arg
	}
	return plain("//mcp:prompt " + more + arg + askFunc)
}

func withStruct(uri, doc, fields string) string {
	return "package m\n\n" + doc + "//mcp:resource uri=" + uri + "\ntype Note§ struct {\n\t" + fields + "\n}\n"
}
