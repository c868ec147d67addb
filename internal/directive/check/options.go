package check

import (
	"cmp"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/diag"
	"github.com/mcpgen/mcpgen/internal/directive"
)

// args checks the arguments from the first that is written with its option.
func (c *checker) args(first int) {
	for i := first; i < len(c.d.Args); i++ {
		a := c.d.Args[i]
		if n := c.spaced(i); n > 0 {
			i += n - 1
			continue
		}
		if strings.HasPrefix(a.Option, "//") {
			d := c.report("MCP104", a.Pos, c.d.End, "a directive cannot be followed by a comment")
			d.Fix = "put the comment on a line of its own"
			c.add(d)
			return
		}
		if n := c.unquoted(first, i); n > 0 {
			i += n - 1
			continue
		}
		if n := c.slip(i); n > 0 {
			i += n - 1
			continue
		}
		c.arg(i)
	}
}

// spaced reports white space around the "=" of the i-th argument, and returns of how many arguments that
// made one; 0 if there is none. What looks like the value is one only if it is no option.
func (c *checker) spaced(i int) int {
	args := c.d.Args[i:]
	k := c.d.Def.Option(args[0].Option)
	isValue := func(i int) bool { return len(args) > i && !args[i].HasValue && c.d.Def.Option(args[i].Option) == nil }
	if k == nil || len(args) < 2 {
		return 0
	}
	name, sign := args[0], args[1]
	var value *directive.Arg
	var edits []diag.Edit
	switch {
	case name.HasValue && name.Value == "" && name.End == name.ValueEnd() && isValue(1): // option= value
		value = args[1]
		edits = append(edits, diag.EditOf(c.fset, name.End, value.Pos, ""))
	case !name.HasValue && sign.HasValue && sign.Option == "" && sign.Value != "": // option =value
		value = sign
		edits = append(edits, diag.EditOf(c.fset, name.End, sign.Pos, ""))
	case !name.HasValue && sign.HasValue && sign.Option == "" && isValue(2): // option = value
		value = args[2]
		edits = append(edits, diag.EditOf(c.fset, name.End, sign.Pos, ""), diag.EditOf(c.fset, sign.End, value.Pos, ""))
	default:
		return 0
	}
	d := c.report("MCP105", name.Pos, value.End, "no white space may stand around the `=` of `%s`", k.Name)
	d.Fix = "delete the white space"
	n := len(edits) + 1
	text := value.Text()
	if value == sign {
		text = sign.Value
	}
	c.suggest(d, i, n, edits, k.Name+"="+text)
	c.add(d)
	c.seen[k] = name
	return n
}

// bareURI reports an address without its option.
func (c *checker) bareURI(i int) bool {
	a := c.d.Args[i]
	k := c.d.Def.Option("uri")
	if k == nil || c.seen[k] != nil || !strings.Contains(a.Option, ":/") || c.faulty(a) {
		return false
	}
	d := c.report("MCP104", a.Pos, a.End, "the address needs its option `uri`")
	d.Fix = "uri=" + a.Text()
	// What begins with an option may be one whose equals sign is missing.
	scheme, _, _ := strings.Cut(a.Option, ":")
	glued := slices.ContainsFunc(c.d.Def.OptionNames(), func(name string) bool {
		return strings.HasPrefix(scheme, name[:min(len(name), 2)])
	})
	if !glued && isScheme(scheme) {
		c.suggest(d, i, 1, []diag.Edit{diag.EditOf(c.fset, a.Pos, a.Pos, "uri=")}, "uri="+a.Text())
	}
	c.add(d)
	c.seen[k] = a
	return true
}

func isScheme(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return !('a' <= r && r <= 'z' || '0' <= r && r <= '9' || r == '-' || r == '+')
	})
}

func (c *checker) arg(i int) {
	a := c.d.Args[i]
	k := c.d.Def.Option(a.Option)
	if k == nil {
		if c.bareURI(i) {
			return
		}
		if !c.faulty(a) || a.HasValue {
			c.add(c.unknownOption(i))
		}
		return
	}
	if first := c.seen[k]; first != nil && !k.Repeats {
		c.add(c.twice(a, first))
		return
	}
	c.seen[k] = a
	if !c.faulty(a) {
		c.value(k, a)
	}
}

// value decodes the value of an option.
func (c *checker) value(k *directive.Option, a *directive.Arg) {
	if !a.HasValue && k.Kind != "bool" && !k.Flag {
		d := c.report("MCP109", a.OptionPos(), a.OptionEnd(), "`%s` needs a value", k.Name)
		d.Fix = k.Name + "=" + sample(k)
		c.add(d)
		return
	}
	if p := k.Decode(c.d.Spec, a); p != nil {
		c.add(c.refused(k, a, p))
	}
}

func (c *checker) refused(k *directive.Option, a *directive.Arg, p *directive.Problem) *diag.Diagnostic {
	from, to := a.ValuePos(), a.ValueEnd()
	if p.To > 0 {
		from, to = a.At(p.From), a.At(p.To)
	}
	d := c.report(k.Code, from, to, "%s", p.Message)
	d.Hint, d.Fix = p.Hint, p.Fix
	return d
}

