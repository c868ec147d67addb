package diag

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Printer writes diagnostics for people. The zero value prints absolute paths
// and reads source lines from disk.
type Printer struct {
	// Dir is the directory that paths are made relative to.
	Dir string
	// Source returns the text of a file, so that the line shown is the line that
	// was parsed. Nil means os.ReadFile. A file it cannot return is shown
	// without its source line.
	Source func(file string) ([]byte, error)
	// Color marks severities and columns for terminals.
	Color bool

	lines map[string][][]byte
}

// Print writes the sorted list to w, each diagnostic followed by its source
// line, its related places and its fix.
func (p *Printer) Print(w io.Writer, l *List) error {
	var b strings.Builder
	for _, d := range l.Sorted() {
		p.one(&b, d)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Format returns one diagnostic as Print writes it.
func (p *Printer) Format(d Diagnostic) string {
	var b strings.Builder
	p.one(&b, d)
	return b.String()
}

func (p *Printer) one(b *strings.Builder, d Diagnostic) {
	where := ""
	if d.Pos.File != "" {
		where = p.rel(d.Pos).String() + ": "
	}
	fmt.Fprintf(b, "%s%s %s: %s\n", where, p.paint(d.Severity, d.Severity.String()), d.Code, oneLine(d.Message))
	if line, ok := p.line(d.Pos); ok {
		p.listing(b, d, line)
	} else if d.Hint != "" {
		fmt.Fprintf(b, "   hint: %s\n", oneLine(d.Hint))
	}
	for _, r := range d.Related {
		fmt.Fprintf(b, "   related: %s %s\n", p.rel(r.Pos), oneLine(r.Message))
	}
	if d.Fix != "" {
		fmt.Fprintf(b, "   fix: %s\n", oneLine(d.Fix))
	}
}

// paint gives text the colour of a severity: red, yellow or blue.
func (p *Printer) paint(s Severity, text string) string {
	if !p.Color {
		return text
	}
	return fmt.Sprintf("\033[%dm%s\033[0m", [...]int{Error: 31, Warning: 33, Note: 34}[s], text)
}

// listing writes the source line and, below it, the caret range:
//
//	41 | //mcp:complete of=Ticket var=nr
//	                                  ^^ variables: project, number
func (p *Printer) listing(b *strings.Builder, d Diagnostic, line []byte) {
	head := fmt.Sprintf("%5d | ", d.Pos.Line)
	fmt.Fprintf(b, "%s%s\n", head, oneLine(string(line)))
	if d.Pos.Col == 0 {
		return
	}
	start := min(d.Pos.Col-1, len(line))
	end := min(max(d.Pos.EndCol-1, start), len(line))
	b.WriteString(strings.Repeat(" ", len(head)))
	b.WriteString(blank(line[:start]))
	b.WriteString(p.paint(d.Severity, strings.Repeat("^", max(columns(line[start:end]), 1))))
	if d.Hint != "" {
		b.WriteString(" " + oneLine(d.Hint))
	}
	b.WriteByte('\n')
}

// blank returns white space that is as wide on a screen as text. Tabs stay
// tabs, because their width depends on what stands before them.
func blank(text []byte) string {
	var b strings.Builder
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		text = text[n:]
		if r == '\t' {
			b.WriteByte('\t')
			continue
		}
		b.WriteString(strings.Repeat(" ", runeColumns(r)))
	}
	return b.String()
}

func columns(text []byte) int {
	n := 0
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		text = text[size:]
		n += runeColumns(r)
	}
	return n
}

// wide holds the blocks that terminals draw in two columns.
var wide = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x1100, Hi: 0x115f, Stride: 1}, {Lo: 0x2e80, Hi: 0x303e, Stride: 1},
		{Lo: 0x3041, Hi: 0xa4cf, Stride: 1}, {Lo: 0xac00, Hi: 0xd7a3, Stride: 1},
		{Lo: 0xf900, Hi: 0xfaff, Stride: 1}, {Lo: 0xfe30, Hi: 0xfe6f, Stride: 1},
		{Lo: 0xff00, Hi: 0xff60, Stride: 1}, {Lo: 0xffe0, Hi: 0xffe6, Stride: 1},
	},
	R32: []unicode.Range32{{Lo: 0x1f300, Hi: 0x1faff, Stride: 1}, {Lo: 0x20000, Hi: 0x3fffd, Stride: 1}},
}

func runeColumns(r rune) int {
	switch {
	case unicode.In(r, unicode.Mn, unicode.Me):
		return 0
	case unicode.Is(wide, r):
		return 2
	}
	return 1
}

// oneLine keeps hostile source text from moving the cursor or starting a new
// line: control and format characters other than tab become the replacement
// character, which is as wide as the column count assumes.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029') {
			return utf8.RuneError
		}
		return r
	}, s)
}

func (p *Printer) rel(pos Pos) Pos {
	pos.File = RelPath(p.Dir, pos.File)
	return pos
}

// RelPath returns file relative to dir with forward slashes, or file itself
// when dir is empty or the relative form is longer.
func RelPath(dir, file string) string {
	if dir == "" {
		return filepath.ToSlash(file)
	}
	r, err := filepath.Rel(dir, file)
	if err != nil || len(r) > len(file) {
		return filepath.ToSlash(file)
	}
	return filepath.ToSlash(r)
}

func (p *Printer) line(pos Pos) ([]byte, bool) {
	if !pos.IsValid() {
		return nil, false
	}
	lines, ok := p.lines[pos.File]
	if !ok {
		read := p.Source
		if read == nil {
			read = os.ReadFile
		}
		src, err := read(pos.File)
		if err == nil {
			lines = bytes.Split(src, []byte("\n"))
		}
		if p.lines == nil {
			p.lines = make(map[string][][]byte)
		}
		p.lines[pos.File] = lines
	}
	if pos.Line > len(lines) {
		return nil, false
	}
	return bytes.TrimSuffix(lines[pos.Line-1], []byte("\r")), true
}
