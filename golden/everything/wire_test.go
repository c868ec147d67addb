package everything_test

import (
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/golden/everything"
	"github.com/mcpgen/mcpgen/golden/internal/transcript"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func newServer(t *testing.T) *everything.EverythingServer {
	t.Helper()
	srv, err := everything.New(nil) // with the delay an answer comes before the updates that it causes
	if err != nil {
		t.Fatal(err)
	}
	return srv
}

func fresh(t *testing.T) mcptest.Server {
	t.Helper()
	return newServer(t)
}

// willing fills in every form.
func willing(p protocol.ElicitRequestParams) protocol.ElicitResult {
	form, ok := p.(*protocol.ElicitRequestFormParams)
	if !ok {
		return mcptest.Decline()
	}
	for _, field := range form.RequestedSchema.Properties {
		switch field.Name {
		case "name":
			return mcptest.Accept(`{"name":"Ada"}`)
		case "ok":
			return mcptest.Accept(`{"ok":true}`)
		case "color":
			return mcptest.Accept(`{"color":"blue"}`)
		}
	}
	return mcptest.Accept(`{}`)
}

// All that the server offers, in each revision.
func TestWire(t *testing.T) {
	t.Attr("requirements", "meta-client-info")
	transcript.Both(t, "wire", fresh, func(c *mcptest.Client, rev protocol.Revision) {
		if protocol.HasMethod(rev, protocol.MethodServerDiscover) {
			c.Do(protocol.MethodServerDiscover, nil)
		}
		c.Do(protocol.MethodResourcesList, nil)
		c.Do(protocol.MethodResourcesTemplatesList, nil)
		c.Do(protocol.MethodToolsList, nil)
		c.Do(protocol.MethodPromptsList, nil)
		for _, uri := range []string{"test://static-text", "test://static-binary", "test://template/7/data",
			"test://watched-resource"} {
			c.Read(uri)
		}
		for _, tool := range []string{
			"test_simple_text", "test_image_content", "test_audio_content", "test_embedded_resource",
			"test_multiple_content_types",
			"test_error_handling", "test_tool_with_progress", "test_tool_with_logging",
		} {
			c.Do(protocol.MethodToolsCall, []byte(`{"name":"`+tool+`"}`))
		}
		c.GetPrompt("test_prompt_with_arguments", "arg1", "one", "arg2", "two")
		c.CompletePrompt("test_prompt_with_arguments", "arg1", "a")
		updates := c.Subscribe("test://watched-resource")
		c.Call("test_touch_watched_resource", "")
		updates.Next()
	}, mcptest.WithProgress(), mcptest.WithLogs(protocol.LoggingLevelInfo))
}

// The tools that ask. Revisions without forms refuse them.
func TestWireQuestions(t *testing.T) {
	t.Attr("requirements", "ask-kinds")
	script := func(c *mcptest.Client, _ protocol.Revision) {
		for _, tool := range []string{
			"test_input_required_result_elicitation", "test_input_required_result_multiple_inputs",
			"test_input_required_result_list_roots", "test_input_required_result_multi_round",
			"test_elicitation_sep1034_defaults", "test_elicitation_sep1330_enums",
		} {
			c.Do(protocol.MethodToolsCall, []byte(`{"name":"`+tool+`"}`))
		}
	}
	transcript.Both(t, "questions", fresh, script,
		mcptest.WithElicitation(willing),
		mcptest.WithSampling(func(*protocol.CreateMessageRequestParams) protocol.CreateMessageResult {
			return mcptest.Reply("Hello")
		}),
		mcptest.WithRoots(protocol.Root{URI: "file:///home", Name: "Home"}))
}

// What the other scripts leave out: lists that change, what clients tell unasked, questions that are given up, ends.
func TestWireRest(t *testing.T) {
	t.Attr("requirements", "list-changed")
	var srv *everything.EverythingServer
	var release chan struct{}
	start := func(t *testing.T) mcptest.Server {
		release = make(chan struct{})
		srv = newServer(t)
		return srv
	}
	script := func(c *mcptest.Client, rev protocol.Revision) {
		tools := c.SubscribeTools()
		c.Call("test_trigger_tool_change", "")
		tools.Next()
		tools.Close()
		prompts := c.SubscribePrompts()
		c.Call("test_trigger_prompt_change", "")
		prompts.Next()
		prompts.Close()
		updates := c.Subscribe("test://watched-resource")
		if protocol.HasMethod(rev, protocol.MethodServerDiscover) {
			_ = srv.Close()
			time.Sleep(time.Second) // lets everybody in the bubble do what is left to do
			return
		}
		updates.Close()
		c.Do(protocol.MethodPing, nil)
		c.Notify(protocol.MethodNotificationsProgress, []byte(`{"progressToken":"nobody's","progress":1}`))
		c.Notify(protocol.MethodNotificationsRootsListChanged, nil)
		c.Send(`{"jsonrpc":"2.0","id":"held","method":"tools/call","params":{"name":"test_sampling","arguments":{"prompt":"Hello?"}}}`)
		time.Sleep(time.Second)
		c.Notify(protocol.MethodNotificationsCancelled, []byte(`{"requestId":"held","reason":"too slow"}`))
		time.Sleep(time.Second)
		close(release)
		time.Sleep(time.Second)
	}
	transcript.Both(t, "rest", start, script,
		mcptest.WithSampling(func(*protocol.CreateMessageRequestParams) protocol.CreateMessageResult {
			<-release
			return mcptest.Reply("Too late.")
		}))
}

// What is taken away is gone from the list, and comes back.
func TestExtraToolComesAndGoes(t *testing.T) {
	c := mcptest.New(t, newServer(t))
	changes := c.SubscribeTools()
	for _, want := range []bool{false, true} {
		c.Call("test_trigger_tool_change", "")
		changes.Next()
		found := false
		for _, tool := range c.Tools() {
			found = found || tool.Name == "extra-tool" || tool.Name == "extra_tool"
		}
		if found != want {
			t.Errorf("the tool is listed: %v, want %v", found, want)
		}
	}
}
