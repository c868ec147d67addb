package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/internal/recorded"
)

// A message whose type is gone differs from what was recorded of it, also if that was that it is refused.
func TestTypeless(t *testing.T) {
	codecs["Tool"], types["2025-11-25 definition Tool"] = structure[protocol.Tool](), "Tool"
	t.Cleanup(func() { clear(codecs); clear(types) })
	dir := t.TempDir()
	file := recorded.File(dir, "2025-11-25")
	list := []recorded.Message{
		{From: "made", Kind: "definition Tool", Text: `{"name":1}`, Written: recorded.Refused},
		{From: "made", Kind: "definition Gone", Text: `{"name":1}`, Written: recorded.Refused},
	}
	if err := recorded.Write(file, list); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	err := run(&out, dir, false)
	if err == nil || !strings.HasPrefix(err.Error(), "1 of 2 recorded messages") ||
		!strings.Contains(out.String(), filepath.Base(file)+":2: definition Gone of made") ||
		!strings.Contains(out.String(), "\tis  without a type: definition Gone\n") {
		t.Errorf("%v\n%s", err, out.String())
	}
	out.Reset()
	if err := run(&out, dir, true); err != nil {
		t.Fatal(err)
	}
	if kept, err := recorded.Read(file); err != nil || len(kept) != 1 || kept[0] != list[0] {
		t.Errorf("recorded: %+v, %v\n%s", kept, err, out.String())
	}
}
