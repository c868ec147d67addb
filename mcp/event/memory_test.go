package event_test

import (
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp/event"
	"github.com/mcpgen/mcpgen/mcp/event/logtest"
)

func TestMemory(t *testing.T) {
	t.Attr("requirements", "event-size")
	m := event.NewMemory()
	logtest.Run(t, func(*testing.T) event.Log { return m })
}

// Entries go when their time is over, also if nothing is appended.
func TestMemoryAge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, keep := event.NewMemory(), event.Retention{For: time.Minute, Most: 10}
		e := &event.Entry{ID: "a", Kept: time.Now(), Data: []byte("{}")}
		if err := m.Append(t.Context(), "n", e, keep); err != nil {
			t.Fatal(err)
		}
		time.Sleep(59 * time.Second)
		if p, err := m.Read(t.Context(), "n", 0, 10); err != nil || len(p.Entries) != 1 {
			t.Errorf("%+v %v", p, err)
		}
		time.Sleep(2 * time.Second)
		if p, err := m.Read(t.Context(), "n", 0, 10); err != nil || len(p.Entries) != 0 || p.First != 2 || p.Last != 1 {
			t.Errorf("%+v %v", p, err)
		}
	})
}

// The memory of one name is bounded whatever the retention.
func TestMemoryBytes(t *testing.T) {
	m := event.NewMemory()
	data := []byte(`"` + strings.Repeat("x", event.MaxData-2) + `"`)
	const n = 2 * event.MaxMemory / event.MaxData
	for i := range n {
		e := &event.Entry{ID: strconv.Itoa(i), Kept: time.Now(), Data: data}
		if err := m.Append(t.Context(), "n", e, event.Retention{For: time.Hour, Most: n}); err != nil {
			t.Fatal(err)
		}
	}
	if p, err := m.Read(t.Context(), "n", 0, 0); err != nil || p.Last-p.First+1 != event.MaxMemory/event.MaxData {
		t.Errorf("%+v %v", p, err)
	}
}
