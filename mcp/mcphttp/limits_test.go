package mcphttp_test

import (
	"net/http"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
)

// One subject has 100 streams, unless the program says another number; nobody in particular has more, because an
// address may be that of a proxy.
func TestStreamsOfOneSubject(t *testing.T) {
	for _, row := range []struct {
		subject     string
		option, fit int
	}{{"ann", 0, 100}, {"ann", 150, 150}, {"", 0, 101}} {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, &mcphttp.Options{MaxPerClient: row.option, Authenticate: func(q *http.Request) (mcp.Caller, error) {
				return mcp.Caller{Subject: row.subject + q.Header.Get("Other")}, nil
			}})
			body, headers := modern("subscriptions/listen", "", `"notifications":{}`)
			var wg sync.WaitGroup
			listen := func(headers []string) {
				wg.Go(func() { want(t, r.do("POST", body, headers...), 200) })
			}
			for range row.fit {
				listen(headers)
			}
			synctest.Wait()
			if row.subject != "" {
				want(t, r.do("POST", body, headers...), 503)
				listen(append(slices.Clip(headers), "Other", "bob"))
			}
			synctest.Wait()
			_ = r.srv.Close()
			wg.Wait()
		})
	}
}
