package skill

import (
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/internal/frontmatter"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/skilldir"
)

const (
	// maxFiles is how many files a skill has that every client accepts, and maxBytes how many bytes they have together.
	maxFiles, maxBytes = 512, 16 << 20
	// maxName, maxDescription and maxCompatibility are limits of the frontmatter, in characters.
	maxName, maxDescription, maxCompatibility = 64, 1024, 500
)

// problem is what is wrong with a file of a skill.
type problem struct {
	path         string
	line         int
	message, fix string
	advice       bool // clients may refuse the skill, and do not have to
}

// check reads each SKILL.md of a tree, and gives the file the name and the description that are in it.
func check(t *skilldir.Tree, files map[string][]byte) (manifests []ir.SkillManifest, problems []problem) {
	for _, k := range t.Skills {
		f := k.Manifest
		m, wrong := read(files[f.Path], f.Path, path.Base(path.Dir(f.URI)))
		problems = append(problems, wrong...)
		if name, ok := m.Get("name").(string); ok {
			f.Name = name
		}
		f.Description, _ = m.Get("description").(string)
		block, _ := skilldir.Block(string(files[f.Path])) // read told of its errors
		text, _ := json.Marshal(m)                        //nolint:errchkjson // what JSON has nothing for is a text
		manifests = append(manifests, ir.SkillManifest{
			Path: f.Path, Frontmatter: string(text), Digest: skilldir.BlockDigest(block),
		})
	}
	for _, k := range t.Skills {
		size := int64(0)
		for _, f := range k.Files {
			size += f.Size
		}
		if len(k.Files) > maxFiles || size > maxBytes {
			problems = append(problems, problem{path: k.Manifest.Path, line: 1, advice: true,
				message: fmt.Sprintf("the skill has %d files and %d bytes; clients accept %d and %d", len(k.Files), size,
					maxFiles, maxBytes), fix: "cut it into several skills"})
		}
	}
	return manifests, problems
}

var namePattern = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// read reads the frontmatter of a SKILL.md in a directory of that name.
func read(content []byte, file, dir string) (frontmatter.Map, []problem) {
	bad := func(line int, message, fix string) []problem {
		return []problem{{path: file, line: line, message: message, fix: fix}}
	}
	if !utf8.Valid(content) {
		return nil, bad(1, "the file is not UTF-8 text", "save it as UTF-8")
	}
	m, err := frontmatter.Read(string(content))
	if e, ok := errors.AsType[*frontmatter.Error](err); ok {
		better := "write it in another form of YAML, such as a text in quotes"
		if e.Line == 1 {
			better = "begin with the lines ---, name: " + dir + ", description: and ---"
		}
		return nil, bad(e.Line, e.Message, better)
	}
	var problems []problem
	name, _ := m.Get("name").(string)
	switch {
	case name == "":
		problems = append(problems, bad(1, "the frontmatter has no text `name`", "name: "+dir)...)
	case !namePattern.MatchString(name) || len(name) > maxName:
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
func advice(file string, m frontmatter.Map) (problems []problem) {
	say := func(fix, format string, args ...any) {
		problems = append(problems, problem{path: file, line: 1, advice: true,
			message: fmt.Sprintf(format, args...), fix: fix})
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
