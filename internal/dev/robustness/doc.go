// Package robustness tests servers with the input of broken and hostile clients. The input and the allowed responses
// are data, which run over stdio and over HTTP with and without sessions. After every row the next good request must be
// answered, and no response may contain a stack trace, the text of a panic or a path of the server.
package robustness
