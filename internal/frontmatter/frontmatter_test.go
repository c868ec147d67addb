package frontmatter

import (
	"encoding/json"
	"testing"
)

func TestRead(t *testing.T) {
	for text, want := range map[string]string{
		"name: git-workflow\ndescription: Follow the team's rules # a comment\n":                                             `{"name":"git-workflow","description":"Follow the team's rules"}`,
		"a: \"x: \\\"y\\\" \\u00e9\"\nb: 'it''s'\nc: 1\nd: 1.50\ne: true\nf: ~\ng:\nh: 0x1F\ni: 007\nj: v1.0\nk: 2026-01-02": `{"a":"x: \"y\" é","b":"it's","c":1,"d":1.5,"e":true,"f":null,"g":null,"h":31,"i":7,"j":"v1.0","k":"2026-01-02"}`,

		"description: one\n  two\n\n  three\nname: x": `{"description":"one two\nthree","name":"x"}`,

		"d: >-\n  one\n  two\n\n  three\nl: |\n  a\n   b\nk: |+\n  z\n\n":                                      `{"d":"one two\nthree","l":"a\n b\n","k":"z\n\n\n"}`,
		"metadata:\n  version: \"2.1\"\n  deep:\n    x: 1\n\n# comment\ntools:\n- a\n- b: 1\n  c: 2\n-\n  - d": `{"metadata":{"version":"2.1","deep":{"x":1}},"tools":["a",{"b":1,"c":2},["d"]]}`,
		"tools: [Read, \"B, c\", [1, 2], {x: y, 'z': null}]\nempty: {}\nurl: https://example.com/a":            `{"tools":["Read","B, c",[1,2],{"x":"y","z":null}],"empty":{},"url":"https://example.com/a"}`,
		"": `null`,

		// texts in quotes and values in brackets over several lines
		"d: \"one\n  two  \n\n  three \\\n  four\\n\"\ne: 'it''s\n  so'\nname: x":       `{"d":"one two\nthree four\n","e":"it's so","name":"x"}`,
		"m: {\n  \"a\": {\"b\":[1,\n  2,]},#\n c\n}":                                    `{"m":{"a":{"b":[1,2]},"c":null}}`,
		"m:\n  {\n    \"a\":\n      [\n        'b',\n        two\n words,\n  ] }\nx: 1": `{"m":{"a":["b","two words"]},"x":1}`,
		"hint: [optional: date, {x}, 1: 2]\nd:\n  \"next line\"":                        `{"hint":[{"optional":"date"},{"x":null},{"1":2}],"d":"next line"}`,
		"l:\n- - a\n  - b\n- \"q\": 1\n  r: 2":                                          `{"l":[["a","b"],{"q":1,"r":2}]}`,

		"e: \"\\u00e9 \\U0001F43E\"\nn: 1234567890123456789\nm: 123456789012345678": `{"e":"é 🐾","n":1234567890123456800,"m":123456789012345678}`,
		// what YAML 1.1, or JSON, has another word for
		"a: [.inf, .nan, 1e999, 1_000, 010, 0b11, yes, 2026-01-02T03:04:05Z, 0x1FFFFFFFFFFFFFFF, -0, +1, 1., .5e1]": `{"a":[".inf",".nan","1e999","1_000",10,"0b11","yes","2026-01-02T03:04:05Z","0x1FFFFFFFFFFFFFFF",0,1,1,5]}`,
		"a:\n  |\n  b\nc: [\"1\", 'true', ~]\n# end":                                                                `{"a":"b\n","c":["1","true",null]}`,

		"  name: x\n  b: 1":         `{"name":"x","b":1}`,
		"{\"name\": \"x\",\n b: 1}": `{"name":"x","b":1}`,
	} {
		m, err := Read("---\n" + text + "\n---\nBody\n")
		got, _ := json.Marshal(m)
		if m == nil {
			got = []byte("null")
		}
		if err != nil || string(got) != want {
			t.Errorf("%s\n%s, %v\n%s", text, got, err, want)
		}
	}
	if m, err := Read("--- \nname: x\n---"); err != nil || m.Get("name") != "x" {
		t.Error(m, err)
	}
	if m, err := Read("---\r\nname: x\r\n---\r\n"); err != nil || m.Get("name") != "x" {
		t.Error(m, err)
	}
}

