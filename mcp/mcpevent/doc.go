// Package mcpevent is for generated code of servers with events (extension io.modelcontextprotocol/events). Other
// servers are not linked with it.
package mcpevent