func (c *checker) unknownOption(i int) *diag.Diagnostic {
	def, a := c.d.Def, c.d.Args[i]
	has := def.OptionNames()
	if len(has) == 0 {
		d := c.report("MCP104", a.Pos, a.End, "`%s` takes no options", def.Name)
		d.Fix = "remove it"
		return d
	}
	d := c.report("MCP104", a.OptionPos(), max(a.OptionEnd(), a.OptionPos()+1),
		"`%s` has no option `%s`; it has: %s", def.Name, a.Option, strings.Join(has, " "))
	near := cmp.Or(meantOption(a.Option, has), directive.Nearest(a.Option, has), c.identifies(a.Option))
	if near == "" {
		d.Fix = cmp.Or(c.valueOf(a), refused[[2]string{def.Name, a.Option}], "remove it"+optionOf(a.Option))
		return d
	}
	if !slices.ContainsFunc(c.d.Args[i:], func(o *directive.Arg) bool { return o.Option == near }) {
		c.meant(near, a)
	}
	d.Fix = near
	if a.HasValue {
		d.Fix += "="
	}
	k := def.Option(near)
	stray := c.bare(a) && strings.ContainsAny(a.Value, "\"`")
	if near == meantOption(a.Option, has) && !stray && strings.HasPrefix(c.raw(a), a.Option) &&
		(a.Value != "" || !a.HasValue && (k.Flag || k.Kind == "bool")) {
		c.suggest(d, i, 1, []diag.Edit{diag.EditOf(c.fset, a.OptionPos(), a.OptionEnd(), near)},
			near+a.Text()[len(a.Option):])
	}
	return d
}

// identifies is the required option that identifies what is declared, if name is what other directives call theirs.
func (c *checker) identifies(name string) string {
	other := map[string]string{"id": "name", "name": "id"}[name]
	if k := c.d.Def.Option(other); k != nil && k.Required && c.seen[k] == nil {
		return other
	}
	return ""
}

// valueOf is an option with the value that a is, if one option has it: task=once for once.
func (c *checker) valueOf(a *directive.Arg) string {
	var found []string
	for _, k := range c.d.Def.Options {
		if !a.HasValue && slices.Contains(k.Values, a.Option) && c.seen[k] == nil {
			found = append(found, k.Name+"="+a.Option)
		}
	}
	if len(found) != 1 {
		return ""
	}
	return found[0]
}

// optionOf says which directives have an option of that name, if they are few.
func optionOf(name string) string {
	var has []string
	for _, def := range directive.Definitions() {
		if def.Option(name) != nil {
			has = append(has, "`"+def.Name+"`")
		}
	}
	if len(has) == 0 || len(has) > 2 {
		return ""
	}
	return ": it is an option of " + strings.Join(has, " and ")
}

func (c *checker) twice(second, first *directive.Arg) *diag.Diagnostic {
	d := c.report("MCP106", second.OptionPos(), second.OptionEnd(), "`%s` given twice", second.Option)
	d.Related = []diag.Related{{Pos: diag.PosOf(c.fset, first.OptionPos(), first.OptionEnd()), Message: "first"}}
	d.Fix = "remove one"
	if second.Option == "uri" {
		d.Fix = "remove one; for a second URI add `//mcp:alias uri=…`"
	}
	return d
}

func (c *checker) required() {
	if len(c.d.Faults) > 0 {
		return
	}
	for _, k := range c.d.Def.Options {
		if !k.Required || c.seen[k] != nil {
			continue
		}
		what, fix := "option `"+k.Name+"`", k.Name+"="+sample(k)
		if k.Positional {
			what, fix = k.Name, c.d.Def.Name+" "+sample(k)
		}
		d := c.report("MCP110", c.d.NamePos, c.d.NameEnd(), "`%s` needs its %s", c.d.Def.Name, what)
		d.Fix = fix
		c.add(d)
	}
}

// sample is a valid value of an option.
func sample(k *directive.Option) string {
	if k.Example == "" && len(k.Values) > 0 {
		return k.Values[0]
	}
	return k.Example
}

// refused are options that somebody may look for, by the name of the directive, and what to do instead.
var refused = map[[2]string]string{
	{"resource", "durable"}: "remove it: an event of updates is a hint to read again; what must not be lost is " +
		"//mcp:event on a struct",
	{"event", "durable"}: "remove it: the log of event.Options keeps events, and the Commit method returns when it " +
		"has one",
}

// synonyms are what other systems call an option, without hyphens and underscores. An option of that name goes first.
var synonyms = map[string]string{
	"mimetype": "mime", "mediatype": "mime", "contenttype": "mime", "description": "desc",
	"readonlyhint": "readonly", "destructivehint": "destructive", "idempotenthint": "idempotent",
	"openworldhint": "open", "openworld": "open", "uritemplate": "uri", "template": "uri", "subscribable": "subscribe",
	"lastmodified": "modified",
}

// meantOption is the option that a machine may write for name.
func meantOption(name string, has []string) string {
	plain := strings.NewReplacer("-", "", "_", "").Replace(strings.ToLower(name))
	if strings.Trim(name, "-_") != name || strings.ContainsAny(name, "\"`") {
		return ""
	}
	for _, k := range has {
		if k == plain || synonyms[plain] == k {
			return k
		}
	}
	return directive.Meant(name, has)
}
