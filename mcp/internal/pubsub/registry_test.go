package pubsub

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
)

// TestSizes: the allocator has classes of 48 and 80 bytes; one byte more costs 16.
func TestSizes(t *testing.T) {
	if n := reflect.TypeFor[topic]().Size(); n > 48 {
		t.Errorf("a topic has %d bytes", n)
	}
	if n := reflect.TypeFor[Subscription]().Size(); n > 80 {
		t.Errorf("a subscription has %d bytes", n)
	}
}

// Topics come and go at random; those that are there are found, and what held the others is given back.
func TestTopics(t *testing.T) {
	m := &topics{seeds: newSeeds()}
	r := rand.New(rand.NewPCG(1, 2))
	there := map[string]*topic{}
	keyOf := func(text string) key { return m.keyOf(int(text[0]), []byte(text)) }
	change := func(n int, odds float64) {
		for range n {
			text := fmt.Sprint(r.IntN(20_000))
			known := there[text]
			if m.find(keyOf(text)) != known {
				t.Fatalf("%s is not found as it is", text)
			}
			switch insert := r.Float64() < odds; {
			case insert && known == nil:
				there[text] = m.insert(keyOf(text))
			case !insert && known != nil:
				m.remove(known)
				m.remove(known) // finds nothing to do
				delete(there, text)
			}
		}
		all := 0
		for range m.all() {
			all++
		}
		if all != len(there) || int(m.count.Load()) != all {
			t.Fatalf("%d topics, %d counted, want %d", all, m.count.Load(), len(there))
		}
	}
	change(60_000, 0.9)
	change(60_000, 0.1)
	for text, known := range there {
		m.remove(known)
		if m.find(keyOf(text)) != nil {
			t.Errorf("%s has gone and is found", text)
		}
	}
	for i := range m.tables {
		if b := m.tables[i]; b.buckets != nil || b.count != 0 {
			t.Errorf("an empty table has %d buckets and %d topics", len(b.buckets), b.count)
		}
	}
	if !m.empty() {
		t.Error("not empty")
	}
}

// Topics with one text, and topics with one hash, are kept apart.
func TestTopicsWithOneHash(t *testing.T) {
	m := &topics{seeds: newSeeds()}
	k := m.keyOf(1, []byte("x"))
	other, collides := k, k
	other.resource = 2
	collides.check++
	a, b, c := m.insert(k), m.insert(other), m.insert(collides)
	if m.find(k) != a || m.find(other) != b || m.find(collides) != c {
		t.Error("they are taken for each other")
	}
	m.remove(b)
	if m.find(k) != a || m.find(other) != nil || m.find(collides) != c {
		t.Error("another one was removed")
	}
}

// The subscriptions of a topic keep their indexes while they come and go.
func TestTopicSubscriptions(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	entry := new(topic)
	there := map[*Subscription]bool{}
	for range 2000 {
		if len(there) > 0 && r.IntN(2) == 0 {
			u := entry.subscriptions()[r.IntN(len(there))]
			entry.removeLocked(u)
			delete(there, u)
			if u.index != -1 {
				t.Fatalf("one that has left has index %d", u.index)
			}
		} else {
			u := new(Subscription)
			entry.addLocked(u)
			there[u] = true
		}
		all := entry.subscriptions()
		if len(all) != len(there) {
			t.Fatalf("%d subscriptions, want %d", len(all), len(there))
		}
		for i, u := range all {
			if !there[u] || int(u.index) != i || u.topic != entry {
				t.Fatalf("subscription %d has index %d", i, u.index)
			}
		}
	}
}
