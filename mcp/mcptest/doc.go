// Package mcptest runs an MCP server in a test and talks to it as a client would, in memory, in any
// revision of the protocol.
//
//	func TestNote(t *testing.T) {
//		c := mcptest.New(t, newServer(t))
//		if got := c.Read("notes:///today"); got != "# Today\n" {
//			t.Errorf("note = %q", got)
//		}
//	}
//
// A call that fails ends the test, with the messages that went to and fro; [Client.ReadError],
// [Client.CallError] and [Client.Do] return the error instead. The server and all its goroutines have ended when the
// test has.
package mcptest
