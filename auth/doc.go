// Package auth lets a server over HTTP take access tokens of an OAuth authorization server: an OAuth 2.1 resource
// server, as the authorization of MCP asks for. A whole program:
//
//	func main() {
//		srv, err := notes.NewNotesServer(notes.NotesImpl{}, nil)
//		if err != nil {
//			log.Fatal(err)
//		}
//		auth.Main(srv)
//	}
//
//	notes -http :8080 -issuer https://login.example.com -audience https://mcp.example.com/mcp
//
// [New] makes a [ResourceServer] for programs with options of their own. It checks JWTs by the keys that the issuer
// publishes, or asks the issuer about each token ([Options].Introspect). It serves the document by which clients find
// the issuer (RFC 9728) and asks callers who lack scopes of a listed feature for them. [Exchange] gets a handler a
// token for another service; handlers never see the token of the caller.
//
// It is no authorization server: it signs nobody in, registers no clients and issues no tokens.
package auth
