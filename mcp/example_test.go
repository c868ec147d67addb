package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"testing"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/golden/ask"
	"github.com/mcpgen/mcpgen/golden/board"
	"github.com/mcpgen/mcpgen/golden/config"
	"github.com/mcpgen/mcpgen/golden/notes"
	"github.com/mcpgen/mcpgen/golden/vault"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
)

// A server is what the generated constructor returns. It serves clients of all revisions.
func ExampleServer() {
	dir, err := os.MkdirTemp("", "notes")
	check(err)
	defer os.RemoveAll(dir)
	check(os.WriteFile(filepath.Join(dir, "today.md"), []byte("# Today\n"), 0o600))
	n, err := notes.Open(dir)
	check(err)
	defer n.Close()

	srv, err := notes.NewNotesServer(notes.NotesImpl{Notes: n}, &mcp.Options{PageSize: 100})
	check(err)
	defer srv.Close()
	// A program calls srv.Serve(ctx, stdio.New(nil)), or mounts mcphttp.Handler(srv, nil).
	client := connect(srv)
	fmt.Print(client.Read(notes.NoteURI("today")))
	// Output: # Today
}

// A store keeps the values of a template, and tells subscribers of changes.
func ExampleStore() {
	cards := board.NewCardStore() // a *mcp.Store[board.CardKey, board.Card]
	check(cards.Put(board.Card{Column: board.Todo, No: 1, Title: "Paint", Body: "Paint the fence."}))
	key := board.CardKey{Column: board.Todo, No: 1}
	err := cards.Update(key, func(c *board.Card) error {
		c.Body = "Paint the fence green."
		return nil
	})
	check(err)
	card, ok := cards.Get(key)
	fmt.Println(ok, card.Body)
	// Output: true Paint the fence green.
}

// A holder keeps the only value of a resource, and tells subscribers of changes.
func ExampleHolder() {
	settings := config.NewSettingsHolder(config.Settings{Theme: config.Light}) // a *mcp.Holder[config.Settings]
	srv, err := config.NewConfigServer(config.ConfigImpl{
		Settings: settings,
		Banner:   config.NewBannerHolder(config.Banner{Text: "Hello."}),
		Panel:    &config.Panel{Settings: settings},
	}, nil)
	check(err)
	defer srv.Close()
	client := connect(srv)
	updates := client.Subscribe("config:///settings")
	check(settings.Set(config.Settings{Theme: config.Dark, FontSize: 12}))
	fmt.Println(updates.Next())
	fmt.Println(client.Read("config:///settings"))
	// Output:
	// config:///settings
	// {"theme":"dark","fontSize":12}
}

// A handler asks the user of the client with a form. This is the tool book of golden/ask.
func ExampleAskForm() {
	srv, err := ask.NewAskServer(ask.AskImpl{}, nil)
	check(err)
	defer srv.Close()
	client := connect(srv, mcptest.WithElicitation(func(p protocol.ElicitRequestParams) protocol.ElicitResult {
		form, _ := p.(*protocol.ElicitRequestFormParams)
		fmt.Println(form.Message)
		if form.Message == "Who goes to Rome?" {
			return mcptest.Accept(`{"name":"Ada"}`)
		}
		return mcptest.Accept(`{"class":"first"}`)
	}))
	fmt.Println(client.CallText("book", `{"to":"Rome"}`))
	// Output:
	// Who goes to Rome?
	// How does Ada want to sit?
	// {"name":"Ada","class":"first"}
}

// A caller who may not use a feature gets the answer for what does not exist. Letters of golden/vault are for their
// owners, who need the scope vault.
func ExampleCaller() {
	v := new(vault.Vault)
	letter := vault.WriteIn{Name: "key", Text: "Under the mat."}
	_, err := v.Write(context.Background(), letter, mcp.Caller{Subject: "ada"})
	check(err)
	srv, err := vault.NewVaultServer(vault.VaultImpl{Vault: v, Middleware: new(vault.Tracer)}, nil)
	check(err)
	defer srv.Close()
	uri := vault.LetterURI("ada", "key")
	ada := connect(srv, mcptest.WithCaller(mcp.Caller{Subject: "ada", Scopes: []string{"vault"}}))
	fmt.Println(ada.Read(uri))
	bob := connect(srv, mcptest.WithCaller(mcp.Caller{Subject: "bob", Scopes: []string{"vault"}}))
	fmt.Println(mcptest.CodeOf(bob.ReadError(uri)))
	// Output:
	// Under the mat.
	// -32602
}

// Middleware runs around the calls of a feature. A directive names it, or the field Use of a dynamic tool.
func ExampleMiddleware() {
	trace := func(c *mcp.Call, p mcp.Params, next mcp.Next) (mcp.Result, error) {
		call := p.(*protocol.CallToolRequestParams)
		r, err := next(c, p)
		if r, ok := r.(*protocol.CallToolResult); ok {
			fmt.Println(call.Name, string(call.Arguments), "->", len(r.Content), "block")
		}
		return r, err
	}
	srv, err := ask.NewAskServer(ask.AskImpl{}, &mcp.Options{DynamicTools: true})
	check(err)
	defer srv.Close()
	err = srv.AddTool(mcp.DynamicTool{
		Name: "greet",
		Call: func(_ *mcp.Call, _ json.RawMessage) (mcp.ToolResult, error) { return mcp.ToolText("Hello."), nil },
		Use:  []mcp.Middleware{trace},
	})
	check(err)
	fmt.Println(connect(srv).CallText("greet", `{"name":"Ada"}`))
	// Output:
	// greet {"name":"Ada"} -> 1 block
	// Hello.
}

// A tool that is known only while the program runs is added with its JSON schema.
func ExampleServer_AddTool() {
	srv, err := ask.NewAskServer(ask.AskImpl{}, &mcp.Options{DynamicTools: true})
	check(err)
	defer srv.Close()
	err = srv.AddTool(mcp.DynamicTool{
		Name:        "double",
		Description: "Doubles a number.",
		InputSchema: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`),
		Call: func(_ *mcp.Call, args json.RawMessage) (mcp.ToolResult, error) {
			var in struct{ N int }
			if err := json.Unmarshal(args, &in); err != nil {
				return mcp.ToolResult{}, mcp.Errorf("n is no number")
			}
			return mcp.ToolText(fmt.Sprint(2 * in.N)), nil
		},
		Limit: mcp.Limit{Concurrency: 4},
	})
	check(err)
	fmt.Println(connect(srv).CallText("double", `{"n":21}`))
	// Output: 42
}

// The text of an error that Errorf makes reaches the client; that of others goes to the log.
func ExampleErrorf() {
	err := mcp.Errorf("there is no note called %q", "today")
	fmt.Println(err)
	// Output: there is no note called "today"
}

// connect returns a client of srv.
func connect(srv mcptest.Server, opts ...mcptest.Option) *mcptest.Client {
	return mcptest.New(&exampleTB{}, srv, opts...)
}

// exampleTB is what mcptest needs of a test.
type exampleTB struct{ testing.TB }

func (exampleTB) Helper()                      {}
func (exampleTB) Cleanup(func())               {}
func (exampleTB) Log(args ...any)              { fmt.Println(args...) }
func (exampleTB) Errorf(f string, args ...any) { fmt.Printf(f+"\n", args...) }
func (exampleTB) Fatalf(f string, args ...any) { log.Fatalf(f, args...) }
func (exampleTB) Context() context.Context     { return context.Background() }

// check ends an example that fails.
func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
