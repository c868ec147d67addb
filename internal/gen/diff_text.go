package gen

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/build"
)

// diffHeadings are the kinds of changes in the order of the report.
var diffHeadings = []struct{ kind, title, one, many string }{
	{"type", "Types", "type", "types"},
	{"field", "Fields", "field", "fields"},
	{"member", "Members of unions", "union member", "union members"},
	{"value", "Enumeration values", "enumeration value", "enumeration values"},
	{"method", "Methods", "method", "methods"},
	{"code", "Error codes", "error code", "error codes"},
	{"rule", "Rules for values", "rule", "rules"},
}

// DiffFormats are the forms that [SchemaDiff.Format] can print.
var DiffFormats = []string{"text", "markdown", "json"}

// Format prints the report in one of [DiffFormats].
func (d *SchemaDiff) Format(format string) ([]byte, error) {
	switch format {
	case "text":
		return d.print("%s to %s: %s\n", "\n%s\n", "  %-7s  %s\n", func(s string) string { return s }), nil
	case "markdown":
		return d.print("# %s to %s\n\n%s.\n", "\n## %s\n\n", "- %s: %s\n", codeSpan), nil
	case "json":
		if d.Changes == nil {
			d.Changes = []build.Change{}
		}
		data, err := json.MarshalIndent(d, "", "\t")
		return append(data, '\n'), err
	default:
		return nil, fmt.Errorf("-format %q is not one of %s", format, strings.Join(DiffFormats, ", "))
	}
}

// codeSpan marks text as code. Names of schemas may hold anything, so its fence is longer than any in it.
func codeSpan(s string) string {
	fence := "`"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	if len(fence) > 1 {
		return fence + " " + s + " " + fence
	}
	return fence + s + fence
}

func (d *SchemaDiff) print(title, heading, line string, code func(string) string) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, title, d.Old, d.New, d.summary())
	for _, h := range diffHeadings {
		first := true
		for _, c := range d.Changes {
			if c.Kind != h.kind {
				continue
			}
			if first {
				fmt.Fprintf(&b, heading, h.title)
				first = false
			}
			fmt.Fprintf(&b, line, c.What, sentence(c, code))
		}
	}
	d.meanings(&b, heading)
	return []byte(b.String())
}

// sentence tells one change: Tool.Title string, optional.
func sentence(c build.Change, code func(string) string) string {
	form := c.Old + c.New
	switch {
	case c.Kind == "rule":
		return ruleSentence(c, code)
	case c.What == "renamed":
		return code(c.Go) + ": the schema names it " + code(c.New) + ", was " + code(c.Old)
	case c.Kind == "field" && c.What == "changed":
		return code(c.Go) + " is " + change(c, code)
	case c.What == "changed":
		return code(c.Go) + " was a " + c.Old + ", is a " + c.New
	case c.Kind == "field":
		typ, need := splitForm(form)
		return code(c.Go+" "+typ) + ", " + need
	case c.Kind == "type":
		return code(c.Go) + " (" + form + ")"
	case c.Kind == "member":
		return code(form) + " of " + code(c.Go)
	case c.Kind == "value":
		return code(c.Go) + " = " + code(`"`+c.Wire+`"`)
	case c.Kind == "method":
		return code(c.Go) + " (" + code(c.Wire) + ", " + form + ")"
	default:
		return code(c.Go) + " = " + code(c.Wire)
	}
}

// ruleSentence tells the change of a keyword: CompleteResult.completion.values maxItems 100.
func ruleSentence(c build.Change, code func(string) string) string {
	switch c.What {
	case "changed":
		return code(c.Wire+" "+c.New) + ", was " + code(c.Old)
	default:
		return code(c.Wire + " " + c.Old + c.New)
	}
}

// meanings prints each sentence once, with what it is about.
func (d *SchemaDiff) meanings(b *strings.Builder, heading string) {
	first := true
	for _, h := range diffHeadings {
		var said []string
		for _, c := range d.Changes {
			if c.Kind != h.kind || slices.Contains(said, c.What+c.Means) {
				continue
			}
			if first {
				fmt.Fprintf(b, heading, "What it means for a server")
				first = false
			}
			said = append(said, c.What+c.Means)
			fmt.Fprintf(b, "- %s, %s: %s.\n", h.title, c.What, c.Means)
		}
	}
}

// change says which of type and need differs, or both.
func change(c build.Change, code func(string) string) string {
	oldType, oldNeed := splitForm(c.Old)
	newType, newNeed := splitForm(c.New)
	var parts []string
	if oldType != newType {
		parts = append(parts, code(newType)+", was "+code(oldType))
	}
	if oldNeed != newNeed {
		parts = append(parts, newNeed+", was "+oldNeed)
	}
	return strings.Join(parts, "; ")
}

func splitForm(form string) (typ, need string) {
	i := strings.LastIndex(form, ", ")
	return form[:i], form[i+2:]
}

// summary counts the changes of each kind.
func (d *SchemaDiff) summary() string {
	var parts []string
	for _, h := range diffHeadings {
		counts := map[string]int{}
		for _, c := range d.Changes {
			if c.Kind == h.kind {
				counts[c.What]++
			}
		}
		for _, what := range []string{"added", "removed", "changed", "renamed"} {
			switch n := counts[what]; n {
			case 0:
			case 1:
				parts = append(parts, fmt.Sprintf("1 %s %s", h.one, what))
			default:
				parts = append(parts, fmt.Sprintf("%d %s %s", n, h.many, what))
			}
		}
	}
	if parts == nil {
		return "no change that generated code can see"
	}
	return strings.Join(parts, ", ")
}
