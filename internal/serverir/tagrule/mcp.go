package tagrule

import (
	"fmt"
	"strings"
)

// mcpTag reads the mcp tag of a field of an input.
func (p *ruleParser) mcpTag() {
	for _, w := range p.b.Words(p.f.Var(), p.f.Tag, "mcp") {
		switch w.name {
		case "header":
			p.header(w)
		case "enumnames":
			p.r.EnumNames = true
		case "complete":
			p.report("MCP804", w, "`complete` in the mcp tag of an input is not supported by this version of mcpgen yet",
				"remove it")
		default:
			p.report("MCP104", w, fmt.Sprintf("the `mcp` tag of an input has no option `%s`", w.name), "header=Name")
		}
	}
}

// header notes the header that mirrors the field.
func (p *ruleParser) header(w Word) {
	p.r.Header = w.value
	if p.w == nil {
		return
	}
	first, twice := p.w.Headers[strings.ToLower(w.value)]
	p.w.Headers[strings.ToLower(w.value)] = w
	_, value, _ := strings.Cut(p.f.Tag.Get("mcp"), "header=")
	switch {
	case !isToken(w.value):
		p.report("MCP109", w, fmt.Sprintf("`%s` is not a name for a header", value), "header=Region")
	case !p.own.Has(OnText | OnInt | OnBool):
		p.report("MCP603", w, fmt.Sprintf("field %s is %s; only texts, integers and booleans are mirrored in a header",
			p.f.Var().Name(), p.own.Noun), "mirror a string, int or bool")
	case !p.w.Top:
		p.report("MCP603", w, "only members of the arguments themselves are mirrored, not those inside of them", "remove it")
	case twice:
		p.report("MCP603", w, fmt.Sprintf("header `%s` is used twice, ignoring case", w.value), "rename one header",
			p.related(first)...)
	case IsSecret(p.f.Name) || IsSecret(w.value):
		p.report("MCP616", w, fmt.Sprintf("a header repeats `%s`, which looks like a secret", p.f.Name),
			"remove header=: every proxy on the way can read headers")
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
