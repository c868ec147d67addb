package main

import (
	"bytes"
	"fmt"
	"os"
)

// document replaces the tables of the page at path, which stand under its heading "A run", by text.
func document(path string, text []byte) error {
	page, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	head, rest, ok := bytes.Cut(page, []byte("\n## A run\n"))
	intro, rest, began := bytes.Cut(rest, []byte("\n```\n"))
	_, tail, ended := bytes.Cut(rest, []byte("\n```\n"))
	if !ok || !began || !ended {
		return fmt.Errorf("%s has no tables under the heading A run", path)
	}
	page = fmt.Appendf(nil, "%s\n## A run\n%s\n```\n%s\n```\n%s", head, intro, bytes.TrimSpace(text), tail)
	return os.WriteFile(path, page, 0o666)
}
