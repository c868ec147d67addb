package golden

import (
	"strconv"
	"strings"
)

// slots are all of them. Each file of a server slot brings a server of its own.
var slots = []slot{
	{"server name", formed, func(s string) string { return withServer(option("name", s), option("server", s)) }},
	{"server version", verbatim, func(s string) string {
		return withServer("name=m§ "+option("version", s),
			"server=m§")
	}},
	{"server title", verbatim, func(s string) string { return withServer("name=m§ "+option("title", s), "server=m§") }},
	{"server desc", verbatim, func(s string) string { return withServer("name=m§ "+option("desc", s), "server=m§") }},
	{"server url", verbatim, func(s string) string { return withServer("name=m§ "+option("url", s), "server=m§") }},
	{"instructions", verbatim, func(s string) string {
		return withServer("name=m§ "+option("instructions", s),
			"server=m§")
	}},
	{"instructions file", formed, func(string) string { return withServer("name=m§ instructions=@text§", "server=m§") }},
	{"resource name", verbatim, func(s string) string { return withNote(option("name", s)) }},
	{"resource title", verbatim, func(s string) string { return withNote(option("title", s)) }},
	{"resource desc", verbatim, func(s string) string { return withNote(option("desc", s)) }},
	{"resource desc file", formed, func(string) string { return withNote("desc=@text§") }},
	{"resource mime", formed, func(s string) string { return withNote(option("mime", "text/"+s)) }},
	{"resource uri", formed, func(s string) string {
		return plain("//mcp:resource " + option("uri", "x§:///y"+s) +
			plainFunc)
	}},
	{"template variable", formed, func(s string) string {
		return plain("//mcp:resource list=none " + option("uri", "x§:///{"+s+"}") + wordFunc)
	}},
	{"alias", formed, func(s string) string {
		return plain("//mcp:resource uri=x§:///y\n//mcp:alias " + option("uri", "x§:///z"+s) + plainFunc)
	}},
	{"icon", verbatim, func(s string) string { return withNote("\n//mcp:icon " + option("src", "data:image/gif,"+s)) }},
	{"meta value", formed, func(s string) string { return withNote("\n//mcp:meta " + option("com.example/x", s)) }},
	{"meta key", formed, func(s string) string {
		return withNote("\n//mcp:meta " +
			strconv.Quote("com.example/"+s+"=x"))
	}},
	{"var default", formed, func(s string) string { return withNote("\n//mcp:var q " + option("default", s)) }},
	{"var desc", formed, func(s string) string { return withNote("\n//mcp:var name " + option("desc", s)) }},
	{"var layout", formed, func(s string) string { return withNote("\n//mcp:var at " + option("layout", "2006"+s)) }},
	{"var pattern", formed, func(s string) string { return withNote("\n//mcp:var name " + option("pattern", "§"+s)) }},
	{"argument pattern", formed, func(s string) string { return withPrompt("", "word "+option("pattern", "§"+s)) }},
	{"resource tags", formed, func(s string) string { return withNote(option("tags", "a,"+item(s))) }},
	{"tool tags", formed, func(s string) string { return withTool(option("tags", item(s)), "x", "json", "y") }},
	{"prompt tags", formed, func(s string) string { return withPrompt(option("tags", item(s)), "") }},
	{"typed tool", formed, func(s string) string {
		source := withServer("name=m§ astools=typed", "list=none server=m§ "+option("name",
			s)+"\n//mcp:var word maxlen=2 "+option("desc", s))
		return strings.NewReplacer("x§:///y", "x§:///{word}", plainFunc, wordFunc).Replace(source)
	}},
	{"doc comment", formed, func(s string) string {
		return plain(comment("F§ "+s) + "\n//\n//mcp:resource uri=x§:///y" + plainFunc)
	}},
	{"enum constant", formed, func(s string) string {
		return withNote("") + "\n// One§ " + oneLine(s) + ".\nconst One§ Level§ = " + strconv.Quote(s) + "\n"
	}},
	{"tool title", verbatim, func(s string) string { return withTool(option("title", s), "x", "json", "y") }},
	{"tool name", formed, func(s string) string { return withTool(option("name", s), "x", "json", "y") }},
	{"tool desc", verbatim, func(s string) string { return withTool(option("desc", s), "x", "json", "y") }},
	{"tool schema", formed, func(s string) string {
		return strings.Replace(plain("//mcp:tool "+option("schema", `{"type":"object","x":`+strconv.Quote(s)+`}`)+
			"\nfunc Run§(ctx context.Context, in json.RawMessage) (string, error) { return \"\", nil }\n"), "import \"context\"", "import (\n\t\"context\"\n\t\"encoding/json\"\n)", 1)
	}},
	{"field comment", formed, func(s string) string { return withTool("", s, "json", "y") }},
	{"field name", formed, func(s string) string { return withTool("", "x", "json", s) }},
	{"field title", formed, func(s string) string { return withTool("", "x", "jsonschema", "title="+s) }},
	{"field description", formed, func(s string) string { return withTool("", "x", "jsonschema", "description="+s) }},
	{"field pattern", formed, func(s string) string { return withTool("", "x", "jsonschema", "pattern=§"+s) }},
	{"field format", formed, func(s string) string { return withTool("", "x", "jsonschema", "format=x"+s) }},
	{"field enum", formed, func(s string) string { return withTool("", "x", "jsonschema", "enum=a,enum="+s) }},
	{"field default", formed, func(s string) string { return withTool("", "x", "jsonschema", "default="+s) }},
	{"field example", formed, func(s string) string { return withTool("", "x", "jsonschema", "example="+s) }},
	{"field header", formed, func(s string) string { return withTool("", "x", "mcp", "header="+s) }},
	{"struct tag", formed, func(s string) string {
		return withStruct("n§:///{id}", "",
			"ID string `mcp:\"key\"`\n\tX string "+strconv.Quote("x:"+strconv.Quote(s)+" mcp:\"title\""))
	}},
	{"struct key tag", formed, func(s string) string {
		return withStruct("n§:///{word}", "", "ID string "+strconv.Quote("mcp:"+strconv.Quote("key,"+s)))
	}},
	{"struct member", formed, func(s string) string {
		return withStruct("n§:///{id}", "", "ID string "+strconv.Quote("json:"+strconv.Quote(s)+" mcp:\"key\""))
	}},
	{"struct comment", formed, func(s string) string {
		return withStruct("n§:///here", comment("Note§ "+s)+"\n//\n", "ID string")
	}},
	{"struct title", verbatim, func(s string) string {
		return withStruct("n§:///{id} "+option("title", s)+" source subscribe poll=5s", "", "ID string `mcp:\"key\"`")
	}},
	{"prompt name", verbatim, func(s string) string { return withPrompt(option("name", s), "") }},
	{"prompt title", verbatim, func(s string) string { return withPrompt(option("title", s), "") }},
	{"prompt desc", verbatim, func(s string) string { return withPrompt(option("desc", s), "") }},
	{"prompt comment", formed, func(s string) string {
		return plain(comment("Ask§ "+s) + "\n//\n//mcp:prompt" + askFunc)
	}},
	{"argument name", formed, func(s string) string { return withPrompt("", strconv.Quote(s)+" param=word") }},
	{"argument title", verbatim, func(s string) string { return withPrompt("", "word "+option("title", s)) }},
	{"argument desc", verbatim, func(s string) string { return withPrompt("", "word "+option("desc", s)) }},
	{"argument default", formed, func(s string) string { return withPrompt("", "word "+option("default", s)) }},
	{"argument limit", reference, func(s string) string { return withPrompt("", "word "+option("maxlen", s)) }},
	{"argument desc file", formed, func(string) string { return withPrompt("", "word desc=@text§") }},
	{"prompt desc file", formed, func(string) string { return withPrompt("desc=@text§", "") }},
	{"tool desc file", formed, func(string) string { return withTool("desc=@text§", "x", "json", "y") }},
	{"scopes", formed, func(s string) string { return withNote("\n//mcp:access " + option("scopes", item(s))) }},
	{"any scope", formed, func(s string) string {
		return withTool("\n//mcp:access "+option("anyscope", item(s)), "x", "json", "y")
	}},
	{"roles", formed, func(s string) string { return withPrompt("\n//mcp:access "+option("roles", item(s)), "") }},
	{"policy", reference, func(s string) string { return withNote("\n//mcp:access " + option("policy", s)) }},
	{"middleware name", reference, func(s string) string {
		return withNote("\n//mcp:use " + strconv.Quote("A"+item(s)))
	}},
	{"rate", reference, func(s string) string { return withNote("\n//mcp:limit " + option("rate", s)) }},
	{"rate by", reference, func(s string) string { return withNote("\n//mcp:limit rate=1/s " + option("by", s)) }},
	{"timeout", reference, func(s string) string { return withNote("\n//mcp:limit " + option("timeout", s)) }},
	{"deprecated", formed, func(s string) string {
		return withNote("\n//mcp:availability " +
			option("deprecated", "x "+s))
	}},
	{"deprecated file", formed, func(string) string { return withNote("\n//mcp:availability deprecated=@text§") }},
	{"since", reference, func(s string) string { return withNote("\n//mcp:availability " + option("since", s)) }},
	{"revisions", reference, func(s string) string { return withNote("\n//mcp:availability " + option("proto", s)) }},
	{"reason", formed, func(s string) string {
		return withNote("subscribe\n//mcp:allow MCP503 " +
			strconv.Quote("r "+s))
	}},
	{"icon mime", formed, func(s string) string {
		return withNote("\n//mcp:icon src=data:, " +
			option("mime", "image/"+s))
	}},
	{"icon sizes", reference, func(s string) string { return withNote("\n//mcp:icon src=data:, " + option("sizes", s)) }},
	{"audience", reference, func(s string) string { return withNote("\n//mcp:annotate " + option("audience", s)) }},
	{"root", reference, func(s string) string { return withNote(option("root", s)) }},
	{"list of", reference, func(s string) string {
		return withNote("") + "\n//mcp:complete var=name " + option("of", s) +
			"\nfunc C§(ctx context.Context, prefix string) ([]string, error) { return nil, nil }\n"
	}},
	{"mount", reference, func(s string) string { return withServer("name=m§ "+option("mount", s), "server=m§") }},
	{"mount name", reference, func(s string) string {
		return withServer("name=m§ "+option("mount", "./x#"+s),
			"server=m§")
	}},
	{"touches", formed, func(s string) string {
		uri := "n§:///a/z" + s
		return withTool(option("updates", uri), "x", "json", "y") + "\n//mcp:resource subscribe " + option("uri", uri) +
			plainFunc
	}},
	{"result name", formed, func(s string) string { return withResult("x", s, "y") }},
	{"result comment", formed, func(s string) string { return withResult(s, "y", "z") }},
	{"result title", formed, func(s string) string { return withResult("x", "y", "title="+s) }},
	{"extension id", formed, func(s string) string {
		return withExtension(option("id", "com.example/x§"+s), "", "", "x", "a")
	}},
	{"extension comment", formed, func(s string) string { return withExtension("", "", "", s, "a") }},
	{"extension member", formed, func(s string) string { return withExtension("", "", "", "x", s) }},
	{"method name", formed, func(s string) string {
		return withExtension("", option("name", "com.example/m§"+s), "", "x", "a")
	}},
	{"method extension", reference, func(s string) string {
		return withExtension("", option("extension", s), "", "x", "a")
	}},
	{"notification name", formed, func(s string) string {
		return withExtension("", "", option("name", "notifications/com.example/n§"+s), "x", "a")
	}},
	{"notification extension", reference, func(s string) string {
		return withExtension("", "", option("extension", s), "x", "a")
	}},
	{"experimental name", formed, func(s string) string { return withExperimental("x§" + s) }},
	{"app uri", formed, func(s string) string { return withApp("", s, "x") }},
	{"app comment", formed, func(s string) string { return withApp("", "", s) }},
	{"app name", verbatim, func(s string) string { return withApp(option("name", s), "", "x") }},
	{"app title", verbatim, func(s string) string { return withApp(option("title", s), "", "x") }},
	{"app desc", verbatim, func(s string) string { return withApp(option("desc", s), "", "x") }},
	{"app origins", formed, func(s string) string {
		return withApp(option("connect", "https://a§.example.com"+item(s)), "", "x")
	}},
	{"app domain", formed, func(s string) string { return withApp(option("domain", s), "", "x") }},
	{"app permissions", reference, func(s string) string { return withApp(option("permissions", s), "", "x") }},
	{"skill path", reference, func(s string) string {
		return strings.Replace(plain("//go:embed a.go\n//mcp:skill "+option("path", s)+"\nvar S§ embed.FS\n"+
			"\n//mcp:resource uri=x§:///y"+plainFunc), "import \"context\"", "import (\n\t\"context\"\n\t\"embed\"\n)", 1)
	}},
	{"tool task", reference, func(s string) string { return withTool(option("task", s), "x", "json", "y") }},
	{"tool ui", reference, func(s string) string { return withTool(option("ui", s), "x", "json", "y") }},
	{"form comment", formed, func(s string) string { return withForm(s, "y", "title=z", "first") }},
	{"form name", formed, func(s string) string { return withForm("x", s, "title=z", "first") }},
	{"form title", formed, func(s string) string { return withForm("x", "y", "title="+s, "first") }},
	{"form default", formed, func(s string) string { return withForm("x", "y", "default="+s, "first") }},
	{"form label", formed, func(s string) string { return withForm("x", "y", "title=z", s) }},
}
