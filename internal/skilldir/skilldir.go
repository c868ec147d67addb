// Package skilldir reads directories with skills: a SKILL.md with frontmatter, and the files beside and below it
// (extension io.modelcontextprotocol/skills). The generator checks skills with it, and servers tell clients of them
// with it.
package skilldir

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"net/url"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/internal/frontmatter"
	"github.com/mcpgen/mcpgen/internal/mimetype"
)

const (
	// Manifest is the name of the file with the instructions of a skill.
	Manifest = "SKILL.md"
	// MaxFiles is how many files a skill has that every client accepts.
	MaxFiles = 512
	// MaxBytes is how many bytes the files of such a skill have together.
	MaxBytes = 16 << 20
	// maxName, maxDescription and maxCompatibility are limits of the frontmatter, in characters.
	maxName, maxDescription, maxCompatibility = 64, 1024, 500
)

// File is a file of a skill.
type File struct {
	// Path is relative to the directory of the outermost skill.
	Path, URI, MIME string
	// Name and Description are what lists show.
	Name, Description string
	Size              int64
	// Digest is sha256: and hexadecimal digits.
	Digest string
}

// Skill is one skill.
type Skill struct {
	// URI is that of its SKILL.md.
	URI         string
	Frontmatter frontmatter.Map
	Files       []File
}

// Tree is a skill with those in its directories.
type Tree struct {
	// URI is that of the directory.
	URI string
	// Skills are in the order of their paths, Files too.
	Skills []Skill
	Files  []File
}

// ProblemError is what is wrong with a file of a skill.
type ProblemError struct {
	// Path is the file, and Line its line, from 1; 0 for no line.
	Path    string
	Line    int
	Message string
	Fix     string
	// Advice says that clients may refuse the skill, not that they must.
	Advice bool
}

// Error implements error.
func (p ProblemError) Error() string { return fmt.Sprintf("%s:%d: %s", p.Path, p.Line, p.Message) }

// Read reads the files of a skill, by their paths relative to its directory, whose URI is given.
func Read(files map[string][]byte, uri string) (*Tree, []ProblemError) {
	t := &Tree{URI: uri}
	var problems []ProblemError
	for _, name := range slices.Sorted(maps.Keys(files)) {
		t.Files = append(t.Files, fileOf(uri, name, files[name]))
	}
	for i := range t.Files {
		f := &t.Files[i]
		if path.Base(f.Path) != Manifest {
			continue
		}
		m, wrong := read(files[f.Path], f.Path, path.Base(strings.TrimSuffix(f.URI, "/"+Manifest)))
		problems = append(problems, wrong...)
		if name, ok := m.Get("name").(string); ok {
			f.Name = name
		}
		f.Description, _ = m.Get("description").(string)
		t.Skills = append(t.Skills, Skill{URI: f.URI, Frontmatter: m})
	}
	for i := range t.Skills {
		s := &t.Skills[i]
		size := int64(0)
		for _, f := range t.Files {
			if strings.HasPrefix(f.URI, strings.TrimSuffix(s.URI, Manifest)) {
				s.Files = append(s.Files, f)
				size += f.Size
			}
		}
		if len(s.Files) > MaxFiles || size > MaxBytes {
			problems = append(problems, ProblemError{Path: strings.TrimPrefix(s.URI, uri+"/"), Line: 1, Advice: true,
				Message: fmt.Sprintf("the skill has %d files and %d bytes; clients accept %d and %d", len(s.Files), size,
					MaxFiles, MaxBytes), Fix: "cut it into several skills"})
		}
	}
	return t, problems
}

// unescaped has what stands for itself in a segment (RFC 3986, section 3.3) and what url.PathEscape escapes: those who
// resolve a link of a SKILL.md do not.
var unescaped = strings.NewReplacer("%21", "!", "%27", "'", "%28", "(", "%29", ")", "%2A", "*", "%2C", ",", "%3B", ";")

// fileOf describes a file.
func fileOf(uri, name string, content []byte) File {
	segments := strings.Split(name, "/")
	for i, s := range segments {
		segments[i] = unescaped.Replace(url.PathEscape(s))
	}
	sum := sha256.Sum256(content)
	f := File{
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

// isName reports whether s can be the name of a skill. Package regexp would make servers larger by 250 KB.
func isName(s string) bool {
	for part := range strings.SplitSeq(s, "-") {
		if part == "" || strings.Trim(part, "abcdefghijklmnopqrstuvwxyz0123456789") != "" {
			return false
		}
	}
	return true
}

// read reads the frontmatter of a SKILL.md in a directory of that name.
func read(content []byte, file, dir string) (frontmatter.Map, []ProblemError) {
	bad := func(line int, message, fix string) []ProblemError {
		return []ProblemError{{Path: file, Line: line, Message: message, Fix: fix}}
	}
	if !utf8.Valid(content) {
		return nil, bad(1, "the file is not UTF-8 text", "save it as UTF-8")
	}
	m, err := frontmatter.Read(string(content))
	if e, ok := err.(*frontmatter.Error); ok { //nolint:errorlint // the very type
		better := "write it in another form of YAML, such as a text in quotes"
		if e.Line == 1 {
			better = "begin with the lines ---, name: " + dir + ", description: and ---"
		}
		return nil, bad(e.Line, e.Message, better)
	}
	var problems []ProblemError
	name, _ := m.Get("name").(string)
	switch {
	case name == "":
		problems = append(problems, bad(1, "the frontmatter has no text `name`", "name: "+dir)...)
	case !isName(name) || len(name) > maxName:
		problems = append(problems, bad(1, fmt.Sprintf(
			"`%s` is not the name of a skill: 1 to %d of a-z 0-9 and single hyphens between them", name, maxName),
			"rename it, and its directory")...)
	case name != dir:
		problems = append(problems, bad(1, fmt.Sprintf(
			"the skill `%s` is in a directory `%s`: both have one name", name, dir),
			"name: "+dir)...)
	}
	description, _ := m.Get("description").(string)
	switch {
	case strings.TrimSpace(description) == "":
		problems = append(problems, bad(1, "the frontmatter has no text `description`",
			"description: what the skill does, and when to use it")...)
	case utf8.RuneCountInString(description) > maxDescription:
		problems = append(problems, bad(1, fmt.Sprintf("the description has more than %d characters", maxDescription),
			"move the details below the frontmatter")...)
	}
	return m, append(problems, advice(file, m)...)
}

// advice returns what clients may refuse in the optional members of the frontmatter.
func advice(file string, m frontmatter.Map) (problems []ProblemError) {
	say := func(fix, format string, args ...any) {
		problems = append(problems, ProblemError{Path: file, Line: 1, Advice: true,
			Message: fmt.Sprintf(format, args...), Fix: fix})
	}
	if c := m.Get("compatibility"); c != nil {
		text, _ := c.(string)
		if n := utf8.RuneCountInString(text); n == 0 || n > maxCompatibility {
			say("write a short text", "compatibility is not a text of 1 to %d characters", maxCompatibility)
		}
	}
	meta, isMap := m.Get("metadata").(frontmatter.Map)
	if !isMap && m.Get("metadata") != nil {
		say("write lines of the form name: \"value\" below metadata:", "metadata is not a mapping of names to texts")
	}
	for _, x := range meta {
		if strings.HasPrefix(x.Name, "io.modelcontextprotocol/") {
			say("use a prefix of your own", "the name `%s` in metadata is reserved for extensions", x.Name)
		}
		if _, ok := x.Value.(string); !ok {
			say(x.Name+": \"…\"", "the value of `%s` in metadata is not a text", x.Name)
		}
	}
	return problems
}
