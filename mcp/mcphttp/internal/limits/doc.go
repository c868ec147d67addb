// Package limits decides who gets how much of the server. The way of a request through it:
//
//  1. connections.go: an [HTTPServer] has a listener that counts connections, and closes an idle one for a new one.
//  2. framing.go refuses a request whose end a proxy and this server could see at different places. writes.go gives
//     each write a deadline; gone.go ends the context of a request whose client has left.
//  3. proxies.go finds the address of the client, and clients.go the usage of that client.
//  4. admission.go: [Admission.Take] gives the client a place, or some bytes, if there is room in total and in its
//     share. If not, [Admission.TooMany] is the response. Give returns what was taken.
//  5. bodies.go reads the body, which counts as it grows.
//  6. request.go counts the response before it is made, and requests that wait for a person.
//
// A client is a subject, or else an address. Counters are atomic, and no lock is held during I/O.
package limits
