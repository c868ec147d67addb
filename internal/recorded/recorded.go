// Package recorded reads and writes the messages in schema/messages, by which mcpgen protocol sees whether codecs that
// it has made again treat the messages of a revision as the committed ones do.
//
// There is one file for each revision: YYYY-MM-DD.txt.gz, with one message on a line and four fields between tabs. From
// is who sent it: client, server, or made if it was made from the schema. Kind says what it is: request METHOD or
// notification METHOD for params, result METHOD, or definition NAME of the schema of the revision. The message is JSON.
// The last field is what reading and writing it gives: [Same], [Refused], [Unknown] or JSON.
package recorded

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Message is one line of a file.
type Message struct {
	From, Kind, Text string
	// Written is what the codecs make of Text.
	Written string
}

const (
	// Same says that what was read is written again, in whatever order.
	Same = "="
	// Refused says that the message is not read.
	Refused = "!"
	// Unknown says that nobody has looked yet.
	Unknown = "?"
	// Typeless says that the revision has no type for the message. It is never recorded.
	Typeless = "-"
)

// Files returns the files of a folder, the oldest revision first.
func Files(dir string) ([]string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "????-??-??.txt.gz"))
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("%s has no recorded messages", dir)
	}
	return files, err
}

// RevisionOf returns the revision that a file is for.
func RevisionOf(file string) string { return strings.TrimSuffix(filepath.Base(file), ".txt.gz") }

// File returns the name of the file of a revision.
func File(dir, revision string) string { return filepath.Join(dir, revision+".txt.gz") }

// longest is the most bytes that a line may have.
const longest = 1 << 20

// Read reads a file.
func Read(file string) ([]Message, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	var out []Message
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, longest)
	for lines.Scan() {
		f := strings.Split(lines.Text(), "\t")
		if len(f) != 4 {
			return nil, fmt.Errorf("%s: line %d has %d fields, want 4", file, len(out)+1, len(f))
		}
		out = append(out, Message{f[0], f[1], f[2], f[3]})
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return out, nil
}

// Write writes a file. The same messages give the same bytes.
func Write(file string, list []Message) error {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return err
	}
	for _, m := range list {
		if _, err := fmt.Fprintf(z, "%s\t%s\t%s\t%s\n", m.From, m.Kind, m.Text, m.Written); err != nil {
			return err
		}
	}
	if err := z.Close(); err != nil {
		return err
	}
	return os.WriteFile(file, b.Bytes(), 0o600)
}

// Canonical returns a JSON text as another parser than that of the codecs reads it: the members of objects in the order
// of their names, numbers as they were written.
func Canonical(text []byte) (string, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return "", err
	}
	return Compact(v)
}

// Compact writes a value that encoding/json has read, without spaces.
func Compact(v any) (string, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return strings.TrimSuffix(b.String(), "\n"), err
}
