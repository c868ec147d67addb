package server

import (
	"net/netip"
	"slices"
	"testing"

	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/uri"
)

func TestGivenVarsAreText(t *testing.T) {
	v := feature.CompletionContext{"host": "::1", "odd": "%2e"}.Vars("odd", "port", "host")
	if got := v.RawText(0, "odd"); got != "%2e" {
		t.Errorf("got %q", got)
	}
	if v.Has(1) || uri.Of[netip.Addr](v, 2, "host") != netip.IPv6Loopback() || v.Err() != nil {
		t.Errorf("got %v, %v", v.Has(1), v.Err())
	}
}

func TestCompleteFromKeepsTheOrder(t *testing.T) {
	t.Attr("requirements", "completion-sorted")
	got, err := feature.CompleteFrom("warn", "info", "wild")(nil, "w", nil)
	if err != nil || !slices.Equal(got, []string{"warn", "wild"}) {
		t.Errorf("got %q, %v", got, err)
	}
}
