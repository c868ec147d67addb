package tasks_test

import (
	"iter"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/relay"
	"github.com/mcpgen/mcpgen/mcp/internal/replicas"
	"github.com/mcpgen/mcpgen/mcp/internal/seal/aead"
	"github.com/mcpgen/mcpgen/mcp/internal/server"
	"github.com/mcpgen/mcpgen/mcp/replica"
	"github.com/mcpgen/mcpgen/mcp/replica/memory"
	"github.com/mcpgen/mcpgen/mcp/task"
)

// hears is a server on a bus that counts the texts of updates.
type hears struct {
	mu  sync.Mutex
	all map[string]int
}

func (s *hears) DeliverUpdate(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all[text]++
}

// take returns how often a text was heard since the last time.
func (s *hears) take(text string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.all[text]
	delete(s.all, text)
	return n
}

func (*hears) DeliverInstances(string)                       {}
func (*hears) DeliverList(feature.Kind)                      {}
func (*hears) SignalAttached(string)                         {}
func (*hears) ResyncWithin(time.Duration)                    {}
func (*hears) EndStreams()                                   {}
func (*hears) Declared() *feature.Features                   { return new(feature.Features) }
func (*hears) EachValue(_ string, _ func(feature.LiveValue)) {}
func (*hears) AddedTools() (any, iter.Seq[*feature.Tool]) {
	return nil, func(func(*feature.Tool) bool) {}
}

// Replicas of several releases are on one bus. What they tell each other of tasks is the same text in all of them, as
// the release of 2026-11-28 has it: here the other one is that text and nothing else.
func TestTasksOfOtherReleases(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		keys := [][]byte{[]byte("0123456789abcdef")}
		box, err := aead.New(keys)
		if err != nil {
			t.Fatal(err)
		}
		bus, shared, older := replica.Over(new(memory.Bus)), new(task.Memory), &hears{all: map[string]int{}}
		link := bus.(replicas.Opener).OpenReplica(replicas.Config{Name: "t", Box: box, Log: noLog, Server: older})
		defer link.Close()
		st := newTaskServer(t, &server.Options{Logger: noLog, Bus: bus, Keys: keys,
			Tasks: task.Options{Store: shared, MaxRunning: 1}})
		time.Sleep(10 * time.Second)

		c := newHarness(t, st.Server)
		id := c.createTask("work")
		<-st.started
		time.Sleep(time.Second)
		if older.take(" task/"+id) == 0 {
			t.Errorf("the other release does not hear of the task: %v", older.all)
		}
		contains(t, c.ask(withTasks("6", "subscriptions/listen", `"notifications":{"taskIds":["`+id+`"]}`)), id)
		contains(t, c.recv(), "half done")
		h, err := shared.Head(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		h.Status = task.Cancelled
		if err := shared.Swap(t.Context(), h, nil, task.Limits{}); err != nil {
			t.Fatal(err)
		}
		begin := time.Now()
		link.Note(relay.Signal{Kind: relay.Updated, Text: " task/" + id})
		contains(t, c.recv(), `"status":"cancelled"`)
		if took := time.Since(begin); took > 500*time.Millisecond {
			t.Errorf("the client learns of it after %v", took)
		}

		older.take(" task/")
		for range 2 { // of which one finds no place
			c.createTask("work")
		}
		time.Sleep(time.Second)
		if older.take(" task/") == 0 {
			t.Errorf("the other release does not hear that a task is left to it: %v", older.all)
		}
		c.cancel()
	})
}

// A part of a joined server has tasks of its own. What another replica says of them reaches it by the bus of the joined
// one, and what it changes reaches the others.
func TestTasksOfPart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		keys := [][]byte{[]byte("0123456789abcdef")}
		box, err := aead.New(keys)
		if err != nil {
			t.Fatal(err)
		}
		bus, shared, other := replica.Over(new(memory.Bus)), new(task.Memory), &hears{all: map[string]int{}}
		link := bus.(replicas.Opener).OpenReplica(replicas.Config{Name: "root", Box: box, Log: noLog, Server: other})
		defer link.Close()
		part := newTaskServer(t, &server.Options{Logger: noLog, Tasks: task.Options{Store: shared}})
		of := part.tasks
		root, err := server.Join(&feature.Features{Info: protocol.Implementation{Name: "root"}}, &server.Options{
			Logger: noLog, Bus: bus, Keys: keys, Tasks: task.Options{Store: new(task.Memory)},
		}, part.Server)
		if err != nil {
			t.Fatal(err)
		}
		if part.tasks == of {
			t.Fatal("the joined server has no tasks of its own")
		}
		time.Sleep(10 * time.Second)
		c := newHarness(t, part.Server)
		id := c.createTask("work")
		<-part.started
		time.Sleep(time.Second)
		if other.take(" task/"+id) == 0 {
			t.Errorf("the other replica does not hear of the task: %v", other.all)
		}
		contains(t, c.ask(withTasks("6", "subscriptions/listen", `"notifications":{"taskIds":["`+id+`"]}`)), id)
		contains(t, c.recv(), "half done")
		time.Sleep(10*time.Second + 100*time.Millisecond)
		h, err := shared.Head(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		h.Status = task.Cancelled
		if err := shared.Swap(t.Context(), h, nil, task.Limits{}); err != nil {
			t.Fatal(err)
		}
		begin := time.Now()
		link.Note(relay.Signal{Kind: relay.Updated, Text: " task/" + id})
		contains(t, c.recv(), `"status":"cancelled"`)
		if took := time.Since(begin); took > 200*time.Millisecond {
			t.Errorf("the client learns of it after %v", took)
		}
		c.cancel()
		_ = root.Close()
	})
}
