// Package clients holds no code but tests: the client of mcp-go drives servers of golden/ over HTTP. It lives in this
// module because this one depends on mcp-go already, and that of users must not.
package clients
