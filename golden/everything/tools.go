package everything

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp"
)

// TestSimpleText answers with a text.
//
//mcp:tool
func TestSimpleText(context.Context) (string, error) { return "This is a simple text.", nil }

// TestImageContent answers with a picture.
//
//mcp:tool
func TestImageContent(context.Context) (mcp.Block, error) {
	return &protocol.ImageContent{Data: StaticBinary, MIMEType: "image/png"}, nil
}

// TestAudioContent answers with a sound.
//
//mcp:tool
func TestAudioContent(context.Context) (mcp.Block, error) {
	return &protocol.AudioContent{Data: beep, MIMEType: "audio/wav"}, nil
}

// TestEmbeddedResource answers with a resource.
//
//mcp:tool
func TestEmbeddedResource(context.Context) (mcp.Block, error) {
	return &protocol.EmbeddedResource{Resource: &protocol.TextResourceContents{
		URI: "test://embedded-resource", MIMEType: "text/plain", Text: "The text of the resource.",
	}}, nil
}

// TestMultipleContentTypes answers with a text, a picture and a resource.
//
//mcp:tool
func TestMultipleContentTypes(context.Context) ([]mcp.Block, error) {
	return []mcp.Block{
		mcp.TextBlock("A picture and a resource follow."),
		&protocol.ImageContent{Data: StaticBinary, MIMEType: "image/png"},
		&protocol.EmbeddedResource{Resource: &protocol.TextResourceContents{
			URI: "test://mixed-content-resource", MIMEType: "application/json", Text: `{"value":1}`,
		}},
	}, nil
}

// TestErrorHandling always fails.
//
//mcp:tool
func TestErrorHandling(context.Context) error {
	return mcp.Errorf("this tool always fails")
}

// TestToolWithProgress reports how far it is.
//
//mcp:tool
func TestToolWithProgress(_ context.Context, progress mcp.Progress) (string, error) {
	for done := range 3 {
		progress.Report(float64(done*50), 100, "working")
	}
	return "All is done.", nil
}

// TestToolWithLogging logs what it does.
//
//mcp:tool
func TestToolWithLogging(_ context.Context, log *slog.Logger) (string, error) {
	for _, step := range []string{"started", "working", "finished"} {
		log.Info(step)
	}
	return "All was logged.", nil
}

// TestLoggingTool logs one message, if the client wants any.
//
//mcp:tool
func TestLoggingTool(_ context.Context, log *slog.Logger) (string, error) {
	log.Info("this request is handled")
	return "It was logged for those who asked.", nil
}

// TestReconnection takes a moment.
//
//mcp:tool
func TestReconnection(ctx context.Context, progress mcp.Progress) (string, error) {
	progress.Report(0, 1, "waiting")
	select {
	case <-time.After(100 * time.Millisecond):
		return "You have waited.", nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// JSONSchema202012Tool has an input schema that no Go type could give.
//
//mcp:tool name=json_schema_2020_12_tool schema=@person.schema.json
func JSONSchema202012Tool(_ context.Context, in json.RawMessage) (string, error) {
	return "The arguments are " + string(in) + ".", nil
}

// RegionIn says where something is to be done.
type RegionIn struct {
	// Region is repeated in a header, so that proxies can route by it.
	Region string `json:"region" mcp:"header=Region"`
}

// TestHeaderTool wants its argument in a header too.
//
//mcp:tool readonly
func TestHeaderTool(_ context.Context, in RegionIn) (string, error) {
	return "Done in " + in.Region + ".", nil
}

// errAnswered are the answers of users that a tool goes on with.
var errAnswered = []error{mcp.ErrDeclined, mcp.ErrCancelled}

// answered reports whether an error of a question is the answer of a user who did not want to.
func answered(err error) bool {
	for _, e := range errAnswered {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// or returns s, or other if s is empty.
func or(s, other string) string {
	if s == "" {
		return other
	}
	return s
}
