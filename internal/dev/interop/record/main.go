// Command record makes the files of schema/messages anew, from three sources: conversations of foreign clients that
// tests have seen, and one of the Go SDK with itself; examples that are made from the facts of each revision; and the
// official examples where they are on this machine. Texts become words of our own; of messages that have the same form
// it keeps three. From each message it makes others with members that their revision does not know. Run it from the
// root of the checkout:
//
//	export MCPGEN_RECORD=$(mktemp -d)
//	go test -count=1 ./internal/dev/interop && (cd bench && go test -count=1 ./clients)
//	go run ./internal/dev/interop/record -seen $MCPGEN_RECORD
//	go run ./cmd/mcpgen protocol -accept
//
// The last command records what the codecs make of each message, and drops those for which there is no type.
package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/dev/interop/validator"
	"github.com/mcpgen/mcpgen/internal/recorded"
	"github.com/mcpgen/mcpgen/schema"
)

func main() {
	seen := flag.String("seen", "", "the `folder` that tests wrote with "+validator.RecordVariable)
	root := flag.String("root", ".", "the root of the checkout")
	flag.Parse()
	if err := run(*root, *seen); err != nil {
		fmt.Fprintln(os.Stderr, "record:", err)
		os.Exit(1)
	}
}

// message is one before it is written.
type message struct {
	revision, from, kind string
	value                map[string]any
}

func run(root, seen string) error {
	set, err := schema.Embedded()
	if err != nil {
		return err
	}
	if err := os.Setenv(validator.RecordVariable, seen); err != nil {
		return err
	}
	for _, s := range set {
		if err := converse(validator.Facts(root), s.Revision); err != nil {
			return fmt.Errorf("%s: %w", s.Revision, err)
		}
	}
	all, err := conversations(seen)
	if err != nil {
		return err
	}
	for _, s := range set {
		more, err := examples(root, s)
		if err != nil {
			return err
		}
		all = append(all, more...)
	}
	for _, s := range set {
		list := distinct(all, s.Revision)
		list = append(list, vary(list, s, set)...)
		if err := write(root, s.Revision, list); err != nil {
			return err
		}
	}
	return nil
}

// conversations reads what tests have written.
func conversations(dir string) ([]message, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("%q has no recorded conversations: %w", dir, errors.Join(err, os.ErrNotExist))
	}
	var out []message
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		for line := range bytes.Lines(data) {
			var r validator.Recorded
			if err := json.Unmarshal(line, &r); err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
			value, err := object(r.Message)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
			out = append(out, message{r.Revision, r.From, r.Kind, value})
		}
	}
	return out, nil
}

func object(text []byte) (map[string]any, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var out map[string]any
	return out, d.Decode(&out)
}

// examples returns the messages that are made from the facts of a revision and, if the official schemas are on this
// machine, the official examples.
func examples(root string, s *schema.Schema) ([]message, error) {
	made, err := validator.Facts(root).Examples(s.Revision)
	if err != nil {
		return nil, err
	}
	var out []message
	for _, e := range made {
		value, err := object(e.Text)
		if err != nil {
			return nil, err
		}
		out = append(out, unframed(s, e.Definition, value)...)
	}
	dir, err := validator.Dir(root)
	if errors.Is(err, validator.ErrAbsent) {
		return out, nil
	}
	if err != nil {
		return nil, err
	}
	files, err := filepath.Glob(filepath.Join(dir, s.Revision, "examples", "*", "*.json"))
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		value, err := object(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		value, _ = rewritten("", value, wordless).(map[string]any)
		out = append(out, unframed(s, filepath.Base(filepath.Dir(file)), value)...)
	}
	return out, nil
}

// unframed returns an example of a definition as messages: one for the definition, one for the params if it is a
// request or a notification, and only one for the result if it is a response.
func unframed(s *schema.Schema, definition string, value map[string]any) []message {
	out := []message{{s.Revision, "made", "definition " + definition, value}}
	method, _ := value["method"].(string)
	params, calls := value["params"].(map[string]any)
	result, answers := value["result"].(map[string]any)
	first := 0
	if isSent(s, definition) {
		first = 1
	}
	switch {
	case calls && strings.HasSuffix(definition, "Request"):
		return append(out, message{s.Revision, "made", "request " + method, params})[first:]
	case calls && strings.HasSuffix(definition, "Notification"):
		return append(out, message{s.Revision, "made", "notification " + method, params})[first:]
	case answers:
		out[0].kind, out[0].value = "definition "+strings.TrimSuffix(definition, "Response"), result
		if result["resultType"] == "input_required" {
			out[0].kind = "definition InputRequiredResult"
		}
	}
	return out
}

// isSent reports whether the schema lists a definition as a message that a client or a server sends. Other definitions
// are parts of messages.
func isSent(s *schema.Schema, definition string) bool {
	for _, list := range []string{"ClientRequest", "ServerRequest", "ClientNotification", "ServerNotification"} {
		def := s.Lookup(list)
		if def == nil {
			continue
		}
		for _, n := range append(def.Node.AnyOf, def.Node) {
			if n.Ref == definition {
				return true
			}
		}
	}
	return false
}

// perForm is how many messages of one form are kept.
const perForm = 3

// distinct returns the messages of a revision, with their texts replaced by [neutral] ones. It leaves out messages that
// are equal then, and keeps at most perForm of those that [formOf] gives the same form.
func distinct(all []message, revision string) []message {
	var out []message
	forms, texts := map[string]int{}, map[string]bool{}
	for _, m := range all {
		if m.revision != revision {
			continue
		}
		m.value, _ = rewritten("", m.value, neutral).(map[string]any)
		form, text := m.from+" "+m.kind+" "+textOf(formOf("", m.value)), m.kind+" "+textOf(m.value)
		if forms[form] < perForm && !texts[text] {
			forms[form]++
			texts[text] = true
			out = append(out, m)
		}
	}
	return out
}

func write(root, revision string, list []message) error {
	var lines []recorded.Message
	known := map[string]bool{}
	for _, m := range list {
		line := recorded.Message{From: m.from, Kind: m.kind, Text: textOf(m.value), Written: recorded.Unknown}
		if !known[line.Kind+line.Text] {
			known[line.Kind+line.Text] = true
			lines = append(lines, line)
		}
	}
	slices.SortFunc(lines, func(a, b recorded.Message) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.From, b.From), cmp.Compare(a.Text, b.Text))
	})
	dir := filepath.Join(root, "schema", "messages")
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return err
	}
	fmt.Printf("%s: %d messages\n", revision, len(lines))
	return recorded.Write(recorded.File(dir, revision), lines)
}
