package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/mcpgen/mcpgen/bench/internal/proc"
	"github.com/mcpgen/mcpgen/bench/internal/report"
	"github.com/mcpgen/mcpgen/bench/internal/work"
	"github.com/mcpgen/mcpgen/internal/dev/broker"
	"github.com/mcpgen/mcpgen/internal/dev/freeport"
)

// feedKeys is how many subscriptions a feed has. The key of an event follows from its number modulo feedKeys, and one
// of feedForAll events is for all of them.
const (
	feedKeys   = 16
	feedForAll = 100
)

// hookReplicas measures the time from a call that commits an event to the callback that has it. The program is the one
// of fleet, with events and subscriptions in a NATS server: one process that commits and posts, and two of which one
// commits and the other posts.
func hookReplicas(dir string, rounds int, _ time.Duration) ([]table, []string, error) {
	ctx := context.Background()
	program, err := buildReplica(dir, "feedreplica")
	if err != nil {
		return nil, nil, err
	}
	var feeds []*feed
	for i, name := range []string{"one process", "two, committed at one and posted by the other"} {
		f := &feed{timed: timed{row: report.NewRow(name, report.Target{})},
			dir: filepath.Join(dir, "feed"+strconv.Itoa(i)), came: make(chan arrival, feedKeys)}
		defer f.close()
		if err := f.open(ctx, program, i+1); err != nil {
			return nil, []string{"hookreplicas, " + name + ": " + err.Error()}, nil
		}
		feeds = append(feeds, f)
	}
	for range rounds {
		for _, f := range feeds {
			if err := f.slice(func() (time.Duration, error) { return f.postedByLast(ctx) }); err != nil {
				return nil, nil, err
			}
		}
	}
	var rows []report.Row
	var refused []string
	for _, f := range feeds {
		if err := f.check(); err != nil {
			refused = append(refused, "hookreplicas, "+f.row.Name+": "+err.Error())
			continue
		}
		rows = append(rows, f.finished())
	}
	return []table{{"Webhooks: from a call that commits an event in NATS to its callback, p50 / p99",
		[]string{work.Ours}, rows}}, refused, nil
}

// feed is replicas of a server with an event, the NATS server that they share, and the callback of all subscriptions.
type feed struct {
	timed

	dir   string
	addrs []string // the first one commits
	came  chan arrival

	n      int      // number of the last event
	posts  []int    // the keys whose events the last replica posts
	before [2]int64 // what the first and the last replica had posted before the slices
}

// arrival is an event that has come to the callback.
type arrival struct {
	id string
	at time.Time
}

// open starts everything, and finds out whose events are posted by the last replica.
func (f *feed) open(ctx context.Context, program string, processes int) error {
	data := filepath.Join(f.dir, "nats")
	if err := os.MkdirAll(data, 0o777); err != nil {
		return err
	}
	nats, err := broker.StartNATS(ctx, data, "")
	if err != nil {
		return err
	}
	f.ends = append(f.ends, func() { _ = nats.Kill() })
	for range processes {
		addr, err := freeport.Find(ctx)
		if err != nil {
			return err
		}
		w, err := proc.StartAt(addr, []string{"MCP_KEYS=a key of the bench, for all of its replicas"}, program,
			"-http", addr, "-dir", f.dir, "-keys", strconv.Itoa(feedKeys), "-nats", "nats://"+nats.Addr)
		if err != nil {
			return err
		}
		f.ends, f.addrs = append(f.ends, w.Kill), append(f.addrs, addr)
	}
	if err := f.subscribe(ctx); err != nil {
		return err
	}
	for range 2 { // the first time is for warming up
		if err := f.find(ctx); err != nil {
			return err
		}
	}
	if len(f.posts) == 0 {
		return fmt.Errorf("the last of %d replicas posts nothing", processes)
	}
	f.before, err = f.posted()
	return err
}

