// Package robustness holds the fault suite: what a server is sent by broken and hostile clients, as data, and what it
// may answer, over stdio and over HTTP with and without sessions. After every row the next good request must be
// answered, and no answer may show a stack, a panic or a path of the server.
package robustness
