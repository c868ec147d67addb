// Package mcpskill is for generated code of servers with skills (extension io.modelcontextprotocol/skills). Other
// servers are not linked with it.
package mcpskill

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/internal/skilldir"
	"github.com/mcpgen/mcpgen/mcp/mcprt"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// ID is the identifier of the extension.
const ID = "io.modelcontextprotocol/skills"

const (
	methodList = "skills/list"
	methodGet  = "skills/get"
	methodDir  = "resources/directory/read"
	// pageSize is how many skills, or files of a directory, are on one page.
	pageSize = 100
)

// Dir is a directory of embedded files with a skill.
type Dir struct {
	Files fs.FS
	// Dir is the path of the directory in Files, and URI the address that it has for clients.
	Dir, URI string
}

// File is the content of an embedded file of a skill.
func File(files fs.FS, name string) mcprt.Contents {
	b, err := fs.ReadFile(files, name)
	switch {
	case err != nil:
		return mcprt.Blob(nil) // the output is older than the files
	case skilldir.IsText(name, b):
		return mcprt.TextBytes(b)
	}
	return mcprt.Blob(b)
}

// Extension returns the extension of a server with the skills of some directories, for callers whom guard admits. What
// is wrong with the skills, which mcpgen reports before, is an error of its settings.
func Extension(guard *mcprt.Guard, dirs ...Dir) mcprt.Extension {
	s := &server{byURI: map[string]int{}, children: map[string][]protocol.Resource{}}
	err := s.read(dirs)
	return mcprt.Extension{
		ID:       ID,
		Settings: func() (json.RawMessage, error) { return json.RawMessage(`{"directoryRead":true}`), err },
		Methods: []mcprt.Method{
			{Name: methodList, Guard: guard, Undeclared: true, Call: s.list},
			{Name: methodGet, Guard: guard, Undeclared: true, Call: s.get},
			{Name: methodDir, Guard: guard, Undeclared: true, Call: s.directory},
		},
	}
}

// server answers the methods. It is not changed once it was made.
type server struct {
	entries  []json.RawMessage
	byURI    map[string]int
	children map[string][]protocol.Resource // of directories, by their URIs
}

// entry is a skill as clients get it.
type entry struct {
	URI         string          `json:"uri"`
	Frontmatter json.RawMessage `json:"frontmatter"`
	Resources   []entryFile     `json:"resources"`
}

type entryFile struct {
	URI    string `json:"uri"`
	Digest string `json:"digest"`
	Size   int64  `json:"size"`
}

func (s *server) read(dirs []Dir) error {
	for _, d := range dirs {
		files := map[string][]byte{}
		err := fs.WalkDir(d.Files, d.Dir, func(name string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			rel := strings.TrimPrefix(strings.TrimPrefix(name, d.Dir), "/")
			files[rel], err = fs.ReadFile(d.Files, name)
			return err
		})
		if err != nil {
			return err
		}
		tree, problems := skilldir.Read(files, d.URI)
		for _, p := range problems {
			if !p.Advice {
				return fmt.Errorf("%s: %w", d.Dir, p)
			}
		}
		if err := s.add(tree); err != nil {
			return err
		}
	}
	return nil
}

// add adds the skills of a tree, and its directories.
func (s *server) add(t *skilldir.Tree) error {
	for _, k := range t.Skills {
		front, err := json.Marshal(k.Frontmatter)
		if err != nil {
			return err
		}
		e := entry{URI: k.URI, Frontmatter: front}
		for _, f := range k.Files {
			e.Resources = append(e.Resources, entryFile{f.URI, f.Digest, f.Size})
		}
		text, err := json.Marshal(e)
		if err != nil {
			return err
		}
		s.byURI[k.URI] = len(s.entries)
		s.entries = append(s.entries, text)
	}
	s.children[t.URI] = nil
	for _, f := range t.Files {
		s.addDirs(t.URI, f.URI[:strings.LastIndexByte(f.URI, '/')])
		s.addChild(protocol.Resource{URI: f.URI, Name: f.Name, Description: f.Description, MIMEType: f.MIME, Size: &f.Size})
	}
	return nil
}

// addDirs adds a directory below a root, and those that it lies in.
func (s *server) addDirs(root, uri string) {
	if _, known := s.children[uri]; known || len(uri) <= len(root) {
		return
	}
	s.addDirs(root, uri[:strings.LastIndexByte(uri, '/')])
	s.children[uri] = nil
	s.addChild(protocol.Resource{URI: uri, Name: path.Base(uri), MIMEType: "inode/directory"})
}

func (s *server) addChild(r protocol.Resource) {
	dir := r.URI[:strings.LastIndexByte(r.URI, '/')]
	s.children[dir] = append(s.children[dir], r)
}

// params are those of all three methods.
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

// cached are the members of a result that clients may cache: for no time, because a new version of the server may have
// other files.
const cached = `"ttlMs":0,"cacheScope":"private"`

func (s *server) list(c *mcprt.Call, text []byte) (json.RawMessage, error) {
	p, err := readParams(text)
	if err != nil {
		return nil, err
	}
	b, err := appendPage([]byte(`{"skills":[`), s.entries, p.Cursor)
	return end(b, c), err
}

func (s *server) get(c *mcprt.Call, text []byte) (json.RawMessage, error) {
	p, err := readParams(text)
	if err != nil {
		return nil, err
	}
	i, ok := s.byURI[p.URI]
	if !ok {
		return nil, invalid("no skill has the uri " + strconv.Quote(p.URI))
	}
	return end(append([]byte(`{"skill":`), s.entries[i]...), c), nil
}

func (s *server) directory(c *mcprt.Call, text []byte) (json.RawMessage, error) {
	p, err := readParams(text)
	if err != nil {
		return nil, err
	}
	children, ok := s.children[p.URI]
	if !ok {
		return nil, invalid("no directory has the uri " + strconv.Quote(p.URI))
	}
	list := make([]json.RawMessage, len(children))
	for i := range children {
		list[i] = children[i].AppendJSON(nil, c.Revision())
	}
	b, err := appendPage([]byte(`{"resources":[`), list, p.Cursor)
	return append(b, '}'), err
}

// end ends a result that clients may cache; older revisions have no members for that.
func end(b []byte, c *mcprt.Call) json.RawMessage {
	if mcprt.HasCacheHints(c) {
		b = append(append(b, ','), cached...)
	}
	return append(b, '}')
}

// appendPage appends the items from a cursor on, the end of their array, and the cursor of what follows. Cursors are
// numbers: the lists of a program never change.
func appendPage(b []byte, list []json.RawMessage, cursor string) ([]byte, error) {
	from := 0
	if cursor != "" {
		n, err := strconv.Atoi(cursor)
		if err != nil || n <= 0 || n >= len(list) || n%pageSize != 0 {
			return nil, invalid("the cursor is not one of this list")
		}
		from = n
	}
	to := min(from+pageSize, len(list))
	for i, item := range list[from:to] {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, item...)
	}
	b = append(b, ']')
	if to < len(list) {
		b = append(append(append(b, `,"nextCursor":"`...), strconv.Itoa(to)...), '"')
	}
	return b, nil
}
