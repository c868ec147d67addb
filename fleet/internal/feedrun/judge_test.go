package feedrun

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/fleet/feed"
)

// The judge finds each thing that can go wrong.
func TestJudge(t *testing.T) {
	const keys = 10
	now := time.Now()
	at := func(n int) feed.Event { e := feed.At(n, keys); e.Secret = ""; return e }
	mine := feed.Filter{Key: at(1).Key}
	for name, c := range map[string]struct {
		do   func(j *Judge)
		want string // a part of what is broken; "" for nothing
	}{
		"all is well": {func(j *Judge) {}, ""},
		"missing":     {func(j *Judge) { j.Committed(11, 1) }, "1 events have not come to s of p1: 11"},
		"foreign":     {func(j *Judge) { j.Arrived("p1", "s", 2, at(2), now) }, "with key"},
		"secret":      {func(j *Judge) { j.Arrived("p1", "s", 11, feed.At(11, keys), now) }, "want"},
		"misled":      {func(j *Judge) { j.Arrived("p2", "s", 11, at(11), now) }, "has come to p2"},
		"gap":         {func(j *Judge) { j.Told("s", "gap") }, "was told gap"},
		"unknown":     {func(j *Judge) { j.Arrived("p1", "x", 1, at(1), now) }, "that there is not"},
		"repeat":      {func(j *Judge) { j.Arrived("p1", "s", 1, at(1), now.Add(time.Second)) }, "1 of 1 repeats"},
		"repeat after a kill": {func(j *Judge) {
			j.Killed(now.Add(time.Millisecond), now.Add(2*time.Millisecond))
			j.Arrived("p1", "s", 1, at(1), now.Add(time.Second))
		}, ""},
		"repeat before a kill": {func(j *Judge) {
			j.Arrived("p1", "s", 1, at(1), now.Add(time.Second))
			j.Killed(now.Add(2*time.Second), now.Add(3*time.Second))
		}, "1 of 1 repeats"},
		"repeat of what came after a kill": {func(j *Judge) {
			j.Killed(now.Add(-queued-2*time.Second), now.Add(-queued-time.Second))
			j.Arrived("p1", "s", 1, at(1), now.Add(time.Second))
		}, "1 of 1 repeats"},
		"repeats after a kill": {func(j *Judge) {
			j.Killed(now.Add(time.Millisecond), now.Add(2*time.Millisecond))
			for range window + 1 {
				j.Arrived("p1", "s", 1, at(1), now.Add(time.Second))
			}
		}, "1 of 9 repeats"},
		"ended": {func(j *Judge) {
			j.Ends("p1")
			j.Committed(11, 1)
			j.Told("s", "terminated")
			j.Ended("p1", 20)
		}, ""},
		"not ended": {func(j *Judge) {
			j.Ends("p1")
			j.Ended("p1", 20)
			j.Arrived("p1", "s", 21, at(21), now)
		}, "whose rights ended"},
	} {
		t.Run(name, func(t *testing.T) {
			j := newJudge(keys)
			j.subscribed("s", "p1", mine)
			j.Committed(1, 2)
			j.Arrived("p1", "s", 1, at(1), now)
			c.do(j)
			broken, _ := j.Judge()
			got := strings.Join(broken, "\n")
			if (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// A replica that has lost its leases, as its log says, excuses as many repeats as a kill.
func TestLostLeases(t *testing.T) {
	now := time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)
	r := &run{Config: Config{Dir: t.TempDir(), Replicas: 1}, judge: newJudge(1)}
	log := "time=2026-11-28T12:00:01.5Z level=WARN msg=\"leases of webhooks are lost: another\" shards=2\n" +
		"time=2026-11-28T12:00:09Z level=ERROR msg=\"the store of subscriptions fails\"\n"
	if err := os.WriteFile(r.log(0), []byte(log), 0o600); err != nil {
		t.Fatal(err)
	}
	e := feed.At(1, 1)
	e.Secret = ""
	r.judge.subscribed("s", "p1", feed.Filter{Key: e.Key})
	r.judge.Committed(1, 1)
	for range 1 + window + 1 {
		r.judge.Arrived("p1", "s", 1, e, now)
		now = now.Add(time.Minute)
	}
	if lost, err := r.excuse(); lost != 1 || err != nil {
		t.Fatal(lost, err)
	}
	if broken, _ := r.judge.Judge(); len(broken) != 1 || !strings.HasPrefix(broken[0], "1 of 9 repeats") {
		t.Errorf("%q", broken)
	}
}
