package mcpskill

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/internal/skilldir"
	"github.com/mcpgen/mcpgen/mcp/mcprt"
)

// server answers the methods of the extension. It is not changed once it was made. Each file is a resource: a caller
// may know of the file if it may know of the resource.
type server struct {
	methods *mcprt.Guard
	err     error
	roots   []string           // the URIs of the outermost directories, in order
	skills  []skill            // in the order of their URIs
	byURI   map[string]int     // indexes into skills
	dirs    map[string][]child // the children of each directory, by its URI; in the order of their own URIs
}

// skill is a skill as clients get it, and the URIs of its files.
type skill struct {
	uri   string
	text  json.RawMessage
	files []string
}

// child is a file or a directory in a directory.
type child struct {
	entry protocol.Resource
	files []string // URIs; a caller may know of the child if it may know of one of them
}

// entry is a skill on the wire.
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

func newServer(methods *mcprt.Guard) *server {
	return &server{methods: methods, byURI: map[string]int{}, dirs: map[string][]child{}}
}

// extension returns the extension as the server declares it.
func (s *server) extension() mcprt.Extension {
	return mcprt.Extension{
		ID:       ID,
		Settings: func() (json.RawMessage, error) { return json.RawMessage(`{"directoryRead":true}`), s.err },
		Joins:    s,
		Methods: []mcprt.Method{
			{Name: methodList, Guard: s.methods, Undeclared: true, Call: s.list},
			{Name: methodGet, Guard: s.methods, Undeclared: true, Call: s.get},
			{Name: methodDir, Guard: s.methods, Undeclared: true, Call: s.directory},
		},
	}
}

// With implements mcprt.JoinableExtension.
func (s *server) With(other mcprt.JoinableExtension) (mcprt.Extension, error) {
	o, ok := other.(*server)
	if !ok {
		return mcprt.Extension{}, errors.New("an extension " + ID + " of another kind cannot be joined")
	}
	both := newServer(cmp.Or(s.methods, o.methods))
	both.roots = slices.Concat(s.roots, o.roots)
	both.skills = slices.Concat(s.skills, o.skills)
	maps.Copy(both.dirs, s.dirs)
	maps.Copy(both.dirs, o.dirs)
	both.finish()
	return both.extension(), both.err
}

// add adds the skills of a tree, whose frontmatter is given by path, and its directories.
func (s *server) add(t *skilldir.Tree, front map[string]json.RawMessage) error {
	s.roots = append(s.roots, t.URI)
	for _, k := range t.Skills {
		uri := k.Manifest.URI
		e, own := entry{URI: uri, Frontmatter: front[k.Manifest.Path]}, skill{uri: uri}
		for _, f := range k.Files {
			e.Resources = append(e.Resources, entryFile{f.URI, f.Digest, f.Size})
			own.files = append(own.files, f.URI)
		}
		text, err := json.Marshal(e)
		if err != nil {
			return err
		}
		own.text = text
		s.skills = append(s.skills, own)
	}
	for _, f := range t.Files {
		s.addChild(t.URI, f.URI, protocol.Resource{
			URI: f.URI, Name: f.Name, Description: f.Description, MIMEType: f.MIME, Size: &f.Size,
		})
	}
	return nil
}

// addChild adds e, which is a file or a directory that contains it, to the directory of e. It adds that directory to
// the one above it, and so on up to the root. file and root are URIs.
func (s *server) addChild(root, file string, e protocol.Resource) {
	dir := above(e.URI)
	list := s.dirs[dir]
	if len(list) == 0 || list[len(list)-1].entry.URI != e.URI { // files come in the order of their paths
		list = append(list, child{entry: e})
	}
	list[len(list)-1].files = append(list[len(list)-1].files, file)
	s.dirs[dir] = list
	if dir != root {
		s.addChild(root, file, protocol.Resource{URI: dir, Name: path.Base(dir), MIMEType: "inode/directory"})
	}
}

// above returns the URI of the directory that contains uri.
func above(uri string) string { return uri[:strings.LastIndexByte(uri, '/')] }

// finish sorts skills and directories, because cursors depend on their order. It sets s.err if one root lies in
// another, because all files in the directory of a skill belong to that skill.
func (s *server) finish() {
	slices.Sort(s.roots)
	for i, root := range s.roots {
		for _, o := range s.roots[i+1:] {
			if o == root || strings.HasPrefix(o, root+"/") {
				s.err = errors.Join(s.err,
					fmt.Errorf("there are skills at %s and, declared apart, at %s, which lies in it", root, o))
			}
		}
	}
	slices.SortFunc(s.skills, func(a, b skill) int { return strings.Compare(a.uri, b.uri) })
	for i, k := range s.skills {
		s.byURI[k.uri] = i
	}
	for _, list := range s.dirs {
		slices.SortFunc(list, func(a, b child) int { return strings.Compare(a.entry.URI, b.entry.URI) })
	}
}
