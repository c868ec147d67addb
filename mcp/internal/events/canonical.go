package events

import (
	"encoding/json"
	"strconv"

	"github.com/mcpgen/mcpgen/mcp/internal/canonical"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// Canonical returns a JSON value in one form for all its spellings. Integers that a float64 cannot hold stay as they
// are written, so that different arguments stay different.
func Canonical(raw []byte) json.RawMessage { return canonical.Append(nil, raw, appendNumber) }

func appendNumber(b, text []byte) []byte {
	if _, err := strconv.ParseInt(string(text), 10, 64); err == nil && string(text) != "-0" {
		return append(b, text...)
	}
	f, err := strconv.ParseFloat(string(text), 64)
	if err != nil {
		return append(b, text...)
	}
	return wire.AppendFloat(b, f)
}
