package serverir

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/internal/ir"
)

// mcpTag reads the mcp tag of a field of an input.
func (p *ruleParser) mcpTag() {
	for _, w := range p.b.tagWords(p.f.field(), p.f.tag, "mcp") {
		switch w.name {
		case "header":
			p.header(w)
		case "enumnames":
			p.r.enumNames = true
		case "complete":
			p.report("MCP804", w, "`complete` in the mcp tag of an input is not supported by this version of mcpgen yet",
				"remove it")
		default:
			p.report("MCP104", w, fmt.Sprintf("the `mcp` tag of an input has no option `%s`", w.name), "header=Name")
		}
	}
}

// header notes the header that mirrors the field.
func (p *ruleParser) header(w tagWord) {
	p.r.header = w.value
	if p.w == nil {
		return
	}
	first, twice := p.w.headers[strings.ToLower(w.value)]
	p.w.headers[strings.ToLower(w.value)] = w
	_, value, _ := strings.Cut(p.f.tag.Get("mcp"), "header=")
	switch {
	case !isToken(w.value):
		p.report("MCP109", w, fmt.Sprintf("`%s` is not a name for a header", value), "header=Region")
	case !p.own.has(onText | onInt | onBool):
		p.report("MCP603", w, fmt.Sprintf("field %s is %s; only texts, integers and booleans are mirrored in a header",
			p.f.field().Name(), p.own.noun), "mirror a string, int or bool")
	case !p.w.top:
		p.report("MCP603", w, "only members of the arguments themselves are mirrored, not those inside of them", "remove it")
	case twice:
		p.report("MCP603", w, fmt.Sprintf("header `%s` is used twice, ignoring case", w.value), "rename one header",
			p.related(first)...)
	}
}

// isToken reports whether s can be part of the name of an HTTP header.
func isToken(s string) bool {
	for _, r := range s {
		if r > '~' || r <= ' ' || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, r) {
			return false
		}
	}
	return s != ""
}

// patternName is the variable for a regular expression of the value called of. Equal ones share it.
func (b *serverBuilder) patternName(of, expr string) string {
	for _, known := range b.p.Patterns {
		if known.Expr == expr {
			return known.Name
		}
	}
	base := "pattern" + upperFirst(of)
	name := base
	for n := 2; !b.freePattern(name); n++ {
		name = base + strconv.Itoa(n)
	}
	b.p.Patterns = append(b.p.Patterns, ir.Pattern{Name: name, Expr: expr})
	return name
}

func (b *serverBuilder) freePattern(name string) bool {
	for _, known := range b.p.Patterns {
		if strings.EqualFold(known.Name, name) {
			return false
		}
	}
	obj := b.pkg.Types.Scope().Lookup(name)
	return obj == nil || b.pkg.Generated(obj)
}
