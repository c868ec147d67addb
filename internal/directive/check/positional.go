package check

import (
	"strings"

	"github.com/mcpgen/mcpgen/internal/directive"
)

// positional fills the options that are written without a name and returns the
// arguments that are left.
func (c *checker) positional() []*directive.Arg {
	rest := c.d.Args
	for _, k := range c.d.Def.Options {
		if !k.Positional {
			continue
		}
		pairs := k.Kind == "pairs"
		for len(rest) > 0 && (k.Repeats || c.seen[k] == nil) {
			if !pairs && rest[0].HasValue && k.Name != "REASON" {
				break
			}
			if i := len(c.d.Args) - len(rest); pairs && comma(c, i) > 0 {
				c.seen[k] = rest[0]
			} else {
				c.word(k, rest[0])
			}
			rest = rest[1:]
		}
	}
	return rest
}

// word decodes one positional argument.
func (c *checker) word(k *directive.Option, a *directive.Arg) {
	c.seen[k] = a
	if c.faulty(a) {
		return
	}
	if p := k.Decode(c.d.Spec, a); p != nil {
		d := c.report("MCP109", a.Pos, a.End, "%s", p.Message)
		d.Fix = p.Fix
		if d.Fix == "" {
			d.Fix = c.d.Def.Name + " " + k.Example
		}
		if plain := strings.TrimRight(a.Text(), ",;:"); plain != a.Text() && k.WordProblem(plain) == nil {
			d.Fix = "write `" + plain + "`"
		}
		c.add(d)
		return
	}
	if meta, ok := c.d.Spec.(*directive.Meta); ok {
		c.samePair(meta.Entries.V)
	}
}

// samePair reports the last pair if an earlier one has its option.
func (c *checker) samePair(pairs []*directive.Arg) {
	last := pairs[len(pairs)-1]
	for _, first := range pairs[:len(pairs)-1] {
		if first.Option == last.Option {
			c.add(c.twice(last, first))
			return
		}
	}
}
