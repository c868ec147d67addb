package apppage

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// sources are the attributes with the addresses of files, by element.
var sources = map[string][]string{
	"img": {"src"}, "source": {"src"}, "audio": {"src"}, "video": {"src", "poster"}, "track": {"src"}, "input": {"src"},
	"iframe": {"src"}, "embed": {"src"}, "object": {"data"}, "image": {"href", "xlink:href"},
	"feimage": {"href", "xlink:href"}, "use": {"href", "xlink:href"},
}

// tag makes what an element refers to a part of the page.
func (r *reader) tag(t *tag) {
	if style, has := t.get("style"); has && strings.Contains(style.value, "(") {
		if css := r.css(t.from, style.value, r.base); css != style.value {
			r.edit(style.from, style.to, `style="`+escape(css)+`"`)
		}
	}
	switch t.name {
	case "script":
		r.script(t)
	case "style":
		if t.bodyTo > t.to {
			r.edit(t.to, t.bodyTo, r.css(t.from, r.page[t.to:t.bodyTo], r.base))
		}
	case "link":
		r.link(t)
	case "meta":
		if kind, _ := t.get("http-equiv"); strings.EqualFold(strings.TrimSpace(kind.value), "content-security-policy") {
			r.advise(t.from, "the page has a policy of its own, which may block what becomes a part of it", "remove the element")
		}
	default:
		r.sources(t)
	}
}

// sources makes the files of an element data: URLs.
func (r *reader) sources(t *tag) {
	if set, has := t.get("srcset"); has && (t.name == "img" || t.name == "source") {
		r.edit(set.from, set.to, `srcset="`+escape(r.srcset(t.from, set.value))+`"`)
	}
	plugin := t.name == "embed" || t.name == "object"
	for _, name := range sources[t.name] {
		a, has := t.get(name)
		if !has {
			continue
		}
		before := len(r.remotes)
		if !r.local(t.from, a.value, t.name == "iframe") {
			if plugin && len(r.remotes) > before {
				r.remotes = r.remotes[:before]
				r.advise(t.from, fmt.Sprintf("clients block `%s`, whatever the directive allows", t.name), "use img or iframe")
			}
			continue
		}
		switch {
		case plugin || t.name == "iframe":
			r.problem(t.from, fmt.Sprintf("`%s` cannot display the file %s: an app is one document", t.name, a.value),
				"put its content into the page")
		case t.name == "use":
			r.problem(t.from, fmt.Sprintf("`use` cannot display a part of the file %s: an app is one document", a.value),
				"put the symbol into the page")
		default:
			if data, ok := r.dataURL(t.from, r.base, a.value); ok {
				r.edit(a.from, a.to, name+`="`+escape(data)+`"`)
			}
		}
	}
}

// srcset returns a list of images for several sizes, with the files as addresses.
func (r *reader) srcset(at int, list string) string {
	var out []string
	for rest := list; ; {
		rest = strings.TrimLeft(rest, " \t\r\n\f,")
		if rest == "" {
			return strings.Join(out, ", ")
		}
		end := strings.IndexAny(rest, " \t\r\n\f")
		if end < 0 {
			end = len(rest)
		}
		address, size := rest[:end], ""
		rest = rest[end:]
		if short := strings.TrimRight(address, ","); short != address {
			address = short
		} else {
			size, rest, _ = strings.Cut(rest, ",")
		}
		if r.local(at, address, false) {
			if data, ok := r.dataURL(at, r.base, address); ok {
				address = data
			}
		}
		out = append(out, strings.TrimSpace(address+" "+strings.TrimSpace(size)))
	}
}

// link makes a style sheet a part of the page. Links that only announce what will be loaded are left out, and so are
// icons.
func (r *reader) link(t *tag) {
	attr, _ := t.get("rel")
	href, has := t.get("href")
	rel := map[string]bool{}
	for word := range strings.FieldsSeq(strings.ToLower(attr.value)) {
		rel[word] = true
	}
	if !has {
		return
	}
	if !rel["stylesheet"] || rel["alternate"] {
		r.hint(t, rel, href.value)
		return
	}
	if !r.local(t.from, href.value, false) {
		return
	}
	name, text, ok := r.text(t.from, r.base, href.value)
	if !ok {
		return
	}
	attrs := r.attributes(t, "href", "rel", "integrity", "crossorigin", "type", "as")
	r.edit(t.from, t.to, "<style"+attrs+">"+r.css(t.from, text, path.Dir(name))+"</style>")
}

// attributes returns the attributes of an element as they stand in the page, each behind a space, but for some.
func (r *reader) attributes(t *tag, without ...string) string {
	var out strings.Builder
	for _, a := range t.attrs {
		if !slices.Contains(without, a.name) {
			out.WriteString(" " + r.page[a.from:a.to])
		}
	}
	return out.String()
}

// hint handles a link that is no style sheet.
func (r *reader) hint(t *tag, rel map[string]bool, href string) {
	hints := rel["preload"] || rel["modulepreload"] || rel["prefetch"] || rel["icon"] || rel["manifest"] ||
		rel["apple-touch-icon"] || rel["mask-icon"]
	before := len(r.remotes)
	if !hints || !r.local(t.from, href, false) {
		r.remotes = r.remotes[:before]
		return
	}
	if _, runs := t.get("onload"); runs && rel["preload"] {
		r.problem(t.from, fmt.Sprintf("a script makes a style sheet of the preloaded file %s", href), "rel=stylesheet")
		return
	}
	r.edit(t.from, t.to, "")
}
