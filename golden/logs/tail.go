package logs

import (
	"bytes"
	"io"
	"os"
	"slices"
	"strings"
)

// Bounds of one look at a file, so that a large file costs as much as a small one.
const (
	blockSize = 64 << 10
	maxTail   = 4 << 20
)

// tail returns the last limit entries of f from level upwards, oldest first. It reads f from its end and stops
// after maxTail bytes. A last line that is still being written does not count.
func tail(f *os.File, level Level, limit int) (string, error) {
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return "", err
	}
	var text []byte // from start to the end
	for start := size; ; {
		low := max(0, start-max(blockSize, size-start), size-maxTail)
		block := make([]byte, start-low, size-low)
		n, err := f.ReadAt(block, low)
		if err != nil && err != io.EOF { // the end may come early, in a file that is being truncated
			return "", err
		}
		text, start = append(block[:n], text...), low
		done := start == 0 || size-start >= maxTail
		if found := entries(complete(text, start == 0), level, done); done || len(found) >= limit {
			return strings.Join(found[max(0, len(found)-limit):], ""), nil
		}
	}
}

// complete cuts text down to whole lines; whole says that it begins with one.
func complete(text []byte, whole bool) []byte {
	text = text[:bytes.LastIndexByte(text, '\n')+1]
	if !whole {
		text = text[bytes.IndexByte(text, '\n')+1:]
	}
	return text
}

// entries returns the entries in text from level upwards. Lines before the first one with a level are parts of an
// entry that is not in text; with first, nothing is before them, and each is an entry of the least level.
func entries(text []byte, level Level, first bool) []string {
	var found []string
	open, begun := false, false // the entry before the line is in found; there is one
	for line := range bytes.Lines(text) {
		l, ok := levelOf(line)
		switch {
		case ok:
			begun = true
			open = slices.Index(levels, l) >= slices.Index(levels, level)
			if open {
				found = append(found, string(line))
			}
		case open:
			found[len(found)-1] += string(line)
		case first && !begun && level == Debug:
			found = append(found, string(line))
		}
	}
	return found
}

// levelOf returns the level that one of the first words of a line names: INFO, [warn], level=ERROR, "level":"debug".
func levelOf(line []byte) (Level, bool) {
	if len(line) > 0 && (line[0] == ' ' || line[0] == '\t') {
		return "", false // the line goes on with the one before
	}
	words := bytes.FieldsFunc(line[:min(len(line), 160)],
		func(r rune) bool { return strings.ContainsRune(" \t\r\n[]{}=\":,", r) })
	for _, word := range words[:min(len(words), 12)] {
		for _, level := range levels {
			if len(word) >= len(level) && strings.EqualFold(string(word), string(level)) {
				return level, true
			}
		}
		if strings.EqualFold(string(word), "warning") {
			return Warn, true
		}
	}
	return "", false
}

// mark remembers where a file ended when it was last looked at.
type mark struct {
	logs  *Logs
	name  string
	level Level
	file  os.FileInfo // nil if there was none
	end   int64       // of the last complete line
}

// moved looks at the file, and reports whether readers see something else than at the look before.
func (m *mark) moved() bool {
	f, err := m.logs.open(m.name)
	if err != nil {
		gone := m.file != nil
		m.file, m.end = nil, 0
		return gone
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return false
	}
	replaced := m.file == nil || !os.SameFile(m.file, info) || info.Size() < m.end
	m.file = info
	if replaced {
		m.end = 0
	}
	text := make([]byte, min(info.Size()-m.end, maxTail))
	n, _ := f.ReadAt(text, info.Size()-int64(len(text)))
	text = text[:n]
	line := bytes.LastIndexByte(text, '\n') + 1
	if line == 0 {
		return replaced
	}
	m.end = info.Size() - int64(len(text)-line)
	return replaced || len(entries(text[:line], m.level, false)) > 0 || !startsEntry(text)
}

// startsEntry is false for text that goes on with an entry before it, of a level that is not known any more.
func startsEntry(text []byte) bool {
	_, ok := levelOf(text[:bytes.IndexByte(text, '\n')+1])
	return ok
}
