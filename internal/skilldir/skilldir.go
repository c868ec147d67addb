// Package skilldir reads directories with skills: a SKILL.md with frontmatter, and the files beside and below it
// (extension io.modelcontextprotocol/skills). It is what the generator, which also checks skills, and servers, which
// tell clients of them, have in common.
package skilldir

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"net/url"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/internal/mimetype"
)

// Manifest is the name of the file with the instructions of a skill.
const Manifest = "SKILL.md"

// File is a file of a skill.
type File struct {
	// Path is relative to the directory of the outermost skill.
	Path, URI, MIME string
	// Name and Description are what lists show. Those of a SKILL.md are in its frontmatter, which Read does not read.
	Name, Description string
	Size              int64
	// Digest is sha256: and hexadecimal digits.
	Digest string
}

// Skill is one skill.
type Skill struct {
	// Manifest is its SKILL.md.
	Manifest *File
	Files    []*File
}

// Tree is a skill with those in its directories.
type Tree struct {
	// URI is that of the directory.
	URI string
	// Skills are in the order of their paths, Files too.
	Skills []Skill
	Files  []*File
}

// Read reads the files of a skill, by their paths relative to its directory, whose URI is given.
func Read(files map[string][]byte, uri string) *Tree {
	t := &Tree{URI: uri}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		f := fileOf(uri, name, files[name])
		t.Files = append(t.Files, f)
		if path.Base(name) == Manifest {
			t.Skills = append(t.Skills, Skill{Manifest: f})
		}
	}
	for i := range t.Skills {
		s := &t.Skills[i]
		for _, f := range t.Files {
			if strings.HasPrefix(f.URI, strings.TrimSuffix(s.Manifest.URI, Manifest)) {
				s.Files = append(s.Files, f)
			}
		}
	}
	return t
}

// unescaped has what stands for itself in a segment (RFC 3986, section 3.3) and what url.PathEscape escapes: those who
// resolve a link of a SKILL.md do not.
var unescaped = strings.NewReplacer("%21", "!", "%27", "'", "%28", "(", "%29", ")", "%2A", "*", "%2C", ",", "%3B", ";")

// fileOf describes a file.
func fileOf(uri, name string, content []byte) *File {
	segments := strings.Split(name, "/")
	for i, s := range segments {
		segments[i] = unescaped.Replace(url.PathEscape(s))
	}
	sum := sha256.Sum256(content)
	f := &File{
		Path: name, URI: uri + "/" + strings.Join(segments, "/"), MIME: mimetype.ByName(name), Name: path.Base(name),
		Size: int64(len(content)), Digest: "sha256:" + hex.EncodeToString(sum[:]),
	}
	if f.MIME == "" {
		f.MIME = "application/octet-stream"
		if utf8.Valid(content) {
			f.MIME = "text/plain"
		}
	}
	return f
}

// IsText reports whether clients get a file as text.
func IsText(name string, content []byte) bool {
	return utf8.Valid(content) && !mimetype.IsBinary(mimetype.ByName(name))
}
