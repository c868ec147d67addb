package server

import (
	"testing"

	"go.uber.org/goleak"

	_ "github.com/mcpgen/mcpgen/mcp/keys" // tests of servers for many clients
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