// noMember is the message for lines that are indented wrongly, or have more than a member.
const noMember = "here or below a line is no name, colon and value, or is indented less or more than those before it"

func TestMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"# Title":                    "line 1: the file does not begin with ---, the first line of its frontmatter",
		"---\nname: x":               "line 1: the frontmatter has no last line ---",
		"---\nname: a: b\n---":       "line 2: a text without quotes has a colon: quote it",
		"---\nname: x\nname: y\n---": "line 3: `name` is given twice",
		"---\nname: &a x\n---":       "line 2: `&a` cannot be read: quote the text",
		"---\na: 1\nname: *a\n---":   "line 3: `*a` cannot be read: quote the text",
		"---\na: &a 1\nb: *a\n---":   "line 2: `&a` cannot be read: quote the text",
		"---\nname: !t x\n---":       "line 2: `!t` cannot be read: quote the text",
		"---\na: 1\nb: !!int 2\n---": "line 3: `!!int` cannot be read: quote the text",
		"---\na: 1\nname: @x\n---":   "line 3: a text begins with a tab or one of @`%: quote it",
		"---\na: 1\n<<: {b: 2}\n---": "line 3: `<<` cannot be read as the name of a member",
		"---\n[a]: 1\n---":           "line 2: the name of a member is no text",
		"---\n? \n: 1\n---":          "line 2: `` cannot be read as the name of a member",
		"---\na: 1\nname: \"x\n---":  "line 3: a quote is not closed",
		"---\nb: 1\nname: [x\n---":   "line 3: a bracket is not closed, or a comma is missing",
		"---\nb: 1\na: {\n  b\n---":  "line 3: a bracket is not closed, or a comma is missing",
		"---\na: {b: 1, b: 2}\n---":  "line 2: `b` is given twice",
		"---\na: [,]\n---":           "line 2: a value is missing",
		"---\na: \"\\ud83d\"\n---":   "line 2: \\u or \\U stands before no character: write the character itself",
		"---\na: \"x\n  y\" z\n---":  "line 3: " + noMember,
		"---\nname: x\n  y: z\n---":  "line 3: a text without quotes has a colon: quote it",
		"---\n\tname: x\n---":        "line 2: a text begins with a tab or one of @`%: quote it",
		"---\njust text\n---":        "line 2: the frontmatter is no mapping: lines of a name, a colon and a value",
		"---\nname: \"x\" y\n---":    "line 2: " + noMember,
		"---\na: 1\n- b\n---":        "line 3: " + noMember,
		"---\n- a\n---":              "line 2: the frontmatter is no mapping: lines of a name, a colon and a value",
		"---\na: 1\n--- b\n---":      "line 3: a second document begins",
		"---\na: 1\n...\nb: 1\n---":  "line 4: the line is indented less than those before it, or a second document begins",
		"---\na: 1\nb: \x01\n---":    "line 3: there is a control character: remove it",
	} {
		if _, err := Read(text); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add("---\na: [b, {c: d}]\n---")
	f.Add("---\na: {\n  'b\n\n c': [d, e: \"\\ud83d\\udc3e\"]\n}\n---")
	f.Add("---\na:\n- b: |\n   c\n---")
	f.Fuzz(func(t *testing.T, text string) {
		m, err := Read(text)
		if err != nil {
			return
		}
		if b, err := json.Marshal(m); err != nil || !json.Valid(b) {
			t.Errorf("%q: %s, %v", text, b, err)
		}
	})
}
