package apppage

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
)

// module is what a script imports from another one.
type module struct {
	// name is the text between the quotes.
	name string
	// dynamic says that it is imported when the script gets there, if at all.
	dynamic bool
}

// lexer finds the imports of a script. It reads only as much of the language as it needs to tell comments, texts and
// regular expressions.
type lexer struct {
	text string
	// open has the brackets that are open; a backquote stands for the ${ of a template, and an i for the ( behind if.
	open []byte
	// control says that the last token was if, while, for or with, whose ) ends no value.
	control bool
	// value says that a value has just ended, so that a slash divides it.
	value bool
	found []module
}

// modulesOf returns the modules that a script imports.
func modulesOf(text string) []module {
	if !strings.Contains(text, "import") && !strings.Contains(text, "export") {
		return nil
	}
	l := &lexer{text: text}
	for i := 0; i < len(text); {
		i = l.token(i)
	}
	return l.found
}

// token reads what begins at a position, and returns where it ends.
func (l *lexer) token(i int) int {
	c, control := l.text[i], l.control
	switch {
	case isSpace(c):
		return i + 1
	case c == '/':
		return l.slash(i)
	}
	l.control = false
	switch {
	case isQuote(c):
		l.value = true
		_, end := quoted(l.text, i)
		return max(end, i+1)
	case c == '`':
		return l.template(i + 1)
	case isWord(c) || c == '\\':
		return l.word(i)
	case c == '(' && control:
		l.open = append(l.open, 'i')
	case c == '(' || c == '[' || c == '{':
		l.open = append(l.open, c)
	case c == ')' || c == ']' || c == '}':
		return l.close(i)
	}
	l.value = false
	return i + 1
}

// close reads a closing bracket.
func (l *lexer) close(i int) int {
	last := byte(0)
	if n := len(l.open); n > 0 {
		last, l.open = l.open[n-1], l.open[:n-1]
	}
	if last == '`' && l.text[i] == '}' {
		return l.template(i + 1)
	}
	l.value = l.text[i] != '}' && last != 'i'
	return i + 1
}

// slash reads a comment, a regular expression or a division.
func (l *lexer) slash(i int) int {
	rest := l.text[i:]
	switch {
	case strings.HasPrefix(rest, "//"):
		return behind(l.text, i, "\n")
	case strings.HasPrefix(rest, "/*"):
		return behind(l.text, i+2, "*/")
	case l.value:
		l.value = false
		return i + 1
	}
	class := false
	for k := 1; k < len(rest) && rest[k] != '\n'; k++ {
		switch rest[k] {
		case '\\':
			k++
		case '[':
			class = true
		case ']':
			class = false
		case '/':
			if !class {
				l.value = true
				return i + k + 1
			}
		}
	}
	return i + 1
}

// template reads a text in backquotes to its end, or to an expression in it.
func (l *lexer) template(i int) int {
	for ; i < len(l.text); i++ {
		switch {
		case l.text[i] == '\\':
			i++
		case l.text[i] == '`':
			l.value = true
			return i + 1
		case strings.HasPrefix(l.text[i:], "${"):
			l.open = append(l.open, '`')
			l.value = false
			return i + 2
		}
	}
	return len(l.text)
}

// word reads a name, a number or a keyword; after import, what is imported.
func (l *lexer) word(i int) int {
	end := span(l.text, i, func(c byte) bool { return isWord(c) || c == '\\' })
	member := i > 0 && l.text[i-1] == '.' && (i < 2 || l.text[i-2] != '.')
	l.value = true
	if member {
		return end
	}
	switch l.text[i:end] {
	case "return", "typeof", "case", "in", "of", "delete", "void", "throw", "new", "else", "do", "instanceof", "await",
		"yield":
		l.value = false
	case "if", "while", "for", "with":
		l.control = true
	case "import":
		l.imports(end)
	case "export":
		if at := l.skip(end); at < len(l.text) && (l.text[at] == '*' || l.text[at] == '{') {
			l.static(at)
		}
	}
	return end
}

// imports notes what a keyword that ends at a position imports.
func (l *lexer) imports(end int) {
	at := l.skip(end)
	if at == len(l.text) {
		return
	}
	switch c := l.text[at]; {
	case c == '(':
		if at = l.skip(at + 1); at < len(l.text) && isQuote(l.text[at]) {
			name, to := quoted(l.text, at)
			if to = l.skip(to); to < len(l.text) && (l.text[to] == ')' || l.text[to] == ',') {
				l.found = append(l.found, module{name: name, dynamic: true})
			}
		}
	case isSpace(l.text[end]) || isQuote(c) || c == '{' || c == '*':
		l.static(at)
	}
}

// static notes the module of an import or export whose clause begins at a position. It stands outside of all brackets.
func (l *lexer) static(at int) {
	if len(l.open) > 0 {
		return
	}
	if isQuote(l.text[at]) {
		name, _ := quoted(l.text, at)
		l.found = append(l.found, module{name: name})
		return
	}
	for at < len(l.text) {
		switch c := l.text[at]; {
		case isQuote(c):
			_, at = quoted(l.text, at)
		case isSpace(c) || c == '{' || c == '}' || c == ',' || c == '*':
			at++
		case isWord(c):
			from := at
			at = span(l.text, at, isWord)
			if next := l.skip(at); l.text[from:at] == "from" && next < len(l.text) && isQuote(l.text[next]) {
				name, _ := quoted(l.text, next)
				l.found = append(l.found, module{name: name})
				return
			}
		default:
			return
		}
	}
}

