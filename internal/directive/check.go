package directive

import (
	"cmp"
	"fmt"
	"go/token"
	"reflect"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/diag"
)

// Check compares d with the table of directives, given the kind of declaration it stands
// on. It sets d.Def, d.Spec and d.Bad and adds what is wrong to out. Everything
// that could be read is in Spec even if something else is wrong.
func Check(fset *token.FileSet, d *Directive, on Target, out *diag.List) {
	c := &checker{fset: fset, d: d, out: out, seen: map[*Option]*Arg{}}
	d.Def = Lookup(d.Name)
	known := d.Def != nil
	if !known && !c.tail() {
		c.faults()
		c.unknownName()
		return
	}
	c.spec = reflect.New(d.Def.typ)
	d.Spec = c.spec.Interface()
	if !known || c.bracketed() {
		return
	}
	c.faults()
	c.place(on)
	c.args(len(d.Args) - len(c.positional()))
	c.required()
}

type checker struct {
	fset *token.FileSet
	d    *Directive
	out  *diag.List
	spec reflect.Value
	seen map[*Option]*Arg
}

func (c *checker) report(code string, from, to token.Pos, format string, args ...any) *diag.Diagnostic {
	c.d.Bad = true
	d := diag.New(code, diag.PosOf(c.fset, from, to), format, args...)
	return &d
}

func (c *checker) add(d *diag.Diagnostic) { c.out.Add(*d) }

// faulty reports whether a lexical mistake lies within the argument.
func (c *checker) faulty(a *Arg) bool {
	return slices.ContainsFunc(c.d.Faults, func(f Fault) bool { return a.Pos <= f.Pos && f.Pos < a.End })
}

func definedNames() []string {
	var out []string
	for _, v := range Definitions() {
		out = append(out, v.Name)
	}
	return out
}

func (c *checker) unknownName() {
	m := miss{fset: c.fset, pos: c.d.Pos, line: c.d.text, out: c.out}
	if m.upperName() {
		c.d.Bad = true
		return
	}
	g := withNames(c.report("MCP103", c.d.NamePos, c.d.NameEnd(), "unknown directive `%s`", c.d.Name), c.d.Name)
	if meant := cmp.Or(renamed[c.d.Name], Meant(c.d.Name, definedNames())); meant != "" && len(c.d.Faults) == 0 {
		g.Edits = []diag.Edit{diag.EditOf(c.fset, c.d.NamePos, c.d.NameEnd(), meant)}
		g.Becomes = []string{(&Directive{Name: meant, Args: c.d.Args}).String()}
	}
	c.add(g)
}

// withNames adds the choices to a diagnostic about the name of a directive.
func withNames(d *diag.Diagnostic, name string) *diag.Diagnostic {
	if near := cmp.Or(renamed[name], Nearest(name, definedNames())); near != "" {
		d.Fix = fmt.Sprintf("did you mean `%s`?", near)
	} else {
		d.Hint = "directives: " + strings.Join(definedNames(), " ")
	}
	return d
}

func (c *checker) place(on Target) {
	def := c.d.Def
	switch {
	case def.On&on == 0:
		c.add(c.misplaced(on))
	case def.Planned:
		c.add(c.planned(c.d.NamePos, c.d.NameEnd(), "`"+def.Name+"`"))
	}
}

func (c *checker) misplaced(on Target) *diag.Diagnostic {
	name := c.d.Def.Name
	article := "a"
	if on == OnImport || on == OnMember {
		article = "an"
	}
	d := c.report("MCP108", c.d.Pos, c.d.End, "`%s` cannot stand on %s %s; it goes on a %s", name, article, on, c.d.Def.On)
	switch on {
	case OnGroup:
		d.Fix = "put it above one declaration of the group, each name on a line of its own"
	case OnMember:
		d.Fix = "move it to the method of a type that implements the interface"
	case OnPackage:
		d.Fix = "move it into the doc comment of the declaration"
	default:
		d.Fix = fmt.Sprintf("move it to a %s", c.d.Def.On)
	}
	return d
}

func (c *checker) planned(from, to token.Pos, what string) *diag.Diagnostic {
	d := c.report("MCP804", from, to, "%s is not supported by this version of mcpgen yet", what)
	d.Fix = "remove it, or use a newer version of mcpgen"
	return d
}

// positional fills the options that are written without a name and returns the
// arguments that are left.
func (c *checker) positional() []*Arg {
	rest := c.d.Args
	for _, k := range c.d.Def.Options {
		if !k.Positional {
			continue
		}
		v := k.value(c.spec)
		_, pairs := v.(*Pairs)
		for len(rest) > 0 && (repeats(v) || c.seen[k] == nil) {
			if !pairs && rest[0].HasValue && k.Name != "REASON" {
				break
			}
			if i := len(c.d.Args) - len(rest); pairs && c.comma(i) > 0 {
				c.seen[k] = rest[0]
			} else {
				c.place1(k, v, rest[0])
			}
			rest = rest[1:]
		}
	}
	return rest
}

