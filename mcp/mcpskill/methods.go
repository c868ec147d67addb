package mcpskill

import (
	"encoding/json"
	"sort"
	"strconv"

	"github.com/mcpgen/mcpgen/mcp/mcprt"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// The bounds of a page. An entry is never split, so a page with one entry may be larger.
const (
	pageEntries = 100
	pageBytes   = 256 << 10
)

// params are the params of all three methods; each uses some of them.
type params struct {
	URI, Cursor string
}

func readParams(text []byte) (p params, err error) {
	d := wire.NewDecoder(text)
	for d.Object(); d.Next(); {
		switch string(d.Name()) {
		case "uri":
			p.URI = d.String()
		case "cursor":
			p.Cursor = d.String()
		default:
			d.Skip()
		}
	}
	if err := d.Err(); err != nil {
		return p, invalid(err.Error())
	}
	return p, nil
}

func invalid(message string) error {
	return wire.NewError(wire.CodeInvalidParams, "invalid params: "+message)
}

// cached has the members of a result that forbid clients to cache it, because a new version of the server may have
// other files.
const cached = `"ttlMs":0,"cacheScope":"private"`

func (s *server) list(c *mcprt.Call, text []byte) (json.RawMessage, error) {
	p, err := readParams(text)
	if err != nil {
		return nil, err
	}
	known := mcprt.MayKnow(c)
	page := pageOf{
		list: methodList, n: len(s.skills),
		name:  func(i int) string { return s.skills[i].uri },
		known: func(i int) (bool, error) { return s.knows(known, i) },
		entry: func(b []byte, i int) []byte { return append(b, s.skills[i].text...) },
	}
	b, err := page.append([]byte(`{"skills":[`), c, p.Cursor)
	if err != nil {
		return nil, err
	}
	return end(b, c), nil
}

// knows reports whether a caller may know of the skill with index i: of all its files, because an entry lists all.
// mayKnow says whether the caller may know of one resource.
func (s *server) knows(mayKnow func(uri string) (bool, error), i int) (bool, error) {
	for _, uri := range s.skills[i].files {
		if ok, err := mayKnow(uri); !ok || err != nil {
			return false, err
		}
	}
	return true, nil
}

func (s *server) get(c *mcprt.Call, text []byte) (json.RawMessage, error) {
	p, err := readParams(text)
	if err != nil {
		return nil, err
	}
	i, ok := s.byURI[p.URI]
	if ok {
		if ok, err = s.knows(mcprt.MayKnow(c), i); err != nil {
			return nil, err
		}
	}
	if !ok {
		return nil, invalid("no skill has the uri " + strconv.Quote(p.URI))
	}
	return end(append([]byte(`{"skill":`), s.skills[i].text...), c), nil
}

func (s *server) directory(c *mcprt.Call, text []byte) (json.RawMessage, error) {
	p, err := readParams(text)
	if err != nil {
		return nil, err
	}
	known := mcprt.MayKnow(c)
	children := s.dirs[p.URI]
	page := pageOf{
		list: methodDir + " " + p.URI, n: len(children),
		name:  func(i int) string { return children[i].entry.URI },
		known: func(i int) (bool, error) { return children[i].known(known) },
		entry: func(b []byte, i int) []byte { return children[i].entry.AppendJSON(b, c.Revision()) },
	}
	if ok, err := page.any(); !ok || err != nil {
		if err == nil {
			err = invalid("no directory has the uri " + strconv.Quote(p.URI))
		}
		return nil, err
	}
	b, err := page.append([]byte(`{"resources":[`), c, p.Cursor)
	if err != nil {
		return nil, err
	}
	return end(b, c), nil
}

// known reports whether a caller may know of x: of the file or, for a directory, of one file in it. mayKnow says that
// for one resource.
func (x *child) known(mayKnow func(uri string) (bool, error)) (bool, error) {
	for _, uri := range x.files {
		if ok, err := mayKnow(uri); ok || err != nil {
			return ok, err
		}
	}
	return false, nil
}

// end ends a result, with the members cached if the revision has them.
func end(b []byte, c *mcprt.Call) json.RawMessage {
	if mcprt.HasCacheHints(c) {
		b = append(append(b, ','), cached...)
	}
	return append(b, '}')
}

// pageOf makes a page of a list whose entries are in the order of their names.
type pageOf struct {
	list  string // what cursors are bound to
	n     int
	name  func(i int) string
	known func(i int) (bool, error)
	entry func(b []byte, i int) []byte
}

// any reports whether the caller may know of an entry.
func (p *pageOf) any() (bool, error) {
	for i := range p.n {
		if ok, err := p.known(i); ok || err != nil {
			return ok, err
		}
	}
	return false, nil
}

// append appends to b the entries of the page that begins after cursor, the end of their array, and the cursor of the
// next page if there is one.
func (p *pageOf) append(b []byte, c *mcprt.Call, cursor string) ([]byte, error) {
	from, start := 0, len(b)
	if cursor != "" {
		last, err := mcprt.OpenCursor(c, p.list, cursor)
		if err != nil {
			return nil, err
		}
		from = sort.Search(p.n, func(i int) bool { return p.name(i) > last })
	}
	last := ""
	for i, room := from, min(pageEntries, mcprt.PageSize(c)); i < p.n; i++ {
		ok, err := p.known(i)
		switch {
		case err != nil:
			return nil, err
		case !ok:
			continue
		case last != "" && (room == 0 || len(b)-start >= pageBytes):
			b = append(b, `],"nextCursor":`...)
			return wire.AppendString(b, mcprt.SealCursor(c, p.list, last)), nil
		case last != "":
			b = append(b, ',')
		}
		b = p.entry(b, i)
		room--
		last = p.name(i)
	}
	return append(b, ']'), nil
}
