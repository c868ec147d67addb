// Package browser has tests only: web pages in headless Chromium are clients of golden/notes. One page of this folder
// calls the server by fetch, from other origins; the other one is the page of the MCP Inspector. That page displays
// apps and tasks too, and the Inspector's command line is a client of both, of skills and of HTTP+SSE.
//
// Chromium is installed on the system (make setup does it for root). npm installs its driver and the Inspector, which
// runs with the Node.js of the conformance suite.
package browser