// place1 decodes one positional argument.
func (c *checker) place1(k *Option, v optionType, a *Arg) {
	c.seen[k] = a
	if c.faulty(a) {
		return
	}
	p := v.decode(a, k)
	if p == nil {
		if msg := positionalFault(k, a.Text()); msg != "" {
			p = &problem{msg: msg, fix: c.d.Def.Name + " " + k.Example}
		}
	}
	if p != nil {
		if plain := strings.TrimRight(a.Text(), ",;:"); plain != a.Text() && positionalFault(k, plain) == "" {
			p.fix = "write `" + plain + "`"
		}
		d := c.report("MCP109", a.Pos, a.End, "%s", p.msg)
		d.Fix = p.fix
		c.add(d)
		return
	}
	v.(interface{ set(*Arg) }).set(a)
	if pairs, ok := v.(*Pairs); ok {
		c.samePair(pairs.V)
	}
}

// samePair reports the last pair if an earlier one has its option.
func (c *checker) samePair(pairs []*Arg) {
	last := pairs[len(pairs)-1]
	for _, first := range pairs[:len(pairs)-1] {
		if first.Option == last.Option {
			c.add(c.twice(last, first))
			return
		}
	}
}

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
	var value *Arg
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
	c.offer(d, i, n, edits, k.Name+"="+text)
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
	glued := slices.ContainsFunc(names(c.d.Def.Options), func(name string) bool {
		return strings.HasPrefix(scheme,
			name[:min(len(name), 2)])
	})
	if !glued && isScheme(scheme) {
		c.offer(d, i, 1, []diag.Edit{diag.EditOf(c.fset, a.Pos, a.Pos, "uri=")}, "uri="+a.Text())
	}
	c.add(d)
	c.seen[k] = a
	return true
}

func isScheme(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return !('a' <= r && r <= 'z' || '0' <= r && r <= '9' ||
			r == '-' || r == '+')
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
	v := k.value(c.spec)
	if first := c.seen[k]; first != nil && !repeats(v) {
		c.add(c.twice(a, first))
		return
	}
	c.seen[k] = a
	if k.Planned {
		c.add(c.planned(a.OptionPos(), a.OptionEnd(), fmt.Sprintf("`%s` of `%s`", k.Name, c.d.Def.Name)))
	}
	if !c.faulty(a) {
		c.value(k, v, a)
	}
}

func (c *checker) value(k *Option, v optionType, a *Arg) {
	_, isBool := v.(*Bool)
	if !a.HasValue && !isBool && !k.Flag {
		d := c.report("MCP109", a.OptionPos(), a.OptionEnd(), "`%s` needs a value", k.Name)
		d.Fix = k.Name + "=" + k.example()
		c.add(d)
		return
	}
	if p := v.decode(a, k); p != nil {
		c.add(c.refused(k, a, p))
		return
	}
	v.set(a)
}

func (c *checker) refused(k *Option, a *Arg, p *problem) *diag.Diagnostic {
	code := "MCP109"
	if k.code != "" {
		code = k.code
	}
	from, to := a.ValuePos(), a.ValueEnd()
	if p.to > 0 {
		from, to = a.At(p.from), a.At(p.to)
	}
	d := c.report(code, from, to, "%s", p.msg)
	d.Hint, d.Fix = p.hint, p.fix
	return d
}

func (k *Option) example() string {
	if k.Example == "" && len(k.Values) > 0 {
		return k.Values[0]
	}
	return k.Example
}

func (c *checker) unknownOption(i int) *diag.Diagnostic {
	def, a := c.d.Def, c.d.Args[i]
	has := names(def.Options)
	if len(has) == 0 {
		d := c.report("MCP104", a.Pos, a.End, "`%s` takes no options", def.Name)
		d.Fix = "remove it"
		return d
	}
	d := c.report("MCP104", a.OptionPos(), max(a.OptionEnd(), a.OptionPos()+1),
		"`%s` has no option `%s`; it has: %s", def.Name, a.Option, strings.Join(has, " "))
	near := cmp.Or(meantOption(a.Option, has), Nearest(a.Option, has))
	if near == "" {
		return d
	}
	d.Fix = near
	if a.HasValue {
		d.Fix += "="
	}
	k := def.Option(near)
	stray := c.bare(a) && strings.ContainsAny(a.Value, "\"`")
	if near == meantOption(a.Option, has) && !stray && strings.HasPrefix(c.raw(a), a.Option) &&
		(a.Value != "" || !a.HasValue && (k.Flag || k.Kind == "bool")) {
		c.offer(d, i, 1, []diag.Edit{diag.EditOf(c.fset, a.OptionPos(), a.OptionEnd(), near)}, near+a.Text()[len(a.Option):])
	}
	return d
}

func (c *checker) twice(second, first *Arg) *diag.Diagnostic {
	d := c.report("MCP106", second.OptionPos(), second.OptionEnd(), "`%s` given twice", second.Option)
	d.Related = []diag.Related{{Pos: diag.PosOf(c.fset, first.OptionPos(), first.OptionEnd()), Message: "first"}}
	d.Fix = "remove one"
	if second.Option == "uri" {
		d.Fix = "remove one; for a second address add `//mcp:alias uri=…`"
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
		what, fix := "option `"+k.Name+"`", k.Name+"="+k.example()
		if k.Positional {
			what, fix = k.Name, c.d.Def.Name+" "+k.example()
		}
		d := c.report("MCP110", c.d.NamePos, c.d.NameEnd(), "`%s` needs its %s", c.d.Def.Name, what)
		d.Fix = fix
		c.add(d)
	}
}
