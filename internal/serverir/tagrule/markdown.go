package tagrule

import (
	"cmp"
	"fmt"
	"strings"
)

// meanings say what the keywords of the jsonschema tag do, for docs/tags.md.
var meanings = map[string]string{
	"required":         "the member must be there, also with `omitempty` or as a pointer",
	"nullable":         "null is a value too, for pointers, lists and maps",
	"title":            "the name that people see",
	"description":      "the description, in place of the doc comment of the field",
	"readOnly":         "says in the schema that the value is for reading; nothing is checked",
	"writeOnly":        "says in the schema that the value is for writing; nothing is checked",
	"default":          "the value of a member that is left out; for a list, once for each element",
	"example":          "a value that shows what is meant; may be repeated",
	"enum":             "one of the valid values; may be repeated",
	"minimum":          "the smallest valid number",
	"maximum":          "the largest valid number",
	"exclusiveMinimum": "valid numbers are larger",
	"exclusiveMaximum": "valid numbers are smaller",
	"multipleOf":       "valid numbers are multiples of this one",
	"minLength":        "the smallest valid length in characters",
	"maxLength":        "the largest valid length in characters",
	"pattern":          "a regular expression (RE2) that must match somewhere; `^` and `$` make it the whole value",
	"format": "the form of the text. Checked are " + strings.Join(checkedFormats, ", ") +
		"; others are only in the schema",
	"minItems":    "the smallest valid number of elements",
	"maxItems":    "the largest valid number of elements",
	"uniqueItems": "no two elements are equal",
}

// Markdown is the table of the keywords of the jsonschema tag, for docs/tags.md.
func Markdown() string {
	var b strings.Builder
	b.WriteString("| keyword | for | meaning |\n|---|---|---|\n")
	for _, k := range keywordRules {
		word := k.name
		if !k.flag {
			word += "=" + sampleOf[k.name]
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", word, cmp.Or(k.on.String(), "all"), meanings[k.name])
	}
	return b.String()
}
