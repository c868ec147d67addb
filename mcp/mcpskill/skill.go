package mcpskill

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
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
)

// Skills are the embedded files of one declaration, and who may read them.
type Skills struct {
	// Files has the directories.
	Files fs.FS
	// Dirs are the outermost directories with a skill.
	Dirs []Dir
	// Guard, Revisions, Tags, Cache and Annotations are for the resources: each file is one.
	Guard       *mcprt.Guard
	Revisions   mcprt.RevisionRange
	Tags        []string
	Cache       mcprt.Cache
	Annotations *protocol.Annotations
}

// Dir is a directory with a skill.
type Dir struct {
	// Path is the path of the directory in the embedded files. URI is its address for clients.
	Path, URI string
	// Manifests are the SKILL.md in the directory.
	Manifests []Manifest
}

// Manifest is a SKILL.md as it was when the code was generated.
type Manifest struct {
	// Path is relative to the directory.
	Path string
	// Frontmatter is JSON. Digest is the one of the lines that it was read from.
	Frontmatter, Digest string
}

// Add adds skills to f, and returns f. It adds a resource for each embedded file, and the extension that lists the
// skills. The guard in methods is for the methods of the extension. Lists, digests and contents are made from the
// embedded files, so that they always agree; frontmatter was read when the code was generated. If a SKILL.md has
// another one since, or was added or removed, the constructor of the server fails.
func Add(f *mcprt.Features, methods *mcprt.Guard, all ...Skills) *mcprt.Features {
	s := newServer(methods)
	for _, k := range all {
		for _, d := range k.Dirs {
			if err := s.addDir(f, &k, d); err != nil {
				s.err = errors.Join(s.err, fmt.Errorf("%s: %w", d.Path, err))
			}
		}
	}
	s.finish()
	x := s.extension()
	mcprt.AddExtension(f, &x)
	return f
}

// resource returns the resource by which clients read a file.
func (k *Skills) resource(f *skilldir.File, content []byte) mcprt.Resource {
	r := mcprt.Resource{
		Entry: &protocol.Resource{
			URI: f.URI, Name: f.Name, Description: f.Description, MIMEType: f.MIME, Size: &f.Size, Annotations: k.Annotations,
		},
		Extension: ID, Guard: k.Guard, Revisions: k.Revisions, Tags: k.Tags, Cache: k.Cache, Static: new(mcprt.Blob(content)),
	}
	if skilldir.IsText(f.Path, content) {
		r.Static = new(mcprt.TextBytes(content))
	}
	return r
}

// addDir adds the skills in d, and the resources by which clients read their files.
func (s *server) addDir(f *mcprt.Features, k *Skills, d Dir) error {
	files, err := read(k.Files, d.Path)
	if err != nil {
		return err
	}
	tree := skilldir.Read(files, d.URI)
	front, err := d.match(tree, files)
	if err != nil {
		return err
	}
	if err := s.add(tree, front); err != nil {
		return err
	}
	for _, file := range tree.Files {
		f.Resources = append(f.Resources, k.resource(file, files[file.Path]))
	}
	return nil
}

// read returns the contents of the files in a directory of fsys, by their paths in it.
func read(fsys fs.FS, dir string) (map[string][]byte, error) {
	files := map[string][]byte{}
	err := fs.WalkDir(fsys, dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		rel := strings.TrimPrefix(strings.TrimPrefix(name, dir), "/")
		if dir == "." {
			rel = name
		}
		files[rel], err = fs.ReadFile(fsys, name)
		return err
	})
	return files, err
}

// match returns the frontmatter of each SKILL.md of t, by path, and gives its file the name and the description that
// are in it. It is an error if one is not as it was when the code was generated.
func (d *Dir) match(t *skilldir.Tree, files map[string][]byte) (map[string]json.RawMessage, error) {
	known := map[string]*Manifest{}
	for i := range d.Manifests {
		m := &d.Manifests[i]
		if _, ok := files[m.Path]; !ok {
			return nil, fmt.Errorf("there is no %s any more: run go generate", m.Path)
		}
		known[m.Path] = m
	}
	front := map[string]json.RawMessage{}
	for _, k := range t.Skills {
		file := k.Manifest
		m, ok := known[file.Path]
		if !ok {
			return nil, fmt.Errorf("%s was added after the code was generated: run go generate", file.Path)
		}
		block, err := skilldir.Block(string(files[file.Path]))
		if err != nil || skilldir.BlockDigest(block) != m.Digest {
			return nil, fmt.Errorf("the frontmatter of %s was changed after the code was generated: run go generate", m.Path)
		}
		front[file.Path] = json.RawMessage(m.Frontmatter)
		if err := m.describe(file); err != nil {
			return nil, fmt.Errorf("%s: %w", m.Path, err)
		}
	}
	return front, nil
}

// describe gives a file the name and the description that are in its frontmatter.
func (m *Manifest) describe(file *skilldir.File) error {
	d := wire.NewDecoder([]byte(m.Frontmatter))
	for d.Object(); d.Next(); {
		switch string(d.Name()) {
		case "name":
			file.Name = d.String()
		case "description":
			file.Description = d.String()
		default:
			d.Skip()
		}
	}
	return d.Err()
}
