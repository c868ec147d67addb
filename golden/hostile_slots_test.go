package golden

import (
	"strconv"
	"strings"
	"unicode"
)

// takes says what a slot accepts.
type takes int

const (
	verbatim  takes = iota // any text, which is in the output as it is
	formed                 // texts of some form, or parts of a text, or texts that the output shows in another way
	reference              // next to nothing: names of what is there, numbers, versions
)

// slot is a place of a package where a text of the user can stand.
type slot struct {
	name string
	takes
	// source is one file of a package. A § in it stands for the number of the text, so that many texts fit into one
	// package.
	source func(text string) string
}

// option writes an option with a quoted value.
func option(name, text string) string { return name + "=" + strconv.Quote(text) }

// item makes one item of a text where a list may stand, so that the twin has as many.
func item(text string) string {
	return strings.Map(func(r rune) rune {
		if r == ',' || unicode.IsSpace(r) {
			return ';'
		}
		return r
	}, text)
}

// comment writes a text as lines of a comment, in which no Go file may have the character NUL.
func comment(text string) string {
	return "// " + strings.NewReplacer("\r", "\n// ", "\n", "\n// ", "\x00", "").Replace(text)
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
	return "// Package m is a test.\n//\n//mcp:server " + server +
		"\npackage m\n\nimport \"context\"\n\n//mcp:resource uri=x§:///y " + of + plainFunc
}

// plain is a file with code.
func plain(code string) string {
	imports := "\"context\""
	if strings.Contains(code, "client mcp.Peer") {
		imports = "(\n\t\"context\"\n\n\t\"github.com/mcpgen/mcpgen/mcp\"\n)"
	}
	return "package m\n\nimport " + imports + "\n\n" + code
}

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
		strconv.Quote(key+":"+strconv.Quote(tag)) + "\n}\n\n//mcp:tool " + more +
		"\nfunc Run§(ctx context.Context, in In§) (string, error) { return \"\", nil }\n")
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

// withResult has a tool with a result that has a field with tags.
func withResult(doc, name, keywords string) string {
	return plain("// Out§ is the result.\ntype Out§ struct {\n\t" + oneLine(comment(doc)) + "\n\tX string " +
		strconv.Quote("json:"+strconv.Quote(name)+" jsonschema:"+strconv.Quote(keywords)) +
		"\n}\n\n//mcp:tool\nfunc Run§(ctx context.Context) (Out§, error) { return Out§{}, nil }\n")
}

// withExtension has a server with an extension, a method, and a notification either way. Empty texts are harmless ones.
func withExtension(extension, method, notification, doc, member string) string {
	if extension == "" {
		extension = "id=com.example/x§"
	}
	tag := strconv.Quote("json:" + strconv.Quote(member))
	return strings.Replace(withServer("name=m§", "server=m§"), "import \"context\"\n", "import \"context\"\n\n"+
		comment("X§ "+doc)+"\n//\n//mcp:extension server=m§ "+extension+
		"\nvar X§ S§\n\n// S§ are settings.\ntype S§ struct {\n\tA string "+tag+"\n}\n\n"+
		"// P§ "+oneLine(comment(doc))+"\n//\n//mcp:notification server=m§ "+notification+
		"\ntype P§ struct {\n\tB string "+tag+"\n}\n\n"+
		comment("Do§ "+doc)+"\n//\n//mcp:method server=m§ "+method+
		"\nfunc Do§(ctx context.Context, p P§) (P§, error) { return p, nil }\n\n"+
		"//mcp:method notification server=m§"+
		"\nfunc Note§(ctx context.Context, p P§) error { return nil }\n", 1)
}

// withExperimental has an experimental capability.
func withExperimental(name string) string {
	return plain("//mcp:experimental " + option("name", name) + "\nvar E§ struct{}\n\n" +
		"//mcp:resource uri=x§:///y" + plainFunc)
}

// withApp has an app, and a tool that shows it.
func withApp(more, uri, doc string) string {
	code := comment("Page§ "+doc) + "\n//\n//mcp:app " + option("uri", "ui://m§/x"+uri) + " " + more +
		"\n//go:embed page§.html\nvar Page§ string\n\n//mcp:tool " + option("ui", "ui://m§/x"+uri) +
		"\nfunc Show§(ctx context.Context) (string, error) { return \"\", nil }\n"
	return strings.Replace(plain(code), "import \"context\"", "import (\n\t\"context\"\n\t_ \"embed\"\n)", 1)
}

// withForm has a form, with an enum that has labels.
func withForm(doc, name, keywords, label string) string {
	return plain("// Form§ is a form.\n//\n//mcp:form\ntype Form§ struct {\n" + comment(doc) + "\n\tX string " +
		strconv.Quote("json:"+strconv.Quote(name)+" jsonschema:"+strconv.Quote(keywords)) +
		"\n\tE Class§ `json:\"e\"`\n}\n\n" +
		"// Class§ is an enum.\n//\n//mcp:enum\ntype Class§ string\n\n// The classes.\nconst (\n\tA§ Class§ = \"a\" " +
		oneLine(comment(label)) + "\n" +
		"\tB§ Class§ = \"b\" // Second\n)\n\n//mcp:tool\n" +
		"func Ask§(ctx context.Context, client mcp.Peer) error { _, err := mcp.AskForm[Form§](ctx, client, \"k\", \"?\"); return err }\n")
}
