package mcptest_test

import (
	"fmt"
	"log"
	"testing"

	"github.com/mcpgen/mcpgen/golden/config"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
)

// t stands for the *testing.T of a test.
var t testing.TB = exampleTB{}

// A test talks to a server as a client would, in each revision of the protocol.
func Example() {
	for _, rev := range mcp.Revisions() {
		settings := config.NewSettingsHolder(config.Settings{Theme: config.Light})
		srv, err := config.NewConfigServer(config.ConfigImpl{
			Settings: settings,
			Banner:   config.NewBannerHolder(config.Banner{Text: "Hello."}),
			Panel:    &config.Panel{Settings: settings},
		}, nil)
		if err != nil {
			log.Fatal(err)
		}
		c := mcptest.New(t, srv, mcptest.WithRevision(rev))
		updates := c.Subscribe("config:///settings")
		if err := settings.Set(config.Settings{Theme: config.Dark}); err != nil {
			log.Fatal(err)
		}
		fmt.Println(rev, updates.Next(), c.Read("config:///banner"))
		if err := srv.Close(); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// 2024-11-05 config:///settings Hello.
	// 2025-03-26 config:///settings Hello.
	// 2025-06-18 config:///settings Hello.
	// 2025-11-25 config:///settings Hello.
	// 2026-07-28 config:///settings Hello.
}

// exampleTB is what package mcptest needs of a test.
type exampleTB struct{ testing.TB }

func (exampleTB) Helper()                      {}
func (exampleTB) Cleanup(func())               {}
func (exampleTB) Log(args ...any)              { fmt.Println(args...) }
func (exampleTB) Errorf(f string, args ...any) { fmt.Printf(f+"\n", args...) }
func (exampleTB) Fatalf(f string, args ...any) { log.Fatalf(f, args...) }
