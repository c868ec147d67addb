package mcphttp_test

import (
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
	"github.com/mcpgen/mcpgen/mcp/mcprt"
	"github.com/mcpgen/mcpgen/mcp/stats"
)

// observed is a server of which one number is looked at.
type observed struct {
	*rig
	t      *testing.T
	sample string
	opts   *mcphttp.Options
	// those of the server
	options *mcp.Options
}

// now returns the number.
func (o *observed) now() float64 {
	o.t.Helper()
	all := o.scrape(o.t)
	n, ok := all[o.sample]
	if !ok && !strings.HasPrefix(o.sample, "mcp_requests_total") {
		o.t.Fatalf("there is no %s", o.sample)
	}
	return n
}

// is compares the number.
func (o *observed) is(n float64) {
	o.t.Helper()
	synctest.Wait()
	if got := o.now(); got != n {
		o.t.Errorf("%s is %v, want %v", o.sample, got, n)
	}
}

// post is do on a goroutine of its own.
func (o *observed) post(body string, headers ...string) (done <-chan *httptest.ResponseRecorder) {
	c := make(chan *httptest.ResponseRecorder, 1)
	go func() { c <- o.do("POST", body, headers...) }()
	synctest.Wait()
	return c
}

// tool calls a tool by a modern request.
func (o *observed) tool(name string, headers ...string) *httptest.ResponseRecorder {
	body, head := modern("tools/call", name, `"name":"`+name+`"`)
	return o.do("POST", body, append(head, headers...)...)
}

// waiting begins a call that runs until the returned function ends it.
func (o *observed) waiting() (end func()) {
	body, head := modern("tools/call", "wait", `"name":"wait"`)
	done := o.post(body, head...)
	return func() {
		o.proceed <- struct{}{}
		want(o.t, <-done, 200, "waited")
	}
}

// session opens a session whose client answers questions, by requests with more headers.
func (o *observed) session(more ...string) []string {
	w := o.do("POST", `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25",`+
		`"capabilities":{"roots":{},"sampling":{},"elicitation":{"form":{}}},"clientInfo":{"name":"t","version":"1"}}}`, more...)
	headers := append([]string{"Mcp-Session-Id", w.Header().Get("Mcp-Session-Id")}, more...)
	o.do("POST", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, headers...)
	return headers
}

// get opens the notification stream of a session, until the returned function ends it.
func (o *observed) get(session []string) (end func()) {
	req := httptest.NewRequest(http.MethodGet, target, nil)
	setHeaders(req, session)
	ctx, cancel := contextOf(req)
	done := make(chan struct{})
	go func() {
		defer close(done)
		o.http.ServeHTTP(httptest.NewRecorder(), req.WithContext(ctx))
	}()
	synctest.Wait()
	return func() { cancel(); <-done }
}

// event is what moves a number.
type event struct {
	opts mcphttp.Options
	o    mcp.Options
	edit func(*mcprt.Features)
	// do makes it happen. A counter must have grown by one afterwards, at least; a gauge is compared by do.
	do func(o *observed)
}

// events are what moves each number, by the sample.
func events() map[string]event {
	all := map[string]event{}
	for _, some := range []map[string]event{requestEvents(), panicEvents(), updateEvents(),
		refusalEvents(), placeEvents(), streamEvents(), requestRefusals(), connectionEvents(),
		connectionRefusals(), busEvents(), taskEvents(), taskEndEvents()} {
		maps.Copy(all, some)
	}
	return all
}

