package apppage

import "strings"

// tag is one start tag, or the end tag of an element whose name begins with a slash.
type tag struct {
	name     string // in lower case
	from, to int    // of the whole tag
	attrs    []attr
	// bodyTo is where the text of a script or style ends, which begins at to; 0 for other elements.
	bodyTo int
}

// attr is an attribute; from and to are those of all of it, and its value has no entities that matter for addresses
// but &amp;.
type attr struct {
	name, value string
	from, to    int
}

// get returns the value of an attribute, and whether t has it.
func (t *tag) get(name string) (attr, bool) {
	for _, a := range t.attrs {
		if a.name == name {
			return a, true
		}
	}
	return attr{}, false
}

// scan returns the tags of a page, and what is wrong with it as a whole; "" for nothing.
func scan(page string) (tags []tag, wrong string) {
	at := strings.IndexByte(page, '<')
	for at >= 0 && at < len(page) {
		rest := page[at:]
		switch {
		case strings.HasPrefix(rest, "<!--"):
			end := strings.Index(rest[2:], "-->")
			if end < 0 {
				return tags, "a comment is not closed"
			}
			at += 2 + end + len("-->")
		case len(rest) > 1 && (isLetter(rest[1]) || rest[1] == '/' && len(rest) > 2 && isLetter(rest[2])):
			t, ok := readTag(page, at)
			if !ok {
				return tags, "a tag is not closed"
			}
			at = t.to
			if rawText(t.name) {
				end := indexFold(page[at:], "</"+t.name)
				if end < 0 {
					return tags, "the element `" + t.name + "` is not closed"
				}
				t.bodyTo = at + end
				at = t.bodyTo
			}
			tags = append(tags, t)
		default:
			at++
		}
		next := strings.IndexByte(page[min(at, len(page)):], '<')
		if next < 0 {
			break
		}
		at += next
	}
	return tags, ""
}

// rawText reports whether what an element contains is no markup.
func rawText(name string) bool {
	switch name {
	case "script", "style", "textarea", "title":
		return true
	}
	return false
}

// readTag reads the tag at a position. It is false if the tag has no end.
func readTag(page string, at int) (tag, bool) {
	t := tag{from: at}
	i := at + 1
	for i < len(page) && page[i] != '>' && !isSpace(page[i]) && (page[i] != '/' || i == at+1) {
		i++
	}
	t.name = strings.ToLower(page[at+1 : i])
	for {
		for i < len(page) && (isSpace(page[i]) || page[i] == '/') {
			i++
		}
		if i >= len(page) {
			return t, false
		}
		if page[i] == '>' {
			t.to = i + 1
			return t, true
		}
		a := readAttr(page, i)
		if a.to <= i {
			return t, false
		}
		t.attrs = append(t.attrs, a)
		i = a.to
	}
}

// readAttr reads the attribute at a position. Its to is that position if it has no end.
func readAttr(page string, at int) attr {
	i := at + 1
	for i < len(page) && page[i] != '=' && page[i] != '>' && page[i] != '/' && !isSpace(page[i]) {
		i++
	}
	a := attr{name: strings.ToLower(page[at:i]), from: at, to: i}
	k := i
	for k < len(page) && isSpace(page[k]) {
		k++
	}
	if k >= len(page) || page[k] != '=' {
		return a
	}
	for k++; k < len(page) && isSpace(page[k]); k++ {
	}
	if k >= len(page) {
		a.to = at
		return a
	}
	if quote := page[k]; quote == '"' || quote == '\'' {
		end := strings.IndexByte(page[k+1:], quote)
		if end < 0 {
			a.to = at
			return a
		}
		a.value, a.to = page[k+1:k+1+end], k+1+end+1
	} else {
		end := k
		for end < len(page) && page[end] != '>' && !isSpace(page[end]) {
			end++
		}
		a.value, a.to = page[k:end], end
	}
	a.value = strings.TrimSpace(strings.ReplaceAll(a.value, "&amp;", "&"))
	return a
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' }

// indexFold is strings.Index for ASCII letters of either case.
func indexFold(s, sub string) int {
	for i := 0; i+len(sub) <= len(s); i++ {
		if strings.EqualFold(s[i:i+len(sub)], sub) {
			return i
		}
	}
	return -1
}
