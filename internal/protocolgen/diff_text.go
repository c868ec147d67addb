package protocolgen

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/schemadiff"
)

// diffHeadings name the kinds of changes in the report.
var diffHeadings = map[string]struct{ title, one, many string }{
	schemadiff.KindDefinition:    {"Definitions", "definition", "definitions"},
	schemadiff.KindMember:        {"Members", "member", "members"},
	schemadiff.KindRequired:      {"Required members", "required member", "required members"},
	schemadiff.KindType:          {"Types", "type", "types"},
	schemadiff.KindValue:         {"Enumeration values", "enumeration value", "enumeration values"},
	schemadiff.KindUnion:         {"Union members", "union member", "union members"},
	schemadiff.KindDiscriminator: {"Discriminators", "discriminator", "discriminators"},
	schemadiff.KindMethod:        {"Methods", "method", "methods"},
	schemadiff.KindCode:          {"Error codes", "error code", "error codes"},
	schemadiff.KindBound:         {"Bounds", "bound", "bounds"},
	schemadiff.KindFormat:        {"Formats", "format", "formats"},
	schemadiff.KindPattern:       {"Patterns", "pattern", "patterns"},
	schemadiff.KindDefault:       {"Defaults", "default", "defaults"},
	schemadiff.KindAdditional:    {"Members that are not declared", "additionalProperties", "additionalProperties"},
	schemadiff.KindHint:          {"Hints", "hint", "hints"},
}

// diffWords are what may have happened, in the order of the summary.
var diffWords = []string{"added", "removed", "changed", "narrowed", "widened", "moved", "renamed"}

// Formats are the forms that [SchemaDiff.Format] can print.
var Formats = []string{"text", "markdown", "json"}

// Format prints the report in one of [Formats].
func (d *SchemaDiff) Format(format string) ([]byte, error) {
	switch format {
	case "text":
		return d.print("%s to %s: %s\n", "\n%s\n", "  %-8s  %s\n", func(s string) string { return s }), nil
	case "markdown":
		return d.print("# %s to %s\n\n%s.\n", "\n## %s\n\n", "- %s: %s\n", codeSpan), nil
	case "json":
		out := *d
		if out.Changes == nil {
			out.Changes = []schemadiff.Change{}
		}
		if out.Decisions == nil {
			out.Decisions = []string{}
		}
		data, err := json.MarshalIndent(out, "", "\t")
		return append(data, '\n'), err
	default:
		return nil, fmt.Errorf("-format %q is not one of %s", format, strings.Join(Formats, ", "))
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
	for _, kind := range schemadiff.Kinds {
		list := d.of(kind)
		if len(list) > 0 {
			fmt.Fprintf(&b, heading, diffHeadings[kind].title)
		}
		for _, c := range list {
			fmt.Fprintf(&b, line, c.What, sentence(c, code))
		}
	}
	d.meanings(&b, heading)
	if len(d.Decisions) > 0 {
		fmt.Fprintf(&b, heading, "What the rule for later revisions decides")
		for _, text := range d.Decisions {
			fmt.Fprintf(&b, "- %s\n", text)
		}
	}
	return []byte(b.String())
}

// of returns the changes of a kind.
func (d *SchemaDiff) of(kind string) []schemadiff.Change {
	var out []schemadiff.Change
	for _, c := range d.Changes {
		if c.Kind == kind {
			out = append(out, c)
		}
	}
	return out
}

// sentence tells one change: Tool.title string, optional (Go Tool.Title).
func sentence(c schemadiff.Change, code func(string) string) string {
	text := code(c.Place)
	if c.Item != "" {
		text += " " + code(c.Item)
	}
	switch {
	case c.What == "renamed":
		text += ", was " + code(c.Old)
	case c.Old != "" && c.New != "":
		text += ": " + code(c.New) + ", was " + code(c.Old)
	case c.Old+c.New != "":
		text += ": " + formText(c, code)
	}
	if c.Go != "" && c.Go != c.Place {
		text += " (Go " + code(c.Go) + ")"
	}
	return text
}

// formText is the form of what only one revision has.
func formText(c schemadiff.Change, code func(string) string) string {
	form := c.Old + c.New
	if c.Kind != schemadiff.KindMember {
		return code(form)
	}
	i := strings.LastIndex(form, ", ")
	return code(form[:i]) + form[i:]
}

// meanings prints each sentence once, with what it is about.
func (d *SchemaDiff) meanings(b *strings.Builder, heading string) {
	first := true
	for _, kind := range schemadiff.Kinds {
		var said []string
		for _, c := range d.of(kind) {
			if slices.Contains(said, c.What+c.Means) {
				continue
			}
			if first {
				fmt.Fprintf(b, heading, "What it means for a server")
				first = false
			}
			said = append(said, c.What+c.Means)
			fmt.Fprintf(b, "- %s, %s: %s.\n", diffHeadings[kind].title, c.What, c.Means)
		}
	}
}

// summary counts the changes of each kind.
func (d *SchemaDiff) summary() string {
	var parts []string
	for _, kind := range schemadiff.Kinds {
		counts := map[string]int{}
		for _, c := range d.of(kind) {
			counts[c.What]++
		}
		for _, what := range diffWords {
			switch n := counts[what]; n {
			case 0:
			case 1:
				parts = append(parts, fmt.Sprintf("1 %s %s", diffHeadings[kind].one, what))
			default:
				parts = append(parts, fmt.Sprintf("%d %s %s", n, diffHeadings[kind].many, what))
			}
		}
	}
	if parts == nil {
		return "no change"
	}
	return strings.Join(parts, ", ")
}