// elsewhere are numbers that other tests move.
var elsewhere = map[string]string{
	`mcp_panics_total{where="observer"}`:               "TestObserverThatPanics of mcp/internal/server",
	`mcp_panics_total{where="transport"}`:              "TestTransportThatPanics of mcp/exchange",
	`mcp_replica_resyncs_total{reason="frame_lost"}`:   "tests of mcp/internal/relay",
	`mcp_replica_resyncs_total{reason="half_heard"}`:   "tests of mcp/internal/relay",
	`mcp_bus_frames_dropped_total{reason="malformed"}`: "tests of mcp/internal/relay",
	`mcp_bus_frames_dropped_total{reason="too_long"}`:  "tests of mcp/internal/relay",

	"mcp_events_committed_total":       "TestPublish of mcp/mcpevent",
	"mcp_events_duplicates_total":      "TestPublish of mcp/mcpevent",
	"mcp_events_overflows_total":       "TestPublish of mcp/mcpevent",
	"mcp_events_delivered_total":       "TestPublish of mcp/mcpevent",
	"mcp_events_gaps_total":            "TestPublish of mcp/mcpevent",
	"mcp_events_streams":               "TestStreamRefused of mcp/mcpevent",
	"mcp_events_streams_refused_total": "TestStreamRefused of mcp/mcpevent",
	"mcp_events_withheld_total":        "TestPanics of mcp/mcpevent",
	"mcp_events_log_errors_total":      "TestPublish of mcp/mcpevent",

	`mcp_webhook_subscriptions`:                               "tests of mcp/webhook, and of mcp/internal/webhook/deliver",
	`mcp_webhook_suspended`:                                   "tests of mcp/webhook, and of mcp/internal/webhook/deliver",
	`mcp_webhook_attempts_running`:                            "tests of mcp/webhook, and of mcp/internal/webhook/deliver",
	`mcp_webhook_shards`:                                      "tests of mcp/webhook, and of mcp/internal/webhook/deliver",
	`mcp_webhook_delivered_total`:                             "tests of mcp/webhook, and of mcp/internal/webhook/deliver",
	`mcp_webhook_retried_total`:                               "tests of mcp/webhook, and of mcp/internal/webhook/deliver",
	`mcp_webhook_abandoned_total`:                             "tests of mcp/webhook, and of mcp/internal/webhook/deliver",
	`mcp_webhook_gaps_total`:                                  "tests of mcp/webhook, and of mcp/internal/webhook/deliver",
	`mcp_webhook_ended_total`:                                 "tests of mcp/webhook, and of mcp/internal/webhook/deliver",
	`mcp_webhook_challenges_total`:                            "tests of mcp/webhook, and of mcp/internal/webhook/deliver",
	`mcp_webhook_challenges_failed_total`:                     "tests of mcp/webhook, and of mcp/internal/webhook/deliver",
	`mcp_webhook_refused_total`:                               "tests of mcp/webhook, and of mcp/internal/webhook/deliver",
	`mcp_webhook_shards_taken_total`:                          "tests of mcp/webhook, and of mcp/internal/webhook/deliver",
	`mcp_webhook_failures_total{reason="connection_refused"}`: "tests of mcp/webhook, and of mcp/internal/webhook/deliver",
	`mcp_webhook_failures_total{reason="timeout"}`:            "tests of mcp/webhook, and of mcp/internal/webhook/deliver",
	`mcp_webhook_failures_total{reason="tls_error"}`:          "tests of mcp/webhook, and of mcp/internal/webhook/deliver",
	`mcp_webhook_failures_total{reason="http_4xx"}`:           "tests of mcp/webhook, and of mcp/internal/webhook/deliver",
	`mcp_webhook_failures_total{reason="http_5xx"}`:           "tests of mcp/webhook, and of mcp/internal/webhook/deliver",

	"mcp_replicas_different":  "tests of mcp/internal/relay",
	"mcp_replica_fenced":      "tests of mcp/internal/relay",
	"mcp_replicas_missing":    "tests of mcp/internal/relay",
	"mcp_bus_overflows_total": "tests of mcp/internal/relay",

	`mcp_replica_unready{reason="starting"}`: "tests of mcp/internal/relay",
	`mcp_replica_unready{reason="cut_off"}`:  "tests of mcp/internal/relay",
	`mcp_replica_unready{reason="apart"}`:    "tests of mcp/internal/relay",
	`mcp_replica_unready{reason="clock"}`:    "tests of mcp/internal/relay",
	`mcp_replica_unready{reason="few"}`:      "tests of mcp/internal/relay",
}

// Each number moves when what it counts happens.
func TestNumbersMove(t *testing.T) {
	t.Attr("requirements", "task-suspicious task-monitor")
	all := events()
	for sample, e := range all {
		t.Run(sample, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				if e.opts.Logger == nil {
					e.opts.Logger = slog.New(slog.DiscardHandler)
				}
				o := &observed{rig: newRigWith(t, &e.opts, &e.o, withMore(e.edit)), t: t, sample: sample, opts: &e.opts,
					options: &e.o}
				defer func() { _ = o.srv.Close() }()
				before := o.now()
				e.do(o)
				synctest.Wait()
				after := o.now()
				if gauge := !strings.Contains(sample, "_total"); gauge && after != before || !gauge && after <= before {
					t.Errorf("%v before, %v after", before, after)
				}
			})
		})
	}
	for _, m := range stats.Metrics() {
		for _, sample := range samplesOf(m) {
			if _, ok := all[sample]; !ok && elsewhere[sample] == "" {
				t.Errorf("nothing here moves %s", sample)
			}
		}
	}
}

// samplesOf returns the samples of a metric; of requests those that are named here.
func samplesOf(m stats.Metric) []string {
	if len(m.Labels) == 0 {
		return []string{m.Name}
	}
	var list []string
	for _, v := range m.Labels[0].Values {
		list = append(list, fmt.Sprintf("%s{%s=%q}", m.Name, m.Labels[0].Name, v))
	}
	return list
}

// What is counted for one request counts once.
func TestEachRequestCountsOnce(t *testing.T) {
	r := newRig(t, nil)
	body, headers := modern("tools/call", "who", `"name":"who"`)
	for range 3 {
		r.do("POST", body, headers...)
	}
	r.do("POST", strings.Replace(body, "who", "none", 1), headers...)
	got := slices.DeleteFunc(slices.Sorted(maps.Keys(r.scrape(t))), func(s string) bool {
		return !strings.HasPrefix(s, "mcp_requests_total")
	})
	if want := []string{`mcp_requests_total{method="tools/call",code="-32020"}`,
		`mcp_requests_total{method="tools/call",code="ok"}`}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	if n := r.scrape(t)[`mcp_requests_total{method="tools/call",code="ok"}`]; n != 3 {
		t.Errorf("%v", n)
	}
}
