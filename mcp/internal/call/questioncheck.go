package call

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generated/protocol"
)

// notToVisit says why a user must not be sent to an address; "" if nothing is wrong with it.
func notToVisit(address string) string {
	scheme, rest, absolute := strings.Cut(address, "://")
	host := rest
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		host = rest[:end]
	}
	name := host
	if colon := strings.LastIndexByte(host, ':'); colon > strings.LastIndexByte(host, ']') {
		name = host[:colon]
	}
	switch {
	case !absolute || host == "" || strings.ContainsFunc(address, func(c rune) bool { return c <= ' ' || c >= 0x7f }):
		return "is not an absolute URL in ASCII"
	case strings.Contains(host, "@"):
		return "has a user or a password"
	case strings.EqualFold(scheme, "http") && !slices.Contains([]string{"localhost", "127.0.0.1", "[::1]"}, name):
		return "must be https, unless it is one of this machine"
	}
	return ""
}

// misplacedToolResult names the first message that breaks the rule for results of tools; "" if none does. A message
// with results of tools has nothing else, and follows the message with the calls.
func misplacedToolResult(messages []protocol.SamplingMessage) string {
	var open []string // calls without a result
	for i := range messages {
		m := &messages[i]
		var results, others int
		for _, block := range m.Content {
			r, ok := block.(*protocol.ToolResultContent)
			if !ok {
				others++
				continue
			}
			results++
			at := slices.Index(open, r.ToolUseID)
			if at < 0 {
				return fmt.Sprintf("message %d has a result of a call that is not in the message before", i)
			}
			open = slices.Delete(open, at, at+1)
		}
		switch {
		case results > 0 && others > 0:
			return fmt.Sprintf("message %d has results of tools and something else", i)
		case len(open) > 0:
			return fmt.Sprintf("message %d lacks a result of the call %q", i, open[0])
		}
		for _, block := range m.Content {
			if use, ok := block.(*protocol.ToolUseContent); ok {
				open = append(open, use.ID)
			}
		}
	}
	if len(open) > 0 {
		return fmt.Sprintf("the call %q has no result", open[0])
	}
	return ""
}
