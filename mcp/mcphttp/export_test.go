package mcphttp

// Limit is [Serve] before it serves, for tests whose http.Server is that of package httptest.
var Limit = limit
