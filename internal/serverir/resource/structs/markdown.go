package structs

import (
	"fmt"
	"strings"
)

// meanings say what the words of mcp tags do, for docs/tags.md.
var meanings = map[string]string{
	"key": "holds a variable of the URI template: the one with the name of the field or of its member in JSON, or " +
		"NAME in `mcp:\"key,NAME\"`",
	"text":     "is the content of the resource; without it the content is the whole struct as JSON",
	"blob":     "is the content of the resource, as bytes",
	"name":     "names the value in lists, for programs",
	"title":    "names the value in lists, for people",
	"desc":     "describes the value in lists",
	"mime":     "is the media type of the content, in place of `mime=`",
	"size":     "is the length of the content in bytes",
	"modified": "is the time of the last change",
	"priority": "is the importance, from 0 to 1",
	"audience": "is the intended audience: user, assistant or both",
}

// Markdown is the table of the words of mcp tags in structs that are resources, for docs/tags.md.
func Markdown() string {
	var b strings.Builder
	b.WriteString("| tag | the field is | and |\n|---|---|---|\n")
	for _, name := range roleNames {
		want := roles[name].want
		if name == "key" {
			want = "a value that a variable can be"
		}
		fmt.Fprintf(&b, "| `mcp:%q` | %s | %s |\n", name, want, meanings[name])
	}
	return b.String()
}
