package shared

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/mcpgen/mcpgen/internal/dev/failpoint"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/internal/server"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/sessions"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// keeper writes what the client of a session sets, such as subscriptions, to the record that all processes share. It
// implements session.Keeper.
type keeper struct {
	s     *Store
	x     *sessions.Session
	state *sharedSession
}

// statusKey is the key under which the context of a request has a pointer to the status of the response; see
// WithStatus.
type statusKey struct{}

// WithStatus returns the context of a request of a session with a record. If the store refuses the request, the status
// of the response is written to status.
func WithStatus(ctx context.Context, status *int) context.Context {
	return context.WithValue(ctx, statusKey{}, status)
}

// errStoreAway is storeAway as an error of JSON-RPC.
var errStoreAway = wire.NewError(wire.CodeInternal, storeAway.Text)

// answer returns the error that a client gets for an error of the store, and sets the status of the response. It
// returns nil for nil.
func (k keeper) answer(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, errLarge) {
		return mcp.Public(errors.New("too many subscriptions"))
	}
	why := k.s.refusalOf(err)
	if status, ok := ctx.Value(statusKey{}).(*int); ok {
		*status = why.Status
	}
	if why == sessions.NoSession {
		return errNoSession
	}
	return errStoreAway
}

// Subscribe implements session.Keeper.
func (k keeper) Subscribe(ctx context.Context, uri string) error {
	most := server.MostSubscriptions(k.s.of.srv)
	return k.changeURIs(ctx, false, func(r *record) error {
		i, found := slices.BinarySearch(r.uris, uri)
		switch {
		case found:
			return errSame
		case len(r.uris) >= most && !server.IsTask(r.uris[0]):
			return errLarge
		case len(r.uris) >= most: // tasks are optional
			r.uris = slices.Delete(r.uris, 0, 1)
			i--
		}
		r.uris = slices.Insert(r.uris, i, uri)
		return nil
	})
}

// Unsubscribe implements session.Keeper. As in a session of one process, a URI that the client has not subscribed to in
// this spelling stands for all spellings of the resource.
func (k keeper) Unsubscribe(ctx context.Context, uri string) error {
	return k.changeURIs(ctx, true, func(r *record) error {
		if i, found := slices.BinarySearch(r.uris, uri); found {
			r.uris = slices.Delete(r.uris, i, i+1)
			return nil
		}
		n := len(r.uris)
		r.uris = slices.DeleteFunc(r.uris, func(o string) bool { return server.SameResource(k.s.of.srv, o, uri) })
		if len(r.uris) == n {
			return errSame
		}
		return nil
	})
}

// changeURIs changes the subscribed URIs in the record, and tells the process with the notification stream. If waits is
// set, it waits until that process has applied the change, at most holderTimeout.
func (k keeper) changeURIs(ctx context.Context, waits bool, edit func(*record) error) error {
	if err := k.s.change(ctx, k.x, edit); err != nil {
		return k.answer(ctx, err)
	}
	r, _, _ := k.state.get()
	if r.holder != "" && r.holder != k.s.of.ids.replica && !(waits && failpoint.On("session-unsubscribe-not-carried")) {
		k.s.signal(k.x)
		if waits && k.s.of.connected {
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), holderTimeout)
			defer cancel()
			k.s.of.deliver(ctx, r.holder, forwardChange, k.x, nil) // else it gets the signal later
		}
	}
	k.s.Apply(k.x)
	return nil
}

// holderTimeout is how long a client that unsubscribes waits until the replica with its notification stream knows.
const holderTimeout = time.Second

// SetLevel implements session.Keeper.
func (k keeper) SetLevel(ctx context.Context, level slog.Level) error {
	err := k.s.change(ctx, k.x, func(r *record) error {
		if r.level == level {
			return errSame
		}
		r.level = level
		return nil
	})
	if err != nil {
		return k.answer(ctx, err)
	}
	k.s.signal(k.x)
	return nil
}

// Follow implements session.Keeper. Tasks that come while earlier ones are being saved are saved together. If the store
// fails, the client gets no notifications about them.
func (k keeper) Follow(topic string) {
	k.state.mu.Lock()
	defer k.state.mu.Unlock()
	if len(k.state.unsaved) == server.MaxSessionTasks {
		k.state.unsaved = slices.Delete(k.state.unsaved, 0, 1)
		server.Unfollowed(k.s.of.srv, 1)
	}
	k.state.unsaved = append(k.state.unsaved, topic)
	if !k.state.saving {
		k.state.saving = true
		go k.saveTasks()
	}
}

// saveTasks saves tasks until none are left.
func (k keeper) saveTasks() {
	for {
		k.state.mu.Lock()
		topics := k.state.unsaved
		k.state.unsaved, k.state.saving = nil, len(topics) > 0
		k.state.mu.Unlock()
		if len(topics) == 0 {
			return
		}
		most := server.MostSubscriptions(k.s.of.srv)
		err := k.changeURIs(context.Background(), false, func(r *record) error { return r.addTasks(topics, most) })
		if err != nil {
			k.s.of.log.Debug("mcphttp: no notifications about tasks", "count", len(topics), "err", err)
			server.Unfollowed(k.s.of.srv, len(topics))
		}
	}
}

// addTasks adds tasks to the topics of the session. If there are too many, the oldest are removed. It returns errSame
// if no task was added.
func (r *record) addTasks(topics []string, most int) error {
	err := errSame
	for _, topic := range topics {
		i, found := slices.BinarySearch(r.uris, topic)
		if found {
			continue
		}
		n := 0
		for n < len(r.uris) && server.IsTask(r.uris[n]) {
			n++
		}
		if n == server.MaxSessionTasks || len(r.uris) >= most {
			if i == 0 {
				continue // the oldest itself
			}
			r.uris = slices.Delete(r.uris, 0, 1)
			i--
		}
		r.uris = slices.Insert(r.uris, i, topic)
		err = nil
	}
	return err
}
