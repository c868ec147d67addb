package cells

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// difference is one way in which schema, check and encoding/json do not say the same, listed for users in
// docs/values.md.
type difference struct{ name, what string }

// differences is the only table of them; an entry that does not occur is an error.
var differences = []difference{
	{"null", "encoding/json writes nil pointers, slices and maps as null. In input, schema and validator accept null only where a tag says `nullable`."},
	{"zero of an enum", "If the zero value of a type with `//mcp:enum` is none of its constants, the input schema refuses it and the output schema contains it."},
	{"nil lists and maps", "Output has `[]` and `{}` for nil slices and maps, and `\"\"` for nil bytes, where encoding/json writes null."},
	{"methods of pointers in maps", "Methods with pointer receivers are used for the values of maps too; encoding/json does not call them there."},
	{"defaults", "A member that is left out has its `default` when the tool is called."},
	{"range", "Integers and numbers that the Go type cannot hold are refused, also where the schema has no bound: 64-bit integers, numbers in strings, member names, and numbers beyond float32 or float64."},
	{"text methods", "The validator refuses what UnmarshalText or UnmarshalJSON of the type refuses; the schema cannot describe it. A member name that stands for the same key as another one is refused too."},
	{"enums with methods", "If UnmarshalText of an integer type with `//mcp:enum`, or UnmarshalJSON of any, makes a value that is none of its constants, the validator refuses it; the schema cannot show the constants. The same holds for lists of bytes, which are base64."},
	{"MarshalJSON alone", "A type with MarshalJSON and without UnmarshalJSON is written by the method, and read by its Go type: what it writes may be refused."},
	{"types with `//mcp:type`", "The validator refuses what the reading function refuses; the schema cannot describe it."},
	{"base64", "Bytes must be base64 in the standard alphabet with padding; in JSON Schema, `contentEncoding` alone refuses nothing."},
	{"equal after rounding", "`uniqueItems` compares values as Go holds them."},
}

// stricter reports whether the check may refuse what the schema takes.
func (c *cell) stricter(invalid error, wrong string) bool {
	for _, row := range []struct{ name, text string }{
		{"defaults", "A member that is left out has its `default` when the tool is called."},
		{"range", `is out of range`},
		{"text methods", `is not a valid value|same key|stands for`},
		{"enums with methods", `must be one of`},
		{"types with `//mcp:type`", `must be a valid code`},
		{"base64", `must be base64`},
		{"equal after rounding", `must not have two equal elements`},
	} {
		if invalid == nil && wrong != "" && regexp.MustCompile(row.text).MatchString(wrong) {
			return use(row.name)
		}
	}
	return false
}

// differs reports whether a value may be refused although encoding/json writes it.
func (c *cell) differs(text []byte, wrong string) bool {
	switch {
	case c.name == "Stamp" && wrong != "":
		return use("MarshalJSON alone")
	case c.name == "Far" && strings.Contains(string(text), "{}"):
		return use("methods of pointers in maps")
	case strings.Contains(string(text), "null"):
		return use("null")
	case strings.Contains(wrong, "must be one of"):
		return use("zero of an enum")
	}
	return c.empties
}

// The table stands in the documentation.
func TestDifferencesAreDocumented(t *testing.T) {
	page, err := os.ReadFile("../../../../../docs/values.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range differences {
		if row := "| " + d.name + " | " + d.what + " |\n"; !strings.Contains(string(page), row) {
			t.Errorf("docs/values.md lacks\n%s", row)
		}
	}
}
