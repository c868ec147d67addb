package server

// tracked is what a transport has opened by [Server.Exchange] or [Server.NewSession], and what ends with the server.
type tracked interface {
	// shutDown ends it because the server closes. Requests may go on for as long as [Options.Grace] says; nobody waits
	// for them afterwards.
	shutDown()
}
