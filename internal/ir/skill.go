package ir

import (
	"strings"

	"github.com/mcpgen/mcpgen/internal/diag"
)

// Skills are the skills of one declaration.
type Skills struct {
	// Pos is where the directive stands, and Decl what it stands on.
	Pos  diag.Pos
	Decl string
	// Var is the embed.FS, and Dirs the outermost directories with a skill in it.
	Var  string
	Dirs []SkillDir
	// Files are the files that there are, which the runtime makes resources of. All have the same rules and tags, and
	// are offered in the same revisions.
	Files []*Resource
}

// SkillDir is an embedded directory with a skill.
type SkillDir struct {
	// Path is the one among the embedded files, and URI the address that the directory has for clients.
	Path, URI string
	// Manifests are the SKILL.md in it.
	Manifests []SkillManifest
}

// SkillManifest is a SKILL.md.
type SkillManifest struct {
	// Path is relative to the directory.
	Path string
	// Frontmatter is JSON. Digest is that of the lines that it was read from.
	Frontmatter, Digest string
}

// Has reports whether a URI is that of a file in the directory.
func (d SkillDir) Has(uri string) bool { return strings.HasPrefix(uri, d.URI+"/") }

// Apart reports whether two directories do not lie in each other.
func (d SkillDir) Apart(o SkillDir) bool { return d.URI != o.URI && !d.Has(o.URI) && !o.Has(d.URI) }
