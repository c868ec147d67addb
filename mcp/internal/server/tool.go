package server

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// Tool is a tool, with the function that runs it.
type Tool struct {
	// Entry is the entry in tools/list.
	Entry *protocol.Tool
	// Revisions are the revisions of the protocol in which the tool exists.
	Revisions RevisionRange
	// Tags are the tags for [Options.OnlyTags] and [Options.ExceptTags].
	Tags []string
	// Guard has the access rules, limits and middleware; nil means none.
	Guard *Guard
	// Call runs the tool. args is the JSON object that the client sent, {} if it sent none. It is valid JSON, is not
	// validated by Entry.InputSchema, and may be kept.
	Call func(c *Call, args []byte) (ToolResult, error)
	// Check reports what is wrong with the arguments of a call before it becomes a task; nil means that Call does.
	Check func(args []byte) error
	// ListChanges declares that the list of tools may change at run time.
	ListChanges bool
	// OnlyApps leaves the tool out of the lists of clients that do not display apps: it is for the apps, not for models.
	OnlyApps bool
	// Logs declares that Call sends log messages to clients.
	Logs bool
	// Asks declares that Call may send requests to the client and wait for the answers.
	Asks bool
	// Task says whether calls may go on as tasks, and TaskRequired that they cannot do otherwise: a client without tasks
	// gets an error. See [Features.Tasks].
	Task         TaskMode
	TaskRequired bool
	// Reads makes the tool read instances of a template, in place of Call. Guard and Revisions are then those of the
	// template, and switching the template switches the tool.
	Reads *TemplateTool

	resourceTool resourceTool   // instead of Call
	reads        int            // index in Features.Resources of what Reads means
	origin       *protocol.Tool // the entry in the member that it comes from, if Entry has another name; see Prefixed
}

// id is the identity of a tool, whatever name joined servers give it.
func (t *Tool) id() *protocol.Tool { return cmp.Or(t.origin, t.Entry) }

// ToolResult is what a tool answers.
type ToolResult struct {
	// Content is the unstructured content, for the model. If it is nil and Structured is set, the content is the JSON
	// of Structured as one text block.
	Content []protocol.ContentBlock
	// Structured is the structured content as JSON; nil means none. Clients of revisions before 2025-06-18 do not get
	// it.
	Structured json.RawMessage
	// IsError marks a failure of the tool, which Content describes for the model.
	IsError bool
}

// Result is short for ToolResult.
type Result = ToolResult

// ToolText returns a result that is one text block.
func ToolText(s string) ToolResult {
	return ToolResult{Content: []protocol.ContentBlock{&protocol.TextContent{Text: s}}}
}

// AsToolText adapts a tool that returns a string.
func AsToolText[S ~string](s S, err error) (ToolResult, error) {
	if err != nil {
		return ToolResult{}, err
	}
	return ToolText(string(s)), nil
}

// AsStructured adapts a tool that returns a struct: it is sent as structured content, and the same
// JSON as text for clients that do not read that.
func AsStructured[T any](v T, err error) (ToolResult, error) {
	if err != nil {
		return ToolResult{}, err
	}
	b, err := marshal(&v)
	return ToolResult{Structured: b}, err
}

// CheckStructured adapts a tool that makes its own result. Structured content that is no JSON, or has a name twice, is
// an error: clients could not read it.
func CheckStructured(r ToolResult, err error) (ToolResult, error) {
	if err != nil || r.Structured == nil {
		return r, err
	}
	if err := wire.CheckValue(r.Structured); err != nil {
		return ToolResult{}, fmt.Errorf("mcp: Structured of the result: %w", err)
	}
	return r, nil
}

// AsResult adapts a tool that returns a value which is no object, such as a number, a boolean, a time or a list. It is
// sent as the member "result" of structured content, and by itself as text.
func AsResult[T any](v T, err error) (ToolResult, error) {
	if err != nil {
		return ToolResult{}, err
	}
	b, err := marshal(&v)
	return wrapped(b), err
}

// wrapped returns the result {"result": value}, with value as its text.
func wrapped(value []byte) ToolResult {
	r := ToolText(string(value))
	r.Structured = slices.Concat([]byte(`{"result":`), value, []byte("}"))
	return r
}

// marshal returns v as JSON. A nil slice is an empty list and a nil map an empty object, as schemas promise.
func marshal[T any](v *T) ([]byte, error) {
	b, err := json.Marshal(v)
	if string(b) == "null" {
		switch reflect.TypeFor[T]().Kind() {
		case reflect.Slice:
			b = []byte("[]")
		case reflect.Map:
			b = []byte("{}")
		}
	}
	if err == nil {
		err = wire.CheckValue(b) // keys of a map may have become equal
	}
	return b, err
}

// Blocks returns a result of several blocks, or of none.
func Blocks(blocks ...Block) ToolResult {
	if blocks == nil {
		blocks = []Block{}
	}
	return ToolResult{Content: blocks}
}

// AsBlock adapts a tool that returns one block. A nil block is an empty result.
func AsBlock(b Block, err error) (ToolResult, error) {
	if b == nil {
		return AsDone(err)
	}
	return Blocks(b), err
}

// AsBlocks adapts a tool that returns blocks.
func AsBlocks[B ~[]Block](b B, err error) (ToolResult, error) { return Blocks(b...), err }

