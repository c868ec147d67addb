package mcphttp_test

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/replica"
	"github.com/mcpgen/mcpgen/mcp/replica/memory"
)

// faulty is a bus that can lose what is published, or fail.
type faulty struct {
	memory.Bus
	mute, broken atomic.Bool
}

var _ replica.Bus = (*faulty)(nil)

func (b *faulty) Publish(ctx context.Context, frame []byte) error {
	switch {
	case b.broken.Load():
		return errors.New("broken")
	case b.mute.Load():
		return nil
	}
	return b.Bus.Publish(ctx, frame)
}

var busKeys = [][]byte{[]byte("0123456789abcdef")}

// busEvents are those of a server with a bus.
func busEvents() map[string]event {
	on := func(do func(o *observed, b *faulty)) event {
		b := new(faulty)
		return event{o: mcp.Options{Bus: replica.Over(b), Keys: busKeys}, do: func(o *observed) {
			time.Sleep(time.Minute)
			do(o, b)
		}}
	}
	// another is a second replica, which falls silent.
	another := func(o *observed, b *faulty) {
		second := &lateBus{to: b}
		r := newRigWith(o.t, nil, &mcp.Options{Bus: replica.Over(second), Keys: busKeys})
		time.Sleep(time.Minute)
		second.mute.Store(true)
		time.Sleep(5 * time.Minute)
		_ = r.srv.Close()
	}
	resyncs := func(reason string) string { return `mcp_replica_resyncs_total{reason="` + reason + `"}` }
	dropped := func(reason string) string { return `mcp_bus_frames_dropped_total{reason="` + reason + `"}` }
	publish := func(frame string) func(*observed, *faulty) {
		return func(o *observed, b *faulty) {
			if err := b.Publish(o.t.Context(), []byte(frame)); err != nil {
				o.t.Error(err)
			}
			time.Sleep(time.Minute)
		}
	}
	return map[string]event{
		"mcp_replicas": {o: mcp.Options{Bus: replica.Over(new(faulty)), Keys: busKeys}, do: func(o *observed) {
			time.Sleep(time.Minute)
			o.is(1)
			r := newRigWith(o.t, nil, &mcp.Options{Bus: o.options.Bus, Keys: busKeys})
			time.Sleep(time.Minute)
			o.is(2)
			_ = r.srv.Close()
			time.Sleep(5 * time.Minute)
		}},
		"mcp_replica_suspects_total": on(another),
		resyncs("silent"):            on(another),
		resyncs("started"):           on(another),
		resyncs("bus"): on(func(_ *observed, b *faulty) {
			b.mute.Store(true)
			time.Sleep(20 * time.Second)
			b.mute.Store(false)
			time.Sleep(time.Minute)
		}),
		"mcp_bus_frames_sent_total":       on(func(*observed, *faulty) {}),
		"mcp_bus_frames_received_total":   on(another),
		"mcp_replica_blind_seconds_total": on(func(_ *observed, b *faulty) { b.mute.Store(true); time.Sleep(time.Minute) }),
		"mcp_bus_errors_total":            on(func(_ *observed, b *faulty) { b.broken.Store(true); time.Sleep(time.Minute) }),
		dropped("unknown_key"):            on(publish("nothing that a replica has sent")),
		dropped("foreign"): on(func(o *observed, b *faulty) { // a server of another name, with the same keys
			r := newRigWith(o.t, nil, &mcp.Options{Bus: replica.Over(b), BusName: "other", Keys: busKeys})
			time.Sleep(time.Minute)
			_ = r.srv.Close()
		}),
	}
}

// lateBus is a bus whose frames are lost from some time on.
type lateBus struct {
	to   replica.Bus
	mute atomic.Bool
}

func (b *lateBus) Publish(ctx context.Context, frame []byte) error {
	if b.mute.Load() {
		return nil
	}
	return b.to.Publish(ctx, frame)
}

func (b *lateBus) Subscribe(ctx context.Context, receive func([]byte), gap func()) error {
	return b.to.Subscribe(ctx, receive, gap)
}
