package mcpskill

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/internal/skilldir"
	"github.com/mcpgen/mcpgen/mcp/mcprt"
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
}

// Add adds skills to f, and returns f. It adds a resource for each embedded file, and the extension that lists the
// skills. The guard in methods is for the methods of the extension. Lists, digests and contents are made from the
// embedded files, so that they always agree. Mistakes in the files make the constructor of the server fail.
func Add(f *mcprt.Features, methods *mcprt.Guard, all ...Skills) *mcprt.Features {
	s := newServer(methods)
	for _, k := range all {
		for _, d := range k.Dirs {
			tree, files, err := read(k.Files, d)
			if err == nil {
				err = s.add(tree)
			}
			if err != nil {
				s.err = errors.Join(s.err, fmt.Errorf("%s: %w", d.Path, err))
				continue
			}
			for i := range tree.Files {
				file := &tree.Files[i]
				f.Resources = append(f.Resources, k.resource(file, files[file.Path]))
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

// read returns the tree of the directory d in fsys, and the contents of its files by their paths in d. It is an error
// if d has no file SKILL.md, or if a file has a mistake that is not only advice.
func read(fsys fs.FS, d Dir) (*skilldir.Tree, map[string][]byte, error) {
	files := map[string][]byte{}
	err := fs.WalkDir(fsys, d.Path, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		rel := strings.TrimPrefix(strings.TrimPrefix(name, d.Path), "/")
		if d.Path == "." {
			rel = name
		}
		files[rel], err = fs.ReadFile(fsys, name)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	if _, ok := files[skilldir.Manifest]; !ok {
		return nil, nil, errors.New("there is no " + skilldir.Manifest + " any more: run go generate")
	}
	tree, problems := skilldir.Read(files, d.URI)
	for _, p := range problems {
		if !p.Advice {
			return nil, nil, p
		}
	}
	return tree, files, nil
}
