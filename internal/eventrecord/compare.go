package eventrecord

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
)

// breaks returns the changes from e to now that subscribers cannot follow, of the arguments and of the payload.
func (e *Event) breaks(now *Event) (input, payload []string) {
	args := func(v any) any {
		if v == nil {
			return map[string]any{"type": "object", "additionalProperties": false}
		}
		return v
	}
	in := comparison{old: args(e.Arguments), now: args(now.Arguments), read: true, word: "argument"}
	in.schemas("", in.old, in.now)
	out := comparison{old: e.Payload, now: now.Payload, word: "member of the payload"}
	out.schemas("", out.old, out.now)
	return in.found, out.found
}

// comparison compares two schemas.
type comparison struct {
	old, now any
	// read says that clients write the values: what they could write before must be taken. Otherwise they read them.
	read bool
	// word is what a member is called in messages.
	word  string
	found []string
	// seen are the references that were followed.
	seen map[[2]string]bool
}

func (c *comparison) reportf(path, format string, args ...any) {
	where := "the payload"
	if c.read {
		where = "the arguments"
	}
	if path != "" {
		where = c.word + " `" + path + "`"
	}
	c.found = append(c.found, where+" "+fmt.Sprintf(format, args...))
}

// schemas compares the schemas of a value.
func (c *comparison) schemas(path string, old, now any) {
	o, n := c.resolve(c.old, old), c.resolve(c.now, now)
	if c.followed(old, now) {
		return
	}
	if !reflect.DeepEqual(o["type"], n["type"]) {
		c.reportf(path, "had %s, and has %s", keyword("type", o["type"]), keyword("type", n["type"]))
		return
	}
	if (o == nil) != (n == nil) {
		c.reportf(path, "had %s, and has %s", keyword("schema", old), keyword("schema", now))
		return
	}
	for _, key := range slices.Sorted(maps.Keys(merged(o, n))) {
		was, is := o[key], n[key]
		switch key {
		case "properties", "$defs", "required", "additionalProperties":
		case "items":
			c.schemas(path+"[]", was, is)
		case "oneOf":
			c.choices(path, was, is)
		case "enum":
			c.enums(path, was, is)
		case "minimum", "minLength", "minItems":
			c.bounds(path, key, was, is, 1)
		case "maximum", "maxLength", "maxItems":
			c.bounds(path, key, was, is, -1)
		default:
			if !reflect.DeepEqual(was, is) {
				c.reportf(path, "had %s, and has %s", keyword(key, was), keyword(key, is))
			}
		}
	}
	c.objects(path, o, n)
}

// choices compares schemas that allow several alternatives, such as a pointer or null.
func (c *comparison) choices(path string, was, is any) {
	old, _ := was.([]any)
	now, _ := is.([]any)
	if len(old) != len(now) {
		c.reportf(path, "had %s, and has %s", keyword("oneOf", was), keyword("oneOf", is))
		return
	}
	for i := range old {
		c.schemas(path, old[i], now[i])
	}
}

// keyword returns a keyword of a schema, for messages.
func keyword(key string, v any) string {
	if v == nil {
		return "no `" + key + "`"
	}
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // what was read as JSON
	}
	return "`" + key + "` " + string(text)
}

// objects compares the members of objects.
func (c *comparison) objects(path string, o, n map[string]any) {
	was, _ := o["properties"].(map[string]any)
	is, _ := n["properties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(was)) {
		at := member(path, name)
		switch m, ok := is[name]; {
		case !ok:
			c.reportf(at, "is gone")
		default:
			c.schemas(at, was[name], m)
		}
		if needed := requires(n, name); needed != requires(o, name) && needed == c.read && is[name] != nil {
			if c.read {
				c.reportf(at, "is required, and was not")
			} else {
				c.reportf(at, "may be left out, and was always there")
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(is)) {
		if was[name] == nil && c.read && requires(n, name) {
			c.reportf(member(path, name), "is new and required")
		}
	}
	if elem, ok := o["additionalProperties"].(map[string]any); ok {
		c.schemas(path+"{}", elem, n["additionalProperties"])
	}
}

func member(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func requires(s map[string]any, name string) bool {
	list, _ := s["required"].([]any)
	return slices.Contains(list, any(name))
}

// enums compares the values that are allowed. Clients must be able to send all that they could before, and must get no
// new ones.
func (c *comparison) enums(path string, was, is any) {
	old, limited := was.([]any)
	now, limits := is.([]any)
	if c.read {
		old, now, limited, limits = now, old, limits, limited
	}
	switch {
	case !limited:
		return
	case !limits && c.read:
		c.reportf(path, "is limited to some values, and was not")
		return
	case !limits:
		c.reportf(path, "can be anything, and was one of some values")
		return
	}
	for _, v := range now {
		if !slices.ContainsFunc(old, func(o any) bool { return reflect.DeepEqual(o, v) }) {
			if c.read {
				c.reportf(path, "cannot be %v any more", v)
			} else {
				c.reportf(path, "can be %v, which it never was", v)
			}
		}
	}
}

// bounds compares a limit. up is 1 for a lower bound, and -1 for an upper one.
func (c *comparison) bounds(path, key string, was, is any, up float64) {
	old, limited := number(was)
	now, limits := number(is)
	if c.read {
		old, now, limited, limits = now, old, limits, limited
	}
	if limited && (!limits || up*now < up*old) {
		c.reportf(path, "had %s, and has %s", keyword(key, was), keyword(key, is))
	}
}

func number(v any) (float64, bool) {
	n, ok := v.(json.Number)
	if !ok {
		return 0, false
	}
	f, err := strconv.ParseFloat(n.String(), 64)
	return f, err == nil
}

// resolve follows the reference of a schema to a definition of root.
func (c *comparison) resolve(root, schema any) map[string]any {
	s, _ := schema.(map[string]any)
	ref := reference(schema)
	if ref == "" {
		return s
	}
	whole, _ := root.(map[string]any)
	defs, _ := whole["$defs"].(map[string]any)
	s, _ = defs[ref].(map[string]any)
	return s
}

// reference returns the name of the definition that a schema refers to.
func reference(schema any) string {
	const prefix = "#/$defs/"
	s, _ := schema.(map[string]any)
	ref, _ := s["$ref"].(string)
	if len(ref) <= len(prefix) {
		return ""
	}
	return ref[len(prefix):]
}

// followed reports whether two references were compared before, which ends recursion.
func (c *comparison) followed(old, now any) bool {
	pair := [2]string{reference(old), reference(now)}
	if pair[0] == "" || pair[1] == "" {
		return false
	}
	if c.seen == nil {
		c.seen = map[[2]string]bool{}
	}
	before := c.seen[pair]
	c.seen[pair] = true
	return before
}

func merged(a, b map[string]any) map[string]any {
	out := maps.Clone(a)
	if out == nil {
		out = map[string]any{}
	}
	maps.Copy(out, b)
	return out
}
