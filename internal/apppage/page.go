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
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/internal/mimetype"
)

// Index is the name of the document in a directory.
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
	// Frame says that it is displayed in a frame, and Base that relative addresses begin there.
	Frame, Base bool
}

// Page is the result of reading a page.
type Page struct {
	// HTML is the document, with what it refers to.
	HTML     string
	Problems []Problem
	// Advice is about what hosts block, while they display the rest.
	Advice  []Problem
	Remotes []Remote
}

// Assemble reads the document Index in a directory, and makes the files that it refers to parts of it.
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

// Read reads a document. It looks in dir for the files that it refers to; a nil files means that there are none.
func Read(text string, files fs.FS, dir string) *Page {
	text = strings.TrimPrefix(text, bom)
	r := &reader{page: text, files: files, dir: path.Clean(dir), base: path.Clean(dir), mapped: map[string]string{}}
	if !utf8.ValidString(text) {
		r.problem(0, "the page is not in UTF-8", "save it in UTF-8")
	} else if !isDocument(text) {
		r.problem(0, "the page is no HTML5 document: it does not begin with <!doctype html>", "<!doctype html>")
	}
	s := scan(text)
	if s.wrong != "" {
		r.problem(s.wrongAt, s.wrong, "close it")
	}
	for _, t := range s.tags {
		if t.name == "base" && !t.foreign && r.setBase(t) {
			break
		}
	}
	for _, t := range s.tags {
		r.tag(t)
	}
	return &Page{HTML: r.assembled(s.tags), Problems: r.problems, Advice: r.advice, Remotes: r.remotes}
}

// bom may stand before a text in a file. In the middle of a document it would be a part of it.
const bom = "\ufeff"

// isDocument reports whether a page begins with the document type of HTML5, behind comments.
func isDocument(text string) bool {
	text = strings.TrimLeft(text, " \t\r\n\f")
	for strings.HasPrefix(text, "<!--") {
		end := new(scanner{page: text}).comment(0)
		text = strings.TrimLeft(text[end:], " \t\r\n\f")
	}
	const doctype = "<!doctype html"
	return hasFold(text, doctype) && len(text) > len(doctype) &&
		(text[len(doctype)] == '>' || isSpace(text[len(doctype)]))
}

// reader reads one page.
type reader struct {
	page  string
	files fs.FS
	dir   string
	// base is the directory to which the addresses of the page are relative, and remote the origin if that is on another
	// host.
	base, remote string
	mapped       map[string]string // what import maps name
	edits        []edit
	deferred     string // scripts that run when the document is there
	problems     []Problem
	advice       []Problem
	remotes      []Remote
}

// edit replaces a part of the page by a text.
type edit struct {
	from, to int
	text     string
}

func (r *reader) edit(from, to int, text string) { r.edits = append(r.edits, edit{from, to, text}) }

func (r *reader) line(at int) int { return 1 + strings.Count(r.page[:at], "\n") }

func (r *reader) problem(at int, message, fix string) {
	r.problems = append(r.problems, Problem{Line: r.line(at), Message: message, Fix: fix})
}

func (r *reader) advise(at int, message, fix string) {
	r.advice = append(r.advice, Problem{Line: r.line(at), Message: message, Fix: fix})
}

