package pubsub

import "testing"

// namedSource returns the source of tasks whose updates are their names.
func namedSource() *Source {
	end := Rest("\n")
	return &Source{Append: func(b []byte, name string) ([]byte, *Rest) {
		return append(append(b, "named "...), name...), &end
	}}
}

// A name is no URI, whatever its text: a listen that has both is told of each by itself, and of a task at once.
func TestNamedIsNoResource(t *testing.T) {
	bubble(t, func(t *testing.T, h *Hub) {
		p := newPeer(t, h, nil)
		named, resource := Request{Topic{Task, "a:///x"}, namedSource()}, Request{Topic{URI: "a:///x"}, NoSource}
		s, err := p.begin("1", []Request{named, resource, named}, always)
		if err != nil {
			t.Fatal(err)
		}
		p.Acknowledge(s, ackOf("1"))
		settleDown()
		wantText(t, "present state", p.conn.lines(), "ack 1; named a:///x")
		h.PublishNamed(Topic{Task, "a:///x"})
		h.PublishNamed(Topic{Task, "a:///y"})
		settleDown()
		wantText(t, "changed", p.conn.lines(), "named a:///x")
		p.Refuse(s, resource.Topic)
		if n := len(h.Sources(resource.Topic)); n != 0 {
			t.Errorf("%d subscriptions to the resource are left", n)
		}
		if n := len(h.Sources(named.Topic)); n != 1 {
			t.Errorf("%d subscriptions to the name, want 1", n)
		}
		p.Drop(s)
		if n := h.subs(); n != 0 {
			t.Errorf("%d subscriptions are left", n)
		}
	})
}

// Other processes know topics by their texts.
func TestTextsOfTopics(t *testing.T) {
	for _, of := range []Topic{{Task, "x"}, {Task, ""}, {Resource, "a:///x"}, {Resource, "task/x"}} {
		if back := TopicOf(of.Text()); back != of {
			t.Errorf("%v is %q, which is %v", of, of.Text(), back)
		}
	}
}
