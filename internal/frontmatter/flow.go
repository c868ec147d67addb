package frontmatter

import "strings"

// flow reads a list or a mapping in brackets, which may go on in further lines, and returns what is behind it in the
// line at hand.
func (p *parser) flow(s string, depth int) (v any, rest string) {
	if depth > maxDepth {
		p.failf("more than %d levels", maxDepth)
	}
	list, m, isMap := []any{}, Map{}, s[0] == '{'
	closing := map[bool]string{true: "}", false: "]"}[isMap]
	from := p.at
	for s = p.skip(s[1:], from); ; {
		if after, ok := strings.CutPrefix(s, closing); ok {
			if isMap {
				return m, after
			}
			return list, after
		}
		var member Member
		var item any
		var pair bool
		member, item, pair, s = p.flowMember(s, depth, from)
		switch {
		case isMap:
			if m.has(member.Name) {
				p.failf("`%s` is given twice", member.Name)
			}
			m = append(m, member)
		case pair:
			list = append(list, Map{member})
		default:
			list = append(list, item)
		}
		next, comma := strings.CutPrefix(s, ",")
		if !comma && !strings.HasPrefix(s, closing) {
			p.failf("a comma or a bracket is missing before `%s`", s)
		}
		if s = next; comma {
			s = p.skip(next, from)
		}
	}
}

// flowMember reads what stands between two commas: a value, or the name of a member and its value. rest begins with
// what is behind it.
func (p *parser) flowMember(s string, depth, from int) (m Member, item any, pair bool, rest string) {
	var name string
	plain := false
	switch s[0] {
	case '"', '\'':
		name, s = p.quoted(s)
		item = name
	case '[', '{':
		item, s = p.flow(s, depth+1)
		return m, item, false, p.skip(s, from)
	default:
		name, s = p.flowPlain(s, from)
		item, plain = scalar(name), true
	}
	s = p.skip(s, from)
	value, pair := strings.CutPrefix(s, ":")
	m.Name = name
	if !pair {
		if plain && name == "" {
			p.failf("a value is missing before `%s`", s)
		}
		return m, item, false, s
	}
	if value = p.skip(value, from); strings.ContainsAny(value[:1], ",]}") {
		return m, nil, true, value
	}
	m.Value, s = p.flowValue(value, depth, from)
	return m, nil, true, p.skip(s, from)
}

// flowValue reads the value of a member.
func (p *parser) flowValue(s string, depth, from int) (v any, rest string) {
	switch s[0] {
	case '"', '\'':
		return p.quoted(s)
	case '[', '{':
		return p.flow(s, depth+1)
	}
	text, rest := p.flowPlain(s, from)
	return scalar(text), rest
}

// flowPlain reads a text without quotes in brackets.
func (p *parser) flowPlain(s string, from int) (text, rest string) {
	if strings.ContainsAny(s[:1], "&*!%@`|>?") {
		p.failf("`%s` cannot be read: quote the text", s)
	}
	for {
		end := 0
		for end < len(s) && !strings.ContainsRune(",[]{}", rune(s[end])) && !endsName(s, end) &&
			(s[end] != '#' || end > 0 && s[end-1] != ' ') {
			end++
		}
		if text += strings.TrimSpace(s[:end]); end < len(s) {
			return text, s[end:]
		}
		if s = p.skip("", from); strings.ContainsAny(s[:1], ",[]{}:") {
			return text, s
		}
		text += " "
	}
}

// endsName reports whether the byte of s at i is a colon between a name and a value.
func endsName(s string, i int) bool {
	return s[i] == ':' && (i+1 == len(s) || strings.IndexByte(" \t,[]{}", s[i+1]) >= 0)
}

// skip drops spaces, line breaks and comments between the parts of a value in brackets that began in a line.
func (p *parser) skip(s string, from int) string {
	for {
		if s = strings.TrimLeft(s, " \t"); s != "" && s[0] != '#' {
			return s
		}
		s = p.more(from)
	}
}
