package shared

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/session"
)

// Ids say which extensions a client has declared, and with which settings, however many there are.
func TestSealedExtensions(t *testing.T) {
	s := newSealedIDs(t)
	st := session.State{Revision: protocol.Revision20250618, Client: strings.Repeat("c", maxClientID)}
	for _, want := range []struct {
		settings int // bytes, of the first extension
		others   string
		most     int
	}{{0, "", 411}, {7, "", 520}, {call.MaxClientSettings, "-", 1865}} {
		st.Extensions = nil
		for i := range uint32(32) {
			st.Extensions = append(st.Extensions, feature.DeclaredExtension{Key: 1<<31 + i, Settings: want.others})
		}
		st.Extensions[0].Settings = strings.Repeat("x", want.settings)
		id := s.seal(st, mcp.Caller{Subject: "ann"}, time.Now())
		if o, ok := s.open(id); !ok || !reflect.DeepEqual(o.state, st) {
			t.Errorf("%+v, want %+v", o.state, st)
		}
		if len(id) > want.most || len(id) > maxSealedID {
			t.Errorf("%d bytes of settings: the id has %d characters", want.settings, len(id))
		}
	}
	st.Extensions = []feature.DeclaredExtension{{Key: 1, Settings: "{}"}}
	for i := range 8 {
		if list, ok := extensionsOf(appendExtensions(nil, st.Extensions, true)[:i], true); ok && len(list) > 0 && i < 7 {
			t.Errorf("%d bytes are %v", i, list)
		}
	}
}
