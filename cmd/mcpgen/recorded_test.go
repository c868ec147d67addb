package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/output"
)

// TestRecordedMessages lets the committed codecs treat the recorded messages, and then codecs that have forgotten a
// member of older revisions.
func TestRecordedMessages(t *testing.T) {
	t.Chdir(filepath.Join("..", ".."))
	p := &protocolTask{}
	p.Dir, p.Package = filepath.Join("generated", "protocol"), "protocol"
	paths, err := filepath.Glob(filepath.Join(p.Dir, "*_gen.go"))
	if err != nil {
		t.Fatal(err)
	}
	var files []output.File
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, output.File{Path: path, Data: data})
	}
	var out bytes.Buffer
	s := &streams{stdout: &out, stderr: &out}
	if err := p.compare(s, files); err != nil || out.Len() > 0 {
		t.Fatalf("%v\n%s", err, out.Bytes())
	}
	for i := range files {
		files[i].Data = bytes.ReplaceAll(files[i].Data, []byte(`"mimeType"`), []byte(`"mimetype"`))
	}
	if err := p.compare(s, files); !errors.Is(err, errReported) {
		t.Errorf("a forgotten member: %v", err)
	}
	for _, want := range []string{"schema/messages/2024-11-05.txt.gz:", "\tis  ", "\twas written as it was",
		"recorded messages are read or written differently; if that is right, run mcpgen protocol -accept",
		"nothing was written"} {
		if !strings.Contains(filepath.ToSlash(out.String()), want) {
			t.Errorf("%q is not in\n%s", want, out.String())
		}
	}
}

// TestNothingCompared says so for schemas that are given, and for the package of another module.
func TestNothingCompared(t *testing.T) {
	inFolder(t, map[string]string{"2030-01-02.json": tinySchema, "go.mod": "module example.com/m\n"})
	for _, args := range []string{"protocol -schema 2030-01-02.json -o a", "protocol -o b"} {
		got := mcpgen(strings.Fields(args)...)
		if got.code != 0 || !strings.Contains(got.stderr, "nothing was compared with the recorded messages") {
			t.Errorf("%s: %+v", args, got)
		}
	}
}
