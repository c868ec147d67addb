// Package apppage makes the one HTML document of an app out of the files of a directory, and checks it. A host displays
// the document in a frame that has no network and no other files of the server, so that each file that the document
// refers to becomes a part of it: scripts and styles as elements, images and media as data: URLs.
//
// The generator checks apps with it, and servers with an app that is a directory assemble the document with it.
package apppage

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path"
	"regexp"
	"strings"

	"github.com/mcpgen/mcpgen/internal/mimetype"
)

// Index is the name of the document of a directory.
const Index = "index.html"

// Problem is one reason why a host cannot display a page.
type Problem struct {
	// Line is the line of the page, from 1.
	Line int
	// Message says what is wrong, and Fix what to write.
	Message, Fix string
}

// Remote is a reference of a page to another host.
type Remote struct {
	Line int
	// Origin is the scheme, host and port.
	Origin string
	// Frame says that it is displayed in a frame.
	Frame bool
}

// Page is what is known of a page.
type Page struct {
	// HTML is the document, with what it refers to.
	HTML     string
	Problems []Problem
	Remotes  []Remote
}

// Assemble reads the document Index in a directory of files, with what it refers to there.
func Assemble(files fs.FS, dir string) (string, error) {
	text, err := fs.ReadFile(files, path.Join(dir, Index))
	if err != nil {
		return "", err
	}
	p := Read(string(text), files, dir)
	var errs []error
	for _, x := range p.Problems {
		errs = append(errs, fmt.Errorf("%s:%d: %s", path.Join(dir, Index), x.Line, x.Message))
	}
	return p.HTML, errors.Join(errs...)
}

// Read reads a document. What it refers to is looked for in a directory of files; nil means that there are no others.
func Read(text string, files fs.FS, dir string) *Page {
	r := &reader{patterns: newPatterns(), page: text, files: files, dir: dir}
	tags, wrong := scan(text)
	if wrong != "" {
		r.problem(len(text), wrong, "close it")
	}
	if !isDocument(text) {
		r.problem(0, "the page is no HTML5 document: it does not begin with <!doctype html>", "<!doctype html>")
	}
	for i := range tags {
		r.tag(&tags[i])
	}
	return &Page{HTML: r.assembled(tags), Problems: r.problems, Remotes: r.remotes}
}

// isDocument reports whether a page begins with the document type of HTML5, behind comments.
func isDocument(text string) bool {
	text = strings.TrimLeft(strings.TrimPrefix(text, "\ufeff"), " \t\r\n\f")
	for strings.HasPrefix(text, "<!--") {
		_, rest, _ := strings.Cut(text, "-->")
		text = strings.TrimLeft(rest, " \t\r\n\f")
	}
	const doctype = "<!doctype html"
	return len(text) > len(doctype) && strings.EqualFold(text[:len(doctype)], doctype) &&
		(text[len(doctype)] == '>' || isSpace(text[len(doctype)]))
}

// reader reads one page.
type reader struct {
	patterns
	page     string
	files    fs.FS
	dir      string
	edits    []edit // in the order of the page
	deferred string // scripts that run when the document is there
	problems []Problem
	remotes  []Remote
}

// edit puts a text in the place of a part of the page.
type edit struct {
	from, to int
	text     string
}

func (r *reader) line(at int) int { return 1 + strings.Count(r.page[:at], "\n") }

func (r *reader) problem(at int, message, fix string) {
	r.problems = append(r.problems, Problem{Line: r.line(at), Message: message, Fix: fix})
}

// assembled is the page with all edits.
func (r *reader) assembled(tags []tag) string {
	if r.deferred != "" {
		end := len(r.page)
		for _, t := range tags {
			if t.name == "/body" {
				end = t.from
			}
		}
		i := len(r.edits)
		for i > 0 && r.edits[i-1].from > end {
			i--
		}
		r.edits = append(r.edits[:i:i], append([]edit{{end, end, r.deferred}}, r.edits[i:]...)...)
	}
	var b strings.Builder
	at := 0
	for _, e := range r.edits {
		b.WriteString(r.page[at:e.from])
		b.WriteString(e.text)
		at = e.to
	}
	b.WriteString(r.page[at:])
	return b.String()
}

// sources are the attributes with the addresses of files, by element.
var sources = map[string][]string{
	"img": {"src"}, "source": {"src"}, "audio": {"src"}, "video": {"src", "poster"}, "track": {"src"}, "input": {"src"},
	"iframe": {"src"}, "embed": {"src"}, "object": {"data"},
}

func (r *reader) tag(t *tag) {
	switch t.name {
	case "script":
		r.script(t)
		return
	case "style":
		r.edits = append(r.edits, edit{t.to, t.bodyTo, r.css(t.from, r.page[t.to:t.bodyTo], r.dir)})
		return
	case "link":
		r.link(t)
		return
	}
	if set, has := t.get("srcset"); has && set.value != "" {
		r.problem(t.from, "`srcset` names several files", "src= with one of them")
	}
	for _, name := range sources[t.name] {
		a, has := t.get(name)
		if !has || !r.local(t.from, a.value, t.name == "iframe") {
			continue
		}
		if t.name == "iframe" || t.name == "embed" || t.name == "object" {
			r.problem(t.from, fmt.Sprintf("`%s` cannot display the file %s: an app is one document", t.name, a.value),
				"put its content into the page")
		} else if data, ok := r.dataURL(t.from, r.dir, a.value); ok {
			r.edits = append(r.edits, edit{a.from, a.to, name + `="` + data + `"`})
		}
	}
}

