package mcphttp_test

import (
	"regexp"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
)

// A first page is made once for all clients, and its cursor counts whenever it is asked for: cursors have an age.
func TestListsAfterADay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRigWith(t, nil, &mcp.Options{PageSize: 2})
		defer func() { _ = r.srv.Close() }()
		next := regexp.MustCompile(`"nextCursor":"([^"]+)"`)
		for range 3 {
			body, headers := modern("tools/list", "", "")
			cursor := next.FindStringSubmatch(r.do("POST", body, headers...).Body.String())[1]
			time.Sleep(20 * time.Hour)
			body, headers = modern("tools/list", "", `"cursor":"`+cursor+`"`)
			want(t, r.do("POST", body, headers...), 200, `"tools":[{`)
			time.Sleep(5 * time.Hour)
		}
	})
}
