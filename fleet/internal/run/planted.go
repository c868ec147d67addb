package run

import (
	"time"

	"github.com/mcpgen/mcpgen/fleet/internal/fleet"
)

// Planted is a bug that the harness has to find, and the run that finds it.
type Planted struct {
	fleet.Variant
	// What says what is wrong.
	What string
	// Change changes the configuration of a run.
	Change func(c *Config)
}

// Bugs are the planted bugs. Those of the runtime are changes of its source that only the build with them sees; that
// of the program is a build tag.
func Bugs(replicas int) []Planted {
	calm := func(c *Config) {
		c.Plan, c.Settle, c.Change = Calm, 8*time.Second, time.Second
	}
	return []Planted{
		{fleet.Variant{Name: "no-resync-on-gap", Changes: []fleet.Change{{
			File: "mcp/internal/relay/receive.go", Old: "\tif missed {\n", New: "\tif false && missed {\n",
		}}}, "a replica that hears that it has missed frames does not resync", func(c *Config) {
			// Half a minute after a write that nobody heard, watches would find it: be faster.
			c.Plan = Several(replicas, 2, Fault{Kind: Cut, At: time.Second, For: 5 * time.Second, Choice: 2})
			c.Settle = 8 * time.Second
		}},
		{fleet.Variant{Name: "no-silence", Changes: []fleet.Change{{
			File: "mcp/internal/relay/relay.go", Old: "func New(c Config) *Relay {\n",
			New: "func New(c Config) *Relay {\n\tc.without = ruleEnds\n",
		}}}, "a replica that has ended without a bye is forgotten", func(c *Config) {
			c.Plan = Several(1, 4, Fault{Kind: Failpoint, At: time.Second})
		}},
		{fleet.Variant{Name: "not-to-joined-servers", Changes: []fleet.Change{{
			File: "mcp/internal/server/replicas.go",
			Old:  "\ts.eachJoined(func(o *Server) bool { return o.routes(uri) }, func(o *Server) { o.hub.Publish(uri) })\n",
			New:  "",
		}}}, "frames of other replicas do not reach the servers that are joined", calm},
		{fleet.Variant{Name: "acknowledge-first", Changes: []fleet.Change{{
			File: "mcp/internal/pubsub/listen.go",
			Old:  "\t\tif err := t.hub.join(u); err != nil {\n",
			New: "\t\tif u != nil {\n\t\t\tgo func() {\n\t\t\t\ttime.Sleep(300 * time.Millisecond)\n" +
				"\t\t\t\t_ = t.hub.join(u)\n\t\t\t}()\n\t\t\tcontinue\n\t\t}\n" +
				"\t\tif err := error(nil); err != nil {\n",
		}, {
			File: "mcp/internal/pubsub/listen.go", Old: "\t\"fmt\"\n", New: "\t\"fmt\"\n\t\"time\"\n",
		}}}, "a stream is acknowledged before it subscribes", calm},
		{fleet.Variant{Name: "once-runs-again", Changes: append(fleet.Hurried(), fleet.Change{
			File: "mcp/internal/taskrun/take.go", Old: "case r.Begun && (!r.Restart ||", New: "case r.Begun && (false ||",
		})}, "a task that must not run twice runs again when its process has ended", func(c *Config) {
			c.Plan, c.Tasks, c.Settle = Several(replicas, 6, Fault{Kind: Kill, At: time.Second}), 4, 8*time.Second
		}},
		{fleet.Variant{Name: "end-not-told", Changes: append(fleet.Hurried(), fleet.Change{
			File: "mcp/internal/server/tasks_listen.go", Old: "\tif !ok || f.who.expired() ||",
			New: "\tif !ok || r.Status.Final() || f.who.expired() ||",
		})}, "a listen is not told of the end of a task", func(c *Config) {
			c.Plan, c.Tasks, c.Settle, c.TasksSettle = Calm, 4, 8*time.Second, 8*time.Second
		}},
		{fleet.Variant{Name: "publish-first", Tags: []string{"fleet_publish_first"}},
			"the program publishes before its transaction has ended", calm},
	}
}
