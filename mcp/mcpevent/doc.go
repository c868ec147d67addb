// Package mcpevent is for generated code of servers with events (extension io.modelcontextprotocol/events). Other
// servers do not link it.
package mcpevent
