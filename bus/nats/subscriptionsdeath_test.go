package natsbus_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/mcpgen/mcpgen/bus/nats"
	"github.com/mcpgen/mcpgen/mcp/event"
)

// Whenever a process dies in the middle of a change, the subscription is that of before or that of after, no more are
// let in than the limits allow, and what is left over goes with it.
func TestSubscriptionsDeath(t *testing.T) {
	b := start(t, "")
	js, err := jetstream.New(connect(t, b.Addr))
	if err != nil {
		t.Fatal(err)
	}
	healthy := newSubscriptions(t, b.Addr, natsbus.SubscriptionsOptions{})
	_, records := healthy.Expire(limit(t), time.Now(), 1) // makes the buckets
	_, progress := healthy.Leases(limit(t))
	if err := errors.Join(records, progress); err != nil {
		t.Fatal(err)
	}
	for _, change := range []string{"create", "refresh", "begin anew", "save", "end", "revive", "expire"} {
		for _, after := range []bool{false, true} {
			for n, died := 1, true; died; n++ {
				died = dies(t, js, healthy, &mortal{js, n, after}, change)
			}
		}
	}
}

// dies lets a process die in a change, and reports whether it did before the change was done.
func dies(t *testing.T, js jetstream.JetStream, healthy *natsbus.Subscriptions, process *mortal, change string) bool {
	t.Helper()
	name := fmt.Sprintf("%s, dead at %d, after it: %v", change, process.left, process.after)
	dying, err := natsbus.NewSubscriptions(process, "hooks", natsbus.SubscriptionsOptions{})
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	s, p := &event.Subscription{ID: "A", Principal: "p", Expires: now.Add(time.Hour)}, &event.Progress{}
	if change != "create" {
		put(t, healthy, s, p)
	}
	if change == "revive" {
		s.State = event.Ended
		put(t, healthy, s, nil)
	}
	switch change {
	case "create", "begin anew":
		p.At.Seq = 7
		err = dying.Put(limit(t), s, p, roomyHooks)
	case "refresh", "end", "revive":
		s.URL, s.State = "https://example.com/", map[string]event.SubscriptionState{"end": event.Ended}[change]
		err = dying.Put(limit(t), s, nil, roomyHooks)
	case "save":
		p.At.Seq = 7
		_, err = dying.Save(limit(t), []*event.Progress{p})
	case "expire":
		_, err = dying.Expire(limit(t), now.Add(2*time.Hour), 10)
	}
	if err != nil && !errors.Is(err, errDead) {
		t.Fatalf("%s: %v", name, err)
	}
	got, progress, missing := healthy.Get(limit(t), "A")
	switch {
	case errors.Is(missing, event.ErrNoSubscription):
		if change != "create" && change != "expire" || change == "create" && err == nil {
			t.Fatalf("%s: the subscription is lost", name)
		}
	case missing != nil:
		t.Fatalf("%s: %v", name, missing)
	case progress.At.Seq != 0 && progress.At.Seq != 7 || err == nil && progress.At != p.At || got.Birth != progress.Birth:
		t.Fatalf("%s: %+v %+v", name, got, progress)
	default:
		more := &event.Subscription{ID: "B", Principal: "p", Expires: now.Add(time.Hour)}
		err := healthy.Put(limit(t), more, &event.Progress{}, event.SubscriptionLimits{PerPrincipal: 1, Total: 1})
		if got.State == event.Live && !errors.Is(err, event.ErrPrincipalFull) {
			t.Fatalf("%s: one more than the limits allow: %v", name, err)
		}
		got.State = event.Live
		if err := healthy.Put(limit(t), got, &event.Progress{}, roomyHooks); err != nil {
			t.Fatalf("%s: Put afterwards: %v", name, err)
		}
	}
	if _, err := healthy.Expire(limit(t), now.Add(3*time.Hour), 100); err != nil {
		t.Fatalf("%s: Expire: %v", name, err)
	}
	if left := keysLeft(t, js); len(left) > 0 {
		t.Errorf("%s: left of what has expired: %v", name, left)
	}
	return process.left <= 0 || err != nil
}

// keysLeft returns the keys of the buckets but that of leases.
func keysLeft(t *testing.T, js jetstream.JetStream) (left []string) {
	t.Helper()
	for bucket, word := range map[string]string{"hooks": "*.>", "hooks-progress": "p.*"} {
		stream, err := js.Stream(limit(t), "KV_"+bucket)
		if err != nil {
			t.Fatal(err)
		}
		info, err := stream.Info(limit(t), jetstream.WithSubjectFilter("$KV."+bucket+"."+word))
		if err != nil {
			t.Fatal(err)
		}
		left = slices.AppendSeq(left, maps.Keys(info.State.Subjects))
	}
	return left
}

// late is a process that is late: before its first change, something else happens.
type late struct {
	jetstream.JetStream

	first func()
}

func (l *late) Publish(
	ctx context.Context, subject string, data []byte, o ...jetstream.PublishOpt,
) (*jetstream.PubAck, error) {
	l.first()
	return l.JetStream.Publish(ctx, subject, data, o...)
}

func (l *late) Stream(ctx context.Context, name string) (jetstream.Stream, error) {
	s, err := l.JetStream.Stream(ctx, name)
	return &lateStream{s, l}, err
}

type lateStream struct {
	jetstream.Stream

	process *late
}

func (s *lateStream) DeleteMsg(ctx context.Context, seq uint64) error {
	s.process.first()
	return s.Stream.DeleteMsg(ctx, seq)
}

// Nothing is left of a subscription that one replica removes while another one saves its progress, whoever is late.
func TestSubscriptionsSaveWhileExpired(t *testing.T) {
	b := start(t, "")
	js, err := jetstream.New(connect(t, b.Addr))
	if err != nil {
		t.Fatal(err)
	}
	healthy := newSubscriptions(t, b.Addr, natsbus.SubscriptionsOptions{})
	now := time.Now()
	for _, lateSave := range []bool{true, false} {
		s, p := &event.Subscription{ID: "A", Principal: "p", Expires: now}, &event.Progress{}
		put(t, healthy, s, p)
		process := &late{js, func() {}}
		slow, err := natsbus.NewSubscriptions(process, "hooks", natsbus.SubscriptionsOptions{})
		if err != nil {
			t.Fatal(err)
		}
		saver, remover := slow, healthy
		if !lateSave {
			saver, remover = healthy, slow
		}
		var refused []string
		save := func() {
			if refused, err = saver.Save(limit(t), []*event.Progress{p}); err != nil {
				t.Error(err)
			}
		}
		remove := func() {
			if n, err := remover.Expire(limit(t), now, 10); n != 1 || err != nil {
				t.Errorf("Expire: %d %v", n, err)
			}
		}
		if lateSave {
			process.first = sync.OnceFunc(remove)
			save()
		} else {
			process.first = sync.OnceFunc(save)
			remove()
		}
		if left := keysLeft(t, js); len(left) > 0 || (len(refused) == 1) != lateSave {
			t.Errorf("the save is late: %v: refused %v, left %v", lateSave, refused, left)
		}
	}
}