// check reports what no client could read: mistakes of the tool.
func (r *ToolResult) check() error {
	for i, b := range r.Content {
		if b == nil {
			return fmt.Errorf("block %d of the result is nil", i)
		}
	}
	return nil
}

// AsDone adapts a tool that returns only an error.
func AsDone(err error) (ToolResult, error) {
	return ToolResult{Content: []protocol.ContentBlock{}}, err
}

// decoders are kept, since one that generated code has seen would be new memory for each call.
var decoders = sync.Pool{New: func() any { return new(wire.Decoder) }}

// Arguments decodes the arguments of a tool. The error is an [ArgumentsError] about all that is
// wrong with them. Strings of v may be part of args, which must not be changed afterwards. P is a pointer.
func Arguments[P any](args []byte, decode func(*wire.Decoder, P), v P) error {
	d := decoders.Get().(*wire.Decoder)
	d.Collect(args)
	decode(d, v)
	err := d.Err()
	d.Collect(nil)
	decoders.Put(d)
	if err != nil {
		return &ArgumentsError{err}
	}
	return nil
}

// CheckArguments returns a function for [Tool].Check that decodes the arguments.
func CheckArguments[T any](decode func(*wire.Decoder, *T)) func(args []byte) error {
	return func(args []byte) error { return Arguments(args, decode, new(T)) }
}

// NoArguments refuses arguments of a tool that takes none. The error is an [ArgumentsError].
func NoArguments(args []byte) error {
	return Arguments(args, func(d *wire.Decoder, _ *struct{}) {
		for d.Object(); d.Next(); {
			d.Fail("unknown argument")
		}
	}, nil)
}

// ArgumentsError says that the arguments of a tool call do not fit its input schema. The client
// sees its text: as a failed tool result from 2025-11-25 on, as -32602 before.
type ArgumentsError struct{ err error }

// Error implements error.
func (e *ArgumentsError) Error() string { return "invalid arguments: " + e.err.Error() }

// Unwrap returns what the decoder found.
func (e *ArgumentsError) Unwrap() error { return e.err }

// checkLength returns an error for the name of a tool that is too long, which a prefix may have made it.
func checkLength(name string) error {
	if len(name) > maxToolName {
		return fmt.Errorf("the name has %d characters, and may have %d", len(name), maxToolName)
	}
	return nil
}

// maxToolName is the most characters that the name of a tool may have.
const maxToolName = 128

// validToolName reports whether clients take name for that of a tool.
func validToolName(name string) bool {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-"
	return name != "" && len(name) <= maxToolName && strings.Trim(name, letters) == ""
}

// EnableTool switches a tool on or off. While it is off, clients can neither list nor call it. The change is announced
// to clients. EnableTool does nothing for an unknown name and never blocks.
func (s *Server) EnableTool(name string, on bool) { s.enableByName(kindTool, name, on) }

// toolKind is the row of tools.
var toolKind = kindRow{
	word:   "tool",
	number: func(f *Features) int { return len(f.Tools) },
	at: func(f *Features, i int) feature {
		t := &f.Tools[i]
		return feature{
			t.Entry.Name, t.id(), &t.Revisions, t.Tags, t.Guard, t.ListChanges, false, false, t.Logs, "",
		}
	},
	check: checkTools,
	clear: func(f *Features) { f.Tools = nil },
	add:   func(f, from *Features) { f.Tools = append(f.Tools, from.Tools...) },
	rename: func(f *Features, prefix string) {
		for i := range f.Tools {
			t := &f.Tools[i]
			entry := *t.Entry
			entry.Name = prefix + entry.Name
			t.origin, t.Entry = t.id(), &entry
		}
	},
	setRoute: func(f *Features, find func(name string) int) { f.RouteTool = find },
	changed:  protocol.MethodNotificationsToolsListChanged,
	filter:   func(l *protocol.SubscriptionFilter) **bool { return &l.ToolsListChanged },
	newList:  func(s *Server) *staticList { return newToolList(s, nil) },
	declare: func(c *protocol.ServerCapabilities, listChanged bool) {
		t := orNew(c.Tools)
		t.ListChanged = either(t.ListChanged, listChanged)
		c.Tools = &t
	},
	withdraw: func(c *protocol.ServerCapabilities) { c.Tools = nil },
	offered: func(c *protocol.ServerCapabilities) (has, listChanged bool) {
		return c.Tools != nil, isTrue(orNew(c.Tools).ListChanged)
	},
}

// checkTools reports contradictions in the tools of f.
func checkTools(f *Features) error {
	var errs []error
	for i := range f.Tools {
		if t := &f.Tools[i]; t.Entry == nil || (t.Call == nil) == (t.Reads == nil) {
			errs = append(errs, fmt.Errorf("mcp: Features.Tools[%d]: want Entry, and Call or Reads", i))
		}
	}
	if f.ResourceTools && f.RouteTool != nil {
		for _, t := range resourceTools() {
			if f.RouteTool(t.Entry.Name) >= 0 {
				errs = append(errs, fmt.Errorf("mcp: Features.ResourceTools: there is another tool %q", t.Entry.Name))
			}
		}
	}
	return errors.Join(errs...)
}