// subscribe makes a subscription for each key, and waits until all replicas post.
func (f *feed) subscribe(ctx context.Context) error {
	callback := httptest.NewServer(http.HandlerFunc(f.serve))
	f.ends = append(f.ends, callback.Close)
	for key := range feedKeys {
		if err := f.call(ctx, "events/subscribe", fmt.Sprintf(
			`"name":"thing.happened","arguments":{"key":%d},"delivery":{"mode":"webhook","url":"%s/hook","secret":"whsec_%s"}`,
			key, callback.URL, bytes.Repeat([]byte("b"), 32)), `"id":"`); err != nil {
			return err
		}
	}
	for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		all, idle := int64(0), false
		for _, addr := range f.addrs {
			s, err := statsOf(addr)
			if err != nil {
				return err
			}
			all, idle = all+s.Subscriptions, idle || s.Subscriptions == 0
		}
		if all == feedKeys && !idle {
			return nil
		}
		if time.Now().After(end) {
			return fmt.Errorf("after a minute %d subscriptions are delivered to", all)
		}
	}
}

// serve is the callback.
func (f *feed) serve(w http.ResponseWriter, r *http.Request) {
	at := time.Now()
	var m struct{ Type, Challenge, EventID string }
	if err := json.NewDecoder(r.Body).Decode(&m); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	if m.Type == "verification" {
		_ = json.NewEncoder(w).Encode(map[string]string{"challenge": m.Challenge})
		return
	}
	w.WriteHeader(http.StatusNoContent)
	f.came <- arrival{m.EventID, at}
}

// call sends a request to the first replica.
func (f *feed) call(ctx context.Context, method, params, want string) error {
	name := ""
	if method == "tools/call" {
		name = "commit"
	}
	return post(ctx, f.addrs[0], method, name, params, want)
}

// find commits an event for each key, and notes those that the last replica has posted.
func (f *feed) find(ctx context.Context) error {
	f.posts = nil
	for range feedKeys {
		before, err := f.posted()
		if err != nil {
			return err
		}
		if _, err := f.commit(ctx); err != nil {
			return err
		}
		for end := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
			now, err := f.posted()
			if err != nil {
				return err
			}
			if now[1] > before[1] {
				f.posts = append(f.posts, f.n%feedKeys)
			}
			if now != before {
				break
			}
			if time.Now().After(end) {
				return fmt.Errorf("no replica counts event %d", f.n)
			}
		}
	}
	return nil
}

// commit commits the next event that is for one subscription, and returns the time until its callback had it.
func (f *feed) commit(ctx context.Context) (time.Duration, error) {
	if f.n++; f.n%feedForAll == 0 {
		f.n += feedKeys // the same key
	}
	begun := time.Now()
	err := f.call(ctx, "tools/call", fmt.Sprintf(`"name":"commit","arguments":{"from":%d,"count":1}`, f.n), "committed")
	if err != nil {
		return 0, err
	}
	for end := time.After(10 * time.Second); ; {
		select {
		case a := <-f.came:
			if a.id == strconv.Itoa(f.n) { // and no repeat of another one
				return a.at.Sub(begun), nil
			}
		case <-end:
			return 0, fmt.Errorf("event %d has not come", f.n)
		}
	}
}

// postedByLast is commit for the next event that the last replica posts.
func (f *feed) postedByLast(ctx context.Context) (time.Duration, error) {
	for !slices.Contains(f.posts, (f.n+1)%feedKeys) {
		f.n++
	}
	return f.commit(ctx)
}

// check returns an error if another replica than the last one has posted something of the slices.
func (f *feed) check() error {
	now, err := f.posted()
	if err == nil && len(f.addrs) > 1 && now[0] != f.before[0] {
		err = fmt.Errorf("the replica that commits has posted %d of %d events", now[0]-f.before[0], len(f.times))
	}
	return err
}

// posted returns how many messages the first and the last replica have posted.
func (f *feed) posted() (n [2]int64, err error) {
	for i, addr := range []string{f.addrs[0], f.addrs[len(f.addrs)-1]} {
		s, err := statsOf(addr)
		if err != nil {
			return n, err
		}
		n[i] = s.Delivered
	}
	return n, nil
}
