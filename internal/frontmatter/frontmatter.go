// Package frontmatter reads the YAML block with which a SKILL.md may begin, and gives it as JSON, in the order of the
// text. What JSON has nothing for, such as anchors and tags, is an error and not guessed.
package frontmatter

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v4"

	"github.com/mcpgen/mcpgen/internal/skilldir"
)

// maxDepth is how many levels a block may have below its mapping.
const maxDepth = 16

// Error says what is wrong with a block.
type Error struct {
	// Line is the line of the file, from 1.
	Line    int
	Message string
}

// Error implements error.
func (e *Error) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Message) }

// Read returns the block of a file; nil if it is empty. The error is an *[Error].
func Read(text string) (Map, error) {
	block, err := skilldir.Block(text)
	if err != nil {
		return nil, &Error{1, err.Error()}
	}
	control := func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }
	if at := strings.IndexFunc(block, control); at >= 0 {
		return nil, &Error{lineAt(block, at), "there is a control character: remove it"}
	}
	var doc, more yaml.Node
	d := yaml.NewDecoder(strings.NewReader(block))
	if err := d.Decode(&doc); errors.Is(err, io.EOF) {
		return nil, nil
	} else if err != nil {
		return nil, mistake(block, err)
	}
	v, err := value(doc.Content[0], 0)
	if err != nil {
		return nil, err
	}
	m, ok := v.(Map)
	if !ok {
		return nil, failed(doc.Content[0], "the frontmatter is no mapping: lines of a name, a colon and a value")
	}
	// Unmarshal would not look behind the first document.
	if err := d.Decode(&more); err == nil {
		return nil, failed(&more, "a second document begins")
	} else if !errors.Is(err, io.EOF) {
		return nil, mistake(block, err)
	}
	return m, nil
}

// lineAt returns the line of the file in which a byte of its block stands.
func lineAt(block string, at int) int { return 2 + strings.Count(block[:at], "\n") }

func failed(n *yaml.Node, format string, args ...any) *Error {
	return &Error{n.Line + 1, fmt.Sprintf(format, args...)}
}

// mistake says where the library found what is no YAML.
func mistake(block string, err error) *Error {
	e, ok := errors.AsType[*yaml.ParserError](err)
	if !ok { // all others come without a line
		message := strings.TrimPrefix(err.Error(), "yaml: ")
		if _, behind, ok := strings.Cut(message, "unknown anchor '"); ok {
			alias := "*" + strings.TrimSuffix(behind, "' referenced")
			return &Error{lineAt(block, max(strings.Index(block, alias), 0)), unreadable(alias)}
		}
		return &Error{2, message}
	}
	line := max(e.Line, 1) + 1
	for _, x := range plainly {
		if strings.HasPrefix(e.Message, x.begins) {
			if x.from0 && e.Line > 0 {
				line++
			}
			return &Error{line, cmp.Or(x.message, e.Message)}
		}
	}
	return &Error{line, e.Message}
}

// plainly has plain words for messages of the library. It counts lines from 0 in those of its parser, and from 1 in
// those of its scanner.
var plainly = []struct {
	begins, message string
	from0           bool
}{
	{"mapping values are not allowed", "a text without quotes has a colon: quote it", false},
	{"found unexpected end of stream", "a quote is not closed", false},
	{"found character that cannot start", "a text begins with a tab or one of @`%: quote it", false},
	{"found invalid Unicode character", "\\u or \\U stands before no character: write the character itself", false},
	{"did not find expected ',' or", "a bracket is not closed, or a comma is missing", true},
	{"did not find expected key",
		"here or below a line is no name, colon and value, or is indented less or more than those before it", true},
	{"did not find expected node content", "a value is missing", true},
	{"did not find expected '-'", "", true},
	{"did not find expected <document start>",
		"the line is indented less than those before it, or a second document begins", true},
}

func unreadable(text string) string { return fmt.Sprintf("`%s` cannot be read: quote the text", text) }
