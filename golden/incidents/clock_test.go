package incidents_test

import (
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/golden/incidents"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
)

// In a bubble of package synctest the test has the clock: the hour for which incidents are kept passes at once.
func TestHour(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv, err := incidents.New(incidents.NewOps(), nil)
		if err != nil {
			t.Fatal(err)
		}
		c := mcptest.New(t, srv, mcptest.WithCaller(bob))
		begin := poll(t, c, "incident.opened", `{}`, "").Cursor
		opens(t, c, "high")
		time.Sleep(59 * time.Minute)
		if got := poll(t, c, "incident.opened", `{}`, begin); len(got.Events) != 1 {
			t.Errorf("after 59 minutes: %+v", got)
		}
		time.Sleep(2 * time.Minute)
		result, fault := c.Do("events/poll",
			json.RawMessage(`{"name":"incident.opened","arguments":{},"cursor":"`+begin+`"}`))
		var got polled
		if err := json.Unmarshal(result, &got); fault != nil || err != nil || !got.Truncated || len(got.Events) > 0 {
			t.Errorf("after 61 minutes: %s %v", result, fault)
		}
	})
}
