package examples

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/internal/dev/interop/validator"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// examplesRevision is the only revision that was published with examples.
const (
	examplesRevision = "2026-07-28"
	examplesCount    = 129
)

// incomplete is an example that lacks two required members. It is read as the revision
// before, which does not ask for them, and the encoder adds them. (Another example has a
// member "id" that its definition does not have; it survives as an unknown member.)
const incomplete = "ReadResourceResultResponse/read-resource-result-response.json"

// TestMadeExamples decodes examples that are made from the facts of the newest revision, and expects the same JSON from
// the encoder.
func TestMadeExamples(t *testing.T) {
	rev, _ := protocol.ParseRevision(examplesRevision)
	examples, err := validator.Facts(root).Examples(examplesRevision)
	if err != nil {
		t.Fatal(err)
	}
	tried := map[string]bool{}
	for _, e := range examples {
		if !known(e) {
			continue
		}
		tried[e.Definition] = true
		t.Run(e.Name, func(t *testing.T) { roundTrip(t, e.Name, e.Text, rev) })
	}
	if len(tried) < 90 {
		t.Errorf("only %d definitions have a Go type", len(tried))
	}
}

// known reports whether there is a Go type for an example or for what it carries.
func known(e validator.Example) bool {
	switch e.Definition {
	case "Request", "Notification", "JSONRPCRequest", "JSONRPCNotification":
		return false // of no method, so nobody knows what they carry
	}
	if newMessage(e.Definition) != nil {
		return true
	}
	for _, part := range []string{"params", "result", "error"} {
		if payload, ok := wire.Lookup(e.Text, part); ok {
			return payloadType(e.Definition, payload) != nil
		}
	}
	return false
}

// TestExamples does the same with the official examples, where they are on this machine.
func TestExamples(t *testing.T) {
	dir := officialDir(t)
	if dir == "" {
		return
	}
	files, err := filepath.Glob(filepath.Join(dir, examplesRevision, "examples", "*", "*.json"))
	if err != nil || len(files) != examplesCount {
		t.Fatalf("%d examples in %s, want %d (%v)", len(files), dir, examplesCount, err)
	}
	rev, _ := protocol.ParseRevision(examplesRevision)
	for _, file := range files {
		name := filepath.Base(filepath.Dir(file)) + "/" + filepath.Base(file)
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			roundTrip(t, name, data, rev)
		})
	}
}

func roundTrip(t *testing.T, name string, data []byte, rev protocol.Revision) {
	t.Helper()
	if err := wire.Check(data, wire.Limits{}); err != nil {
		t.Fatal(err)
	}
	var want map[string]any
	if err := json.Unmarshal(data, &want); err != nil {
		t.Fatal(err)
	}
	definition, _, _ := strings.Cut(name, "/")
	from := rev
	if name == incomplete {
		from--
		result := want["result"].(map[string]any)
		result["cacheScope"], result["ttlMs"] = "private", 0.0
	}
	got, err := reencode(definition, data, from, rev)
	if err != nil {
		t.Fatal(err)
	}
	if err := wire.Check(got, wire.Limits{}); err != nil {
		t.Fatalf("encoded to bad JSON: %v\n%s", err, got)
	}
	var have map[string]any
	if err := json.Unmarshal(got, &have); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(have, want) {
		t.Errorf("encoded to\n%s\nwant\n%s", got, data)
	}
}

// reencode decodes an example of a definition as one revision and encodes it as another.
func reencode(definition string, data []byte, from, to protocol.Revision) ([]byte, error) {
	if m := newMessage(definition); m != nil {
		return transcode(m, data, from, to)
	}
	for _, part := range []string{"params", "result", "error"} {
		payload, ok := wire.Lookup(data, part)
		if !ok {
			continue
		}
		m := payloadType(definition, payload)
		if m == nil {
			return nil, errors.New("no Go type for the " + part + " of " + definition)
		}
		out, err := transcode(m, payload, from, to)
		if err != nil {
			return nil, err
		}
		return replaceMember(data, part, out), nil
	}
	if strings.HasSuffix(definition, "Request") || strings.HasSuffix(definition, "Notification") {
		return data, nil // no params: the frame is all there is
	}
	return transcode(&rpcError{}, data, from, to)
}

func transcode(m message, data []byte, from, to protocol.Revision) ([]byte, error) {
	d := wire.NewDecoder(data)
	m.DecodeJSON(&d, from)
	if err := d.Err(); err != nil {
		return nil, err
	}
	return m.AppendJSON(nil, to), nil
}

// payloadType returns the type of what a frame carries.
func payloadType(definition string, payload []byte) message {
	switch {
	case strings.HasSuffix(definition, "ResultResponse"):
		if wire.MemberIs(payload, "resultType", string(protocol.ResultTypeInputRequired)) {
			return new(protocol.InputRequiredResult)
		}
		return newMessage(strings.TrimSuffix(definition, "Response"))
	case strings.HasSuffix(definition, "Error"):
		return &rpcError{}
	}
	if m := newMessage(definition + "Params"); m != nil {
		return m
	}
	for _, generic := range []string{"Notification", "Request"} {
		if strings.HasSuffix(definition, generic) {
			if strings.HasPrefix(definition, "List") {
				generic = "PaginatedRequest"
			}
			return newMessage(generic + "Params")
		}
	}
	return nil
}

func replaceMember(data []byte, name string, value []byte) []byte {
	var frame map[string]json.RawMessage
	if err := json.Unmarshal(data, &frame); err != nil {
		return nil
	}
	frame[name] = value
	out, err := json.Marshal(frame)
	if err != nil {
		return nil
	}
	return out
}
