package main

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strconv"
	"time"

	"github.com/mcpgen/mcpgen/bench/internal/report"
	"github.com/mcpgen/mcpgen/bench/internal/work"
	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/event"
	"github.com/mcpgen/mcpgen/mcp/mcpevent"
	"github.com/mcpgen/mcpgen/mcp/mcprt"
	"github.com/mcpgen/mcpgen/mcp/webhook"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// happened is the payload of an event, and wanted are the arguments of a subscription.
type (
	happened struct {
		ID  string `json:"id"`
		Key int    `json:"key"`
	}
	wanted struct {
		Key int `json:"key"`
	}
)

// webhooks measures what an event costs that one of many subscriptions gets: from the commit until its callback has it.
// The floor asks the same filters in a loop, signs and posts, and knows nothing of retries, rights and watermarks.
func webhooks(_ string, rounds int, length time.Duration) ([]table, []string, error) {
	sizes := []int{1000, 10_000, 100_000}
	if length < time.Second/20 {
		sizes = sizes[:2]
	}
	var trips, memory []report.Row
	for _, n := range sizes {
		name := fmt.Sprintf("event for 1 of %d subscriptions", n)
		trip := report.NewRow(name, hookTarget)
		held, err := measureHooks(&trip, n, rounds)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", name, err)
		}
		trips = append(trips, trip)
		memory = append(memory, report.Row{
			Name: fmt.Sprintf("each of %d subscriptions", n), Target: report.Target{Size: webhookBytes},
			Cost: map[string][]float64{work.Ours: {held}}, Text: map[string]string{work.Ours: report.Size(held)},
		})
	}
	servers := []string{work.Ours, work.Floor}
	return []table{
		{"Webhooks: from the commit of an event to its callback, p50 / p99", servers, trips},
		{"Webhooks: memory, with the store of subscriptions in memory too", servers, memory},
	}, nil, nil
}

// measureHooks fills a row, and returns the bytes that a subscription holds.
func measureHooks(row *report.Row, n, rounds int) (held float64, err error) {
	came := make(chan struct{}, 16)
	callback := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.WriteHeader(http.StatusNoContent)
		came <- struct{}{}
	}))
	defer callback.Close()
	before := heap()
	log := event.NewMemory()
	typ, hooks, srv, err := hookServer(callback.URL, log)
	if err != nil {
		return 0, err
	}
	defer srv.Close() //nolint:errcheck // the end
	if err := subscribeAll(hooks, log, callback.URL, n); err != nil {
		return 0, err
	}
	held = (heap() - before) / float64(n)
	floor := newHookFloor(callback.URL, n)
	next := 0
	happen := func() *happened {
		next++
		return &happened{strconv.Itoa(next), next * 7919 % n}
	}
	all := map[string][]float64{}
	for range rounds {
		for name, send := range map[string]func(*happened) error{
			work.Ours:  func(e *happened) error { return typ.Commit(context.Background(), e) },
			work.Floor: floor.send,
		} {
			times := make([]float64, updatesOfHooks)
			for i := range times {
				e, begun := happen(), time.Now()
				if err := send(e); err != nil {
					return 0, err
				}
				<-came
				times[i] = float64(time.Since(begun))
			}
			row.Cost[name] = append(row.Cost[name], report.Median(times))
			all[name] = append(all[name], times...)
		}
	}
	for name, times := range all {
		row.Text[name] = tail(times)
	}
	return held, nil
}

// updatesOfHooks is how many events a slice has.
const updatesOfHooks = 20

func heap() float64 {
	runtime.GC()
	runtime.GC() // what has finalizers
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}

// hookServer is a server whose callbacks need no challenge.
func hookServer(url string, log event.Log) (*mcpevent.Type[happened, wanted], *webhook.Webhooks, *mcp.Server, error) {
	typ := &mcpevent.Type[happened, wanted]{
		Name: "thing.happened", Modes: mcpevent.Webhook, Payload: json.RawMessage(`{"type":"object"}`),
		Arguments: json.RawMessage(`{"type":"object"}`),
		ID:        func(e *happened) string { return e.ID },
		Args: func(d *wire.Decoder, f *wanted) {
			for d.Object(); d.Next(); {
				f.Key = wire.Int[int](d)
			}
		},
		Match: func(f wanted, e *happened) bool { return f.Key == e.Key },
		Equal: []mcpevent.Equal[happened, wanted]{{
			Wants: func(f wanted) []any { return mcpevent.Wanted(f.Key) }, Has: func(e *happened) any { return e.Key },
		}},
	}
	hooks := webhook.New(webhook.Options{
		AllowPrivate: true, AllowHTTP: true, Trusted: []string{url + "/"}, PerPrincipal: 1 << 20, Total: 1 << 20,
		TTL: 24 * time.Hour,
	})
	f := &mcprt.Features{Info: protocol.Implementation{Name: "bench", Version: "1"}}
	mcpevent.Add(f, typ)
	srv, err := mcprt.NewServer(f, &mcp.Options{
		Logger: slog.New(slog.DiscardHandler), Events: &event.Options{Log: log, Local: true, Webhooks: hooks},
	})
	return typ, hooks, srv, err
}

var hookSecret = bytes.Repeat([]byte{1}, 32)

// subscribeAll makes n subscriptions, each with a key of its own, and waits until they are delivered to.
func subscribeAll(hooks *webhook.Webhooks, log event.Log, url string, n int) error {
	now, err := log.Read(context.Background(), "thing.happened", 0, 0)
	if err != nil {
		return err
	}
	text := "whsec_" + base64.StdEncoding.EncodeToString(hookSecret)
	for i := range n {
		_, err := hooks.Subscribe(context.Background(), &event.Request{
			Caller: event.Caller{Subject: strconv.Itoa(i / 100)}, Name: "thing.happened", URL: url + "/", Secret: text,
			Arguments: json.RawMessage(fmt.Sprintf(`{"key":%d}`, i)), Start: event.Position{Epoch: now.Epoch, Seq: now.Last},
		})
		if err != nil {
			return err
		}
	}
	for end := time.Now().Add(time.Minute); hooks.Stats().Subscriptions < int64(n); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			return fmt.Errorf("only %d of %d subscriptions are loaded", hooks.Stats().Subscriptions, n)
		}
	}
	return nil
}

// hookFloor does what has to be done, and nothing else.
type hookFloor struct {
	url     string
	filters []wanted
	client  http.Client
}

func newHookFloor(url string, n int) *hookFloor {
	f := &hookFloor{url: url, filters: make([]wanted, n)}
	for i := range f.filters {
		f.filters[i].Key = i
	}
	return f
}

func (f *hookFloor) send(e *happened) error {
	for _, w := range f.filters {
		if w.Key != e.Key {
			continue
		}
		body, err := json.Marshal(map[string]any{
			"eventId": e.ID, "name": "thing.happened", "timestamp": time.Now().Format(time.RFC3339Nano), "data": e,
		})
		if err != nil {
			return err
		}
		at := strconv.FormatInt(time.Now().Unix(), 10)
		mac := hmac.New(sha256.New, hookSecret)
		mac.Write([]byte(e.ID + "." + at + "."))
		mac.Write(body)
		r, err := http.NewRequestWithContext(context.Background(), http.MethodPost, f.url, bytes.NewReader(body))
		if err != nil {
			return err
		}
		r.Header.Set("webhook-id", e.ID)
		r.Header.Set("webhook-timestamp", at)
		r.Header.Set("webhook-signature", "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
		res, err := f.client.Do(r)
		if err != nil {
			return err
		}
		_ = res.Body.Close()
	}
	return nil
}