// local reports whether an address is that of a file beside the page. Those of other hosts are noted.
func (r *reader) local(at int, address string, frame bool) bool {
	if strings.HasPrefix(address, "//") {
		address = "https:" + address
	}
	scheme, rest, absolute := strings.Cut(address, ":")
	if absolute && !strings.ContainsAny(scheme, "/?#") {
		if host, ok := strings.CutPrefix(rest, "//"); ok {
			host, _, _ = strings.Cut(host, "/")
			host, _, _ = strings.Cut(host, "?")
			host, _, _ = strings.Cut(host, "#")
			r.remotes = append(r.remotes,
				Remote{Line: r.line(at), Origin: strings.ToLower(scheme + "://" + host), Frame: frame})
		}
		return false
	}
	return address != "" && address[0] != '#'
}

// read returns a file that the page refers to from a directory.
func (r *reader) read(at int, dir, address string) (name, text string, ok bool) {
	name, _, _ = strings.Cut(address, "#")
	name, _, _ = strings.Cut(name, "?")
	if plain, err := url.PathUnescape(name); err == nil {
		name = plain
	}
	if r.files == nil {
		r.problem(at, fmt.Sprintf("the page refers to the file %s, which is not embedded with it", address),
			"embed the directory in an embed.FS")
		return name, "", false
	}
	name = path.Join(dir, name)
	if strings.HasPrefix(address, "/") || r.dir != "." && r.dir != "" && !strings.HasPrefix(name, r.dir+"/") {
		r.problem(at, fmt.Sprintf("%s is not below the directory of the page", address), "move the file there")
		return name, "", false
	}
	b, err := fs.ReadFile(r.files, name)
	if err != nil {
		r.problem(at, fmt.Sprintf("the page refers to the file %s, which is not embedded", address), "embed it")
		return name, "", false
	}
	return name, string(b), true
}

// dataURL is a file as an address.
func (r *reader) dataURL(at int, dir, address string) (string, bool) {
	name, text, ok := r.read(at, dir, address)
	if !ok {
		return "", false
	}
	kind := mimetype.ByName(name)
	if kind == "" {
		kind = "application/octet-stream"
	}
	return "data:" + kind + ";base64," + base64.StdEncoding.EncodeToString([]byte(text)), true
}

// patterns find parts of scripts and style sheets. They are compiled for each page, so that programs without apps do
// not contain them.
type patterns struct {
	// imports finds modules that a script imports from files.
	imports *regexp.Regexp
	// endScript finds what would end a script, or change how it is read, within its text, and endStyle the same.
	endScript, endStyle *regexp.Regexp
	cssURL, cssImport   *regexp.Regexp
}

func newPatterns() patterns {
	return patterns{
		imports:   regexp.MustCompile(`(?:^|[\s;}])(?:import|export)\b[^;"'()]*["'](\.{0,2}/[^"']*)["']`),
		endScript: regexp.MustCompile(`(?i)<(/script|!--)`),
		endStyle:  regexp.MustCompile(`(?i)</(style)`),
		cssURL:    regexp.MustCompile(`url\(\s*("[^"]*"|'[^']*'|[^"')\s]*)\s*\)`),
		cssImport: regexp.MustCompile(`@import\s+(?:url\(\s*)?["']?([^"')\s;]+)`),
	}
}

func (r *reader) script(t *tag) {
	src, has := t.get("src")
	kind, _ := t.get("type")
	body := r.page[t.to:t.bodyTo]
	local := has && r.local(t.from, src.value, false)
	if local {
		_, text, ok := r.read(t.from, r.dir, src.value)
		if !ok {
			return
		}
		body = text
	}
	if m := r.imports.FindStringSubmatch(body); m != nil && kind.value == "module" {
		r.problem(t.from, fmt.Sprintf("the script imports %s: an app is one document, without modules in files", m[1]),
			"put the modules into one file with a bundler")
	}
	if !local {
		return
	}
	body = r.endScript.ReplaceAllString(body, `<\$1`)
	start, waits := "<script", false
	for _, a := range t.attrs {
		switch a.name {
		case "src", "integrity", "crossorigin":
		case "defer", "async":
			waits = waits || kind.value != "module"
		default:
			start += " " + r.page[a.from:a.to]
		}
	}
	if waits {
		r.deferred += start + ">" + body + "</script>\n"
		r.edits = append(r.edits, edit{t.from, t.bodyTo, "<script>"})
		return
	}
	r.edits = append(r.edits, edit{t.from, t.bodyTo, start + ">" + body})
}

func (r *reader) link(t *tag) {
	rel, _ := t.get("rel")
	href, has := t.get("href")
	isStyle := strings.Contains(" "+strings.ToLower(rel.value)+" ", " stylesheet ")
	if !has || !isStyle || !r.local(t.from, href.value, false) {
		return
	}
	name, text, ok := r.read(t.from, r.dir, href.value)
	if !ok {
		return
	}
	start := "<style"
	if media, has := t.get("media"); has {
		start += " " + r.page[media.from:media.to]
	}
	r.edits = append(r.edits, edit{t.from, t.to, start + ">" + r.css(t.from, text, path.Dir(name)) + "</style>"})
}

// css is a style sheet with the files that it refers to from a directory.
func (r *reader) css(at int, text, dir string) string {
	for _, m := range r.cssImport.FindAllStringSubmatch(text, -1) {
		if r.local(at, m[1], false) {
			r.problem(at, fmt.Sprintf("a style sheet imports %s", m[1]), "refer to it with a link element of the page")
			return text
		}
	}
	text = r.cssURL.ReplaceAllStringFunc(text, func(whole string) string {
		address := strings.Trim(r.cssURL.FindStringSubmatch(whole)[1], `"'`)
		if !r.local(at, address, false) {
			return whole
		}
		data, ok := r.dataURL(at, dir, address)
		if !ok {
			return whole
		}
		return `url("` + data + `")`
	})
	return r.endStyle.ReplaceAllString(text, `<\/$1`)
}
