// Package mcptest has a client for tests of an MCP server, in memory and of any revision of the protocol. Five names to
// know: [New] connects a [Client] to a server; [Client.Read] and [Client.Call] read resources and call tools;
// [Client.Subscribe] waits for updates; [Record] compares whole conversations with a file.
//
//	func TestNote(t *testing.T) {
//		c := mcptest.New(t, newServer(t))
//		if got := c.Read("notes:///today"); got != "# Today\n" {
//			t.Errorf("note = %q", got)
//		}
//	}
//
// A call that fails ends the test and prints the messages of the connection; [Client.ReadError], [Client.CallError] and
// [Client.Do] return the error instead. The server and all its goroutines end with the test.
package mcptest