// skip returns where the next token begins, behind spaces and comments.
func (l *lexer) skip(i int) int {
	for {
		i = skipSpace(l.text, i)
		if i+1 >= len(l.text) || l.text[i] != '/' || l.text[i+1] != '/' && l.text[i+1] != '*' {
			return i
		}
		i = l.slash(i)
	}
}

// isScript reports whether browsers run script elements of a type in lower case.
func isScript(kind string) bool {
	switch kind {
	case "", "module", "text/javascript", "application/javascript", "text/ecmascript", "application/ecmascript",
		"application/x-javascript", "text/jscript", "text/livescript", "text/x-javascript", "text/x-ecmascript":
		return true
	}
	return false
}

// script makes a script of a file a part of the page, and checks what modules import.
func (r *reader) script(t *tag) {
	src, has := t.get("src")
	if href, ok := t.get("href"); t.foreign && ok {
		src, has = href, true
	}
	attr, _ := t.get("type")
	kind, body := strings.ToLower(strings.TrimSpace(attr.value)), r.page[t.to:max(t.to, t.bodyTo)]
	switch {
	case kind == "importmap" && has:
		r.problem(t.from, "browsers read no import maps from files", "put the map into the page")
		return
	case kind == "importmap":
		r.importMap(t, body)
		return
	case !isScript(kind):
		return
	}
	if has {
		if !r.local(t.from, src.value, false) {
			return
		}
		_, text, ok := r.text(t.from, r.base, src.value)
		if !ok {
			return
		}
		if t.foreign {
			r.problem(t.from, "a script in an image cannot be in a file", "write it outside of the image")
			return
		}
		body = text
	}
	if kind == "module" {
		r.modules(t, body)
	} else {
		r.dynamic(t, modulesOf(body))
	}
	if has {
		r.inline(t, kind == "module", body)
	}
}

// inline puts the text of a file into an element script. Classic scripts that wait for the document move to its end.
func (r *reader) inline(t *tag, isModule bool, body string) {
	body = replaceFold(replaceFold(body, "</script", `\x3C/script`), "<!--", `\x3C!--`)
	start := "<script" + r.attributes(t, "src", "integrity", "crossorigin", "defer", "async")
	_, deferred := t.get("defer")
	_, async := t.get("async")
	if (deferred || async) && !isModule {
		r.deferred += start + ">" + body + "</script>\n"
		r.edit(t.from, t.bodyTo, "<script>")
		return
	}
	r.edit(t.from, t.bodyTo, start+">"+body)
}

// importMap reads an import map, which gives modules names in place of addresses.
func (r *reader) importMap(t *tag, body string) {
	var m struct{ Imports map[string]string }
	if err := json.Unmarshal([]byte(body), &m); err != nil {
		r.problem(t.from, "the import map is no JSON: "+err.Error(), `{"imports": {"name": "https://…"}}`)
		return
	}
	maps.Copy(r.mapped, m.Imports)
}

// modules checks what a module imports. Browsers load modules by address only, and a page has no files.
func (r *reader) modules(t *tag, body string) {
	all := modulesOf(body)
	for _, m := range all {
		if m.dynamic {
			continue
		}
		var why string
		switch address, named := r.addressOf(m.name); {
		case !named:
			why = ", which no import map of the page names"
		case r.local(t.from, address, false):
			why = ": an app is one document, without modules in files"
		default:
			continue
		}
		r.problem(t.from, "the script imports "+m.name+why, "put the modules into one file with a bundler")
		return
	}
	r.dynamic(t, all)
}

// dynamic advises about files that a script imports when it gets there.
func (r *reader) dynamic(t *tag, all []module) {
	for _, m := range all {
		if m.dynamic && isAddress(m.name) && r.local(t.from, m.name, false) {
			r.advise(t.from, fmt.Sprintf("the script imports %s when it gets there, and an app has no other files", m.name),
				"let the bundler write one file, without code splitting")
			return
		}
	}
}

// isAddress reports whether the name of a module is an address, rather than a name of an import map.
func isAddress(name string) bool {
	return strings.HasPrefix(name, "./") || strings.HasPrefix(name, "../") || strings.HasPrefix(name, "/") ||
		schemeOf(name) != ""
}

// addressOf returns the address of a module, which its name is, or which the import maps of the page have for it. The
// longest prefix of the name counts.
func (r *reader) addressOf(name string) (to string, found bool) {
	if isAddress(name) {
		return name, true
	}
	if address, ok := r.mapped[name]; ok {
		return address, true
	}
	longest := ""
	for prefix, address := range r.mapped {
		if rest, ok := strings.CutPrefix(name, prefix); ok && strings.HasSuffix(prefix, "/") && len(prefix) > len(longest) {
			to, longest = address+rest, prefix
		}
	}
	return to, longest != ""
}