// assembled returns the page with all edits.
func (r *reader) assembled(tags []*tag) string {
	if r.deferred != "" {
		end := len(r.page)
		for _, t := range tags {
			if t.name == "/body" {
				end = t.from
			}
		}
		r.edit(end, end, r.deferred)
	}
	slices.SortStableFunc(r.edits, func(a, b edit) int { return a.from - b.from })
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

// setBase notes the base of the relative addresses of the page. It returns false if the element does not set it.
func (r *reader) setBase(t *tag) bool {
	href, has := t.get("href")
	if !has {
		return false
	}
	if !r.local(t.from, href.value, false) {
		if n := len(r.remotes); n > 0 {
			r.remotes[n-1].Base = true
			r.remote = r.remotes[n-1].Origin
		}
		return true
	}
	dir, _ := path.Split(strings.TrimSpace(href.value))
	r.base = path.Join(r.dir, dir) // with a slash before it too, see read
	return true
}

// schemeOf returns the scheme of an address, in lower case; "" for a relative one.
func schemeOf(address string) string {
	scheme, _, found := strings.Cut(address, ":")
	if !found || scheme == "" || !isLetter(scheme[0]) || strings.ContainsFunc(scheme, func(c rune) bool {
		return c >= utf8.RuneSelf || !isLetter(byte(c)) && (c < '0' || '9' < c) && c != '+' && c != '-' && c != '.'
	}) {
		return ""
	}
	return strings.ToLower(scheme)
}

// cleanURL returns an address as browsers read it: without spaces around it, and without line ends and tabs.
func cleanURL(s string) string {
	return strings.NewReplacer("\n", "", "\r", "", "\t", "").Replace(strings.TrimSpace(s))
}

// local reports whether an address refers to a file beside the page. It notes addresses of other hosts.
func (r *reader) local(at int, address string, frame bool) bool {
	address = cleanURL(address)
	if strings.HasPrefix(address, "//") {
		address = "https:" + address
	}
	scheme := schemeOf(address)
	switch {
	case scheme == "file":
		r.problem(at, fmt.Sprintf("%s is a file of this computer", address), "embed it beside the page")
		return false
	case scheme != "":
		if host, ok := strings.CutPrefix(address[len(scheme)+1:], "//"); ok {
			if end := strings.IndexAny(host, `/\?#`); end >= 0 {
				host = host[:end]
			}
			if scheme == "https" {
				host = strings.TrimSuffix(host, ":443")
			}
			r.remotes = append(r.remotes, Remote{Line: r.line(at), Origin: scheme + "://" + strings.ToLower(host), Frame: frame})
		}
		return false
	case address == "" || address[0] == '#':
		return false
	case r.remote != "":
		r.remotes = append(r.remotes, Remote{Line: r.line(at), Origin: r.remote, Frame: frame})
		return false
	}
	return true
}

// read returns a file that the page refers to from a directory. An address that begins with a slash is relative to the
// directory of the page, which bundlers take for the root of a host.
func (r *reader) read(at int, dir, address string) (name, text string, ok bool) {
	address = cleanURL(address)
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
	if rest, rooted := strings.CutPrefix(name, "/"); rooted {
		name = path.Join(r.dir, rest)
	} else {
		name = path.Join(dir, name)
	}
	if name == ".." || strings.HasPrefix(name, "../") || r.dir != "." && !strings.HasPrefix(name, r.dir+"/") {
		r.problem(at, fmt.Sprintf("%s is not below the directory of the page", address), "move the file there")
		return name, "", false
	}
	b, err := fs.ReadFile(r.files, name)
	if err != nil {
		fix := "embed it"
		if base := path.Base(name); base[0] == '_' || base[0] == '.' {
			fix = "//go:embed all:" + path.Base(r.dir) + ", for names that begin with _ or ."
		}
		r.problem(at, fmt.Sprintf("the page refers to the file %s, which is not embedded", address), fix)
		return name, "", false
	}
	return name, string(b), true
}

// text is read for a script or a style sheet.
func (r *reader) text(at int, dir, address string) (name, text string, ok bool) {
	name, text, ok = r.read(at, dir, address)
	if ok && !utf8.ValidString(text) {
		r.problem(at, fmt.Sprintf("the file %s is not in UTF-8", address), "save it in UTF-8")
		return name, "", false
	}
	return name, strings.TrimPrefix(text, bom), ok
}

// dataURL returns a file as a data: URL, with the fragment of the address.
func (r *reader) dataURL(at int, dir, address string) (string, bool) {
	name, text, ok := r.read(at, dir, address)
	if !ok {
		return "", false
	}
	kind := mimetype.ByName(name)
	if kind == "" {
		kind = "application/octet-stream"
	}
	data := "data:" + kind + ";base64," + base64.StdEncoding.EncodeToString([]byte(text))
	_, part, _ := strings.Cut(cleanURL(address), "#")
	if part == "" || strings.ContainsAny(part, " \"'()<>\\") {
		return data, true
	}
	return data + "#" + part, true
}
