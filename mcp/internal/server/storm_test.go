package server

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/era"
	"github.com/mcpgen/mcpgen/mcp/transport"
)

// TestEveryRequestIsAnsweredOnce sends requests of all kinds, cancels some of them, ends the input
// at once and counts: each request has one answer, or none if it was cancelled.
func TestEveryRequestIsAnsweredOnce(t *testing.T) {
	t.Attr("requirements", "msg-result http-eventually")
	st := newTestServer(t, nil)
	go func() { // handlers that block do so for a moment
		for range st.entered {
			st.release <- struct{}{}
		}
	}()
	t.Cleanup(func() { close(st.entered) })
	var clients sync.WaitGroup
	for seed := range 8 {
		clients.Go(func() { storm(t, st, rand.New(rand.NewPCG(uint64(seed), 0)), 300) })
	}
	clients.Wait()
}

func storm(t *testing.T, st *testServer, random *rand.Rand, n int) {
	c := newSession(t, st.Server, protocol.Revision20250326)
	answers, cancelled := make(map[int]int), make(map[int]bool)
	uris := []string{"do:///block", "do:///text", "fix:///a", "do:///exit", "do:///panic", "no:///such"}
	one := func(id int) string {
		uri := uris[random.IntN(len(uris))]
		if random.IntN(2) == 0 {
			return modern(fmt.Sprint(id), "resources/read", `"uri":"`+uri+`"`)
		}
		return read(fmt.Sprint(id), uri)
	}
	for id := 0; id < n; id++ {
		answers[id] = 0
		switch random.IntN(10) {
		case 0:
			victim := random.IntN(id + 1)
			cancelled[victim] = true
			c.send(one(id))
			c.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, victim))
		case 1:
			answers[id+1] = 0
			c.send(fmt.Sprintf(`[%s,%s]`, read(fmt.Sprint(id), "do:///text"), read(fmt.Sprint(id+1), "do:///block")))
			id++
		default:
			c.send(one(id))
		}
	}
	cutInput(c)
	rest, err := c.wait()
	if err != nil {
		t.Error(err)
	}
	for _, text := range rest {
		count(t, text, answers)
	}
	for id, got := range answers {
		if got != 1 && (got != 0 || !cancelled[id]) {
			t.Errorf("request %d has %d answers", id, got)
		}
	}
}

func count(t *testing.T, text string, answers map[int]int) {
	var list []struct{ ID int }
	if text[0] != '[' {
		text = "[" + text + "]"
	}
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		t.Errorf("%s: %v", text, err)
	}
	for _, a := range list {
		answers[a.ID]++
	}
}

// FuzzServe sends any text. Whatever it is, what comes back is JSON and the next message is answered.
func FuzzServe(f *testing.F) {
	for _, seed := range []string{
		read("1", "do:///text"), modern("1", "resources/read", `"uri":"do:///panic"`), modern(`"d"`, "server/discover", ""),
		`[` + read("1", "do:///blob") + `,7]`, toolCall("1", "echo", `{"a":[null]}`),
		request("1", "resources/list", `"cursor":"x"`),
		request("1", "completion/complete", `"ref":{"type":"ref/resource","uri":"do:///{what}"},"argument":{"name":"what","value":"a"}`),
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, request("1", "resources/subscribe", `"uri":"do:///text"`),
		modern("1", "subscriptions/listen", `"notifications":{"resourcesListChanged":true}`), `{`, "\xff", "",
	} {
		f.Add(seed, byte(1))
	}
	st := newTestServer(f, &Options{PageSize: 2})
	f.Fuzz(func(t *testing.T, text string, revision byte) {
		revs := era.Revisions()
		client, server := transport.Pipe(nil)
		served := make(chan error, 1)
		go func() { served <- st.Serve(t.Context(), server) }()
		go func() { // handlers that would block must not
			select {
			case <-st.entered:
				st.release <- struct{}{}
			case <-t.Context().Done():
			}
		}()
		init := fmt.Sprintf(`"protocolVersion":%q,"capabilities":{},"clientInfo":{"name":"f","version":"1"}`, revs[int(revision)%len(revs)])
		exchange(t, client, []byte(request(`"init"`, "initialize", init)), nil)
		if err := client.WriteMessage([]byte(text)); err != nil {
			t.Fatal(err)
		}
		msg := exchange(t, client, []byte(request(`"last"`, "ping", "")), nil)
		for string(msg) != `{"jsonrpc":"2.0","id":"last","result":{}}` {
			if !json.Valid(msg) {
				t.Fatalf("%q is answered with %q", text, msg)
			}
			var err error
			if msg, err = client.ReadMessage(nil); err != nil {
				t.Fatal(err)
			}
		}
		client.Close()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
}
