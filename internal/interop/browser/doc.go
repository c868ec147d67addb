// Package browser holds no code but a test: web pages in headless Chromium are clients of golden/notes. One page of
// its own speaks to the server by fetch, from other origins; the other is that of the MCP Inspector.
//
// Chromium is that of the system (apt-get install chromium, which make setup does for root); npm brings what drives it
// and the Inspector, whose Node.js is that of the conformance suite.
package browser
