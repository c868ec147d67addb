// Package everything has one of all that the official conformance suite asks a server for, under the
// names that the suite uses. It is judged by that suite, at one URL, for both eras.
//
//mcp:server name=everything version=1.0.0 title="Everything server" instructions="Made for the conformance suite."
package everything

import (
	"context"
	_ "embed"
	"sync"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp"
)

//go:generate go run github.com/mcpgen/mcpgen/cmd/mcpgen

//go:embed beep.wav
var beep []byte

// Everything changes what it offers while it serves.
type Everything struct {
	// Server is told of the changes. It must be set before Everything is used.
	Server *EverythingServer

	mu               sync.Mutex
	noTool, noPrompt bool // what is away
}

// New returns the server.
func New(opts *mcp.Options) (*EverythingServer, error) {
	e := new(Everything)
	srv, err := NewEverythingServer(EverythingImpl{Everything: e, Middleware: e}, opts)
	e.Server = srv
	return srv, err
}

// StaticText never changes.
//
//mcp:resource uri=test://static-text name=static-text mime=text/plain
const StaticText = "This text never changes.\n"

// StaticBinary is a picture of one red dot.
//
//go:embed dot.png
//mcp:resource uri=test://static-binary name=static-binary mime=image/png
var StaticBinary []byte

// TemplateData is what belongs to an id.
type TemplateData struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

// Data returns what belongs to an id.
//
//mcp:resource uri=test://template/{id}/data list=none
func Data(_ context.Context, id string) (TemplateData, error) {
	return TemplateData{ID: id, Text: "Data of " + id + "."}, nil
}

// WatchedResource is a text that test_touch_watched_resource changes.
//
//mcp:resource uri=test://watched-resource mime=text/plain subscribe
func WatchedResource(context.Context) (string, error) { return "This text is watched.\n", nil }

// TestTouchWatchedResource tells whoever watches that the text may have changed.
//
//mcp:tool updates=test://watched-resource
func TestTouchWatchedResource(context.Context) error { return nil }

// TestSimplePrompt has no arguments.
//
//mcp:prompt
func TestSimplePrompt(context.Context) (string, error) {
	return "This is a simple prompt.", nil
}

// TestPromptWithArguments repeats its two arguments.
//
//mcp:prompt
//mcp:arg arg1 "desc=First argument"
//mcp:arg arg2 "desc=Second argument"
func TestPromptWithArguments(_ context.Context, arg1, arg2 string) (string, error) {
	return "The arguments are '" + arg1 + "' and '" + arg2 + "'.", nil
}

// CompleteArg1 proposes values for the first argument.
//
//mcp:complete of=TestPromptWithArguments var=arg1
func CompleteArg1(_ context.Context, prefix string) ([]string, error) {
	return []string{prefix + "-one", prefix + "-two"}, nil
}

// TestPromptWithEmbeddedResource shows a resource.
//
//mcp:prompt
//mcp:arg resourceUri param=uri "desc=URI of the resource"
func TestPromptWithEmbeddedResource(_ context.Context, uri string) ([]mcp.Message, error) {
	return []mcp.Message{
		{Role: protocol.RoleUser, Content: &protocol.EmbeddedResource{Resource: &protocol.TextResourceContents{
			URI: uri, MIMEType: "text/plain", Text: "The text of the resource.",
		}}},
		mcp.UserText("Say what you think of the resource."),
	}, nil
}

// TestPromptWithImage shows a picture.
//
//mcp:prompt
func TestPromptWithImage(context.Context) ([]mcp.Message, error) {
	return []mcp.Message{
		{Role: protocol.RoleUser, Content: &protocol.ImageContent{Data: StaticBinary, MIMEType: "image/png"}},
		mcp.UserText("Say what you see."),
	}, nil
}

// TestInputRequiredResultPrompt asks before it answers.
//
//mcp:prompt
func TestInputRequiredResultPrompt(ctx context.Context, client mcp.Peer) (string, error) {
	topic, err := mcp.AskForm[Topic](ctx, client, "topic", "What shall the prompt be about?")
	if err != nil && !answered(err) {
		return "", err
	}
	return "Write about " + or(topic.Topic, "anything") + ".", nil
}

// ExtraPrompt comes and goes.
//
//mcp:prompt
//mcp:toggle
func ExtraPrompt(context.Context) (string, error) { return "You have found me.", nil }

// TestTriggerPromptChange lets extra_prompt go, and come back the next time.
//
//mcp:tool
func (e *Everything) TestTriggerPromptChange(context.Context) (string, error) {
	return e.flip(&e.noPrompt, e.Server.SetExtraPromptEnabled)
}

// ExtraTool comes and goes.
//
//mcp:tool
//mcp:toggle
func ExtraTool(context.Context) (string, error) { return "You have found me.", nil }

// TestTriggerToolChange lets extra_tool go, and come back the next time.
//
//mcp:tool
func (e *Everything) TestTriggerToolChange(context.Context) (string, error) {
	return e.flip(&e.noTool, e.Server.SetExtraToolEnabled)
}

// flip takes something away, or brings it back.
func (e *Everything) flip(away *bool, enable func(bool)) (string, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	*away = !*away
	enable(!*away)
	if *away {
		return "It is gone.", nil
	}
	return "It is back.", nil
}
