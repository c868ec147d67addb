package build

import (
	"cmp"
	"maps"
	"slices"
	"strconv"

	"github.com/mcpgen/mcpgen/schema"
)

// rules compares what two revisions say of values beyond their types: bounds, formats, patterns, defaults, and whether
// an object may have other members. Definitions that both have are compared property by property.
func (d *differ) rules() {
	older := map[string]*schema.Def{}
	for _, def := range d.schemas[d.older].Defs {
		if !d.leavesOut(d.older, def) {
			older[d.defName(d.older, def.Name)] = def
		}
	}
	for _, def := range d.schemas[d.newer].Defs {
		name := d.defName(d.newer, def.Name)
		was := older[name]
		if was == nil || d.leavesOut(d.newer, def) {
			continue
		}
		title := cmp.Or(d.goNames[name], goName(name))
		if was.Name != def.Name {
			d.list = append(d.list, Change{Kind: "type", What: "renamed", Go: title, Wire: name, Old: was.Name, New: def.Name})
		}
		d.nodeRules(title, name, was.Node, def.Node, 0)
	}
}

// maxRules bounds how deep anonymous objects are compared.
const maxRules = 32

func (d *differ) nodeRules(goPath, path string, was, is *schema.Node, depth int) {
	if depth > maxRules {
		return
	}
	before, after := rulesOf(was), rulesOf(is)
	keywords := maps.Clone(before)
	maps.Copy(keywords, after)
	for _, k := range slices.Sorted(maps.Keys(keywords)) {
		if before[k] == after[k] {
			continue
		}
		c := Change{Kind: "rule", What: "changed", Go: goPath, Wire: path + " " + k, Old: before[k], New: after[k]}
		switch {
		case c.Old == "":
			c.What = "added"
		case c.New == "":
			c.What = "removed"
		}
		d.list = append(d.list, c)
	}
	for _, p := range is.Properties {
		if old := was.Property(p.Name); old != nil {
			d.nodeRules(goPath+"."+goName(p.Name), path+"."+p.Name, old.Node, p.Node, depth+1)
		}
	}
	if was.Items != nil && is.Items != nil {
		d.nodeRules(goPath, path+"[]", was.Items, is.Items, depth+1)
	}
	if was.Additional != nil && is.Additional != nil {
		d.nodeRules(goPath, path+"{}", was.Additional, is.Additional, depth+1)
	}
}

// rulesOf returns the keywords of a node that bound its values.
func rulesOf(n *schema.Node) map[string]string {
	out := map[string]string{}
	maps.Copy(out, n.Rules)
	if n.Format != "" {
		out["format"] = strconv.Quote(n.Format)
	}
	if n.Closed {
		out["additionalProperties"] = "false"
	}
	return out
}

// meaning says what a change asks of the author of a server. It is one sentence for all changes of its kind.
func (d *differ) meaning(c *Change) string {
	switch c.Kind + " " + c.What {
	case "type added", "value added", "member added":
		return "new: servers may use it; clients of older revisions do not get it"
	case "type removed", "value removed", "member removed":
		return "gone: clients of the new revision do not get it, others do; the Go name stays"
	case "type renamed":
		return "another name in the schema only: the Go name stays"
	case "field added":
		if _, need := splitNeed(c.New); need == "required" {
			return "new and required: it is written for clients of the new revision even if it is empty, so give it a value"
		}
		return "new and optional: nothing to do; clients of older revisions do not get it"
	case "field removed":
		return "gone: the encoder leaves it out for clients of the new revision, so do not rely on their seeing it"
	case "field changed":
		return d.fieldMeaning(c)
	case "method added":
		return "new: it is answered with method not found, or ignored, until the runtime serves it"
	case "method removed":
		return "gone: it is refused in the new revision and served in the older ones"
	case "method changed":
		return "moved: another side sends it, so look for what takes its place"
	case "code added", "code removed":
		return "errors of the new revision have other codes: compare with the constants, not with numbers"
	default:
		return ruleMeaning(c)
	}
}

func (d *differ) fieldMeaning(c *Change) string {
	oldType, oldNeed := splitNeed(c.Old)
	newType, newNeed := splitNeed(c.New)
	switch {
	case oldType != newType && d.wider[c.Go] > 0:
		return "wider type: what is valid now may not fit older revisions, where the encoder leaves it out"
	case oldType != newType && d.wider[c.Go] < 0:
		return "narrower type: a value that was valid may not be in the new revision"
	case oldType != newType:
		return "another type: the codec writes what the revision has"
	case oldNeed != newNeed && newNeed == "required":
		return "required now: give it a value, even if it is empty"
	default:
		return "optional now: clients of the new revision must not rely on it"
	}
}

func splitNeed(form string) (typ, need string) {
	for i := len(form) - 2; i > 0; i-- {
		if form[i] == ',' {
			return form[:i], form[i+2:]
		}
	}
	return form, ""
}

// lowerBounds are the keywords whose greater values allow less; upperBounds those whose greater values allow more.
var (
	lowerBounds = []string{"exclusiveMinimum", "minItems", "minLength", "minimum"}
	upperBounds = []string{"exclusiveMaximum", "maxItems", "maxLength", "maximum"}
)

func ruleMeaning(c *Change) string {
	keyword := c.Wire[lastSpace(c.Wire)+1:]
	switch {
	case keyword == "default":
		return "another default: what clients assume when the value is left out; write the value if it matters"
	case slices.Contains([]string{"deprecated", "readOnly", "writeOnly"}, keyword):
		return "a hint: nothing is refused"
	case c.What == "added":
		return "narrower: values that were valid may be refused by clients of the new revision"
	case c.What == "removed":
		return "wider: more values are valid in the new revision than older clients may accept"
	case slices.Contains(lowerBounds, keyword) && numberOf(c.New) < numberOf(c.Old),
		slices.Contains(upperBounds, keyword) && numberOf(c.New) > numberOf(c.Old):
		return "wider: more values are valid in the new revision than older clients may accept"
	default:
		return "narrower: values that were valid may be refused by clients of the new revision"
	}
}

func lastSpace(s string) int {
	for i := len(s) - 1; i >= 0; i-- {
		if s[i] == ' ' {
			return i
		}
	}
	return -1
}

func numberOf(text string) float64 {
	f, _ := strconv.ParseFloat(text, 64)
	return f
}
