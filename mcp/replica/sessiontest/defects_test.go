package sessiontest

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp/replica"
	"github.com/mcpgen/mcpgen/mcp/replica/memory"
)

const environment = "MCPGEN_DEFECT"

// altered is a handle on a store in memory, with methods that a defect replaces.
type altered struct {
	replica.SessionStore

	load   func(ctx context.Context, id string) ([]byte, uint64, error)
	save   func(ctx context.Context, id string, version uint64, record []byte, ttl time.Duration) (uint64, error)
	remove func(ctx context.Context, id string) error
}

func (a *altered) Load(ctx context.Context, id string) ([]byte, uint64, error) {
	if a.load != nil {
		return a.load(ctx, id)
	}
	return a.SessionStore.Load(ctx, id)
}

func (a *altered) Save(
	ctx context.Context, id string, version uint64, record []byte, ttl time.Duration,
) (uint64, error) {
	if a.save != nil {
		return a.save(ctx, id, version, record, ttl)
	}
	return a.SessionStore.Save(ctx, id, version, record, ttl)
}

func (a *altered) Delete(ctx context.Context, id string) error {
	if a.remove != nil {
		return a.remove(ctx, id)
	}
	return a.SessionStore.Delete(ctx, id)
}

// renamed is a store that keeps records under other ids.
func renamed(change func(id string) string) func(replica.SessionStore) replica.SessionStore {
	return func(s replica.SessionStore) replica.SessionStore {
		return &altered{s, func(ctx context.Context, id string) ([]byte, uint64, error) {
			return s.Load(ctx, change(id))
		}, func(ctx context.Context, id string, version uint64, record []byte, ttl time.Duration) (uint64, error) {
			return s.Save(ctx, change(id), version, record, ttl)
		}, func(ctx context.Context, id string) error { return s.Delete(ctx, change(id)) }}
	}
}

// lasting is a store with another ttl; made is whether the record is new.
func lasting(change func(made bool, ttl time.Duration) time.Duration) func(replica.SessionStore) replica.SessionStore {
	return func(s replica.SessionStore) replica.SessionStore {
		a := &altered{SessionStore: s}
		a.save = func(ctx context.Context, id string, version uint64, record []byte, ttl time.Duration) (uint64, error) {
			return s.Save(ctx, id, version, record, change(version == 0, ttl))
		}
		return a
	}
}

// overwriting is a store that saves whatever the version is, if a condition holds.
func overwriting(when func(version uint64, err error) bool) func(replica.SessionStore) replica.SessionStore {
	return func(s replica.SessionStore) replica.SessionStore {
		a := &altered{SessionStore: s}
		a.save = func(ctx context.Context, id string, version uint64, record []byte, ttl time.Duration) (uint64, error) {
			_, now, err := s.Load(ctx, id)
			if when(version, err) {
				version = now
			} else if version == now {
				time.Sleep(time.Millisecond)
			}
			return s.Save(ctx, id, version, record, ttl)
		}
		return a
	}
}

// torn is a store that compares and replaces in two steps.
func torn(s replica.SessionStore) replica.SessionStore {
	a := &altered{SessionStore: s}
	a.save = func(ctx context.Context, id string, version uint64, record []byte, ttl time.Duration) (uint64, error) {
		if _, now, _ := s.Load(ctx, id); now != version {
			return 0, replica.ErrChanged
		}
		time.Sleep(time.Millisecond)
		for {
			_, now, _ := s.Load(ctx, id)
			if v, err := s.Save(ctx, id, now, record, ttl); !errors.Is(err, replica.ErrChanged) {
				return v, err
			}
		}
	}
	return a
}

// counting is a store whose versions begin anew with each record, after a delete or an expiry.
func counting(s replica.SessionStore) replica.SessionStore {
	var mu sync.Mutex
	first := make(map[string]uint64) // the version of the store when a record was made
	a := &altered{SessionStore: s}
	a.load = func(ctx context.Context, id string) ([]byte, uint64, error) {
		mu.Lock()
		defer mu.Unlock()
		record, v, err := s.Load(ctx, id)
		if err != nil {
			return nil, 0, err
		}
		return record, v - first[id] + 1, nil
	}
	a.save = func(ctx context.Context, id string, version uint64, record []byte, ttl time.Duration) (uint64, error) {
		mu.Lock()
		defer mu.Unlock()
		if version > 0 {
			version += first[id] - 1
		}
		v, err := s.Save(ctx, id, version, record, ttl)
		if err == nil && version == 0 {
			first[id] = v
		}
		return v - first[id] + 1, err
	}
	return a
}

// loading is a store with another Load.
func loading(change func(record []byte, v uint64, err error) ([]byte, uint64, error),
) func(replica.SessionStore) replica.SessionStore {
	return func(s replica.SessionStore) replica.SessionStore {
		return &altered{SessionStore: s, load: func(ctx context.Context, id string) ([]byte, uint64, error) {
			return change(s.Load(ctx, id))
		}}
	}
}

// cached is a handle that remembers what it has loaded; owned tells whether it hands out its own memory.
func cached(s replica.SessionStore) replica.SessionStore {
	type entry struct {
		record  []byte
		version uint64
	}
	var entries sync.Map
	a := &altered{SessionStore: s}
	a.load = func(ctx context.Context, id string) ([]byte, uint64, error) {
		if e, ok := entries.Load(id); ok {
			return bytes.Clone(e.(entry).record), e.(entry).version, nil
		}
		record, v, err := s.Load(ctx, id)
		if err == nil {
			entries.Store(id, entry{bytes.Clone(record), v})
		}
		return record, v, err
	}
	return a
}

// defects are what an adapter may do wrong, and the test that must fail.
var defects = []struct {
	name, test string
	handle     func(s replica.SessionStore) replica.SessionStore
}{
	{"the last one wins", "changed", overwriting(func(version uint64, err error) bool { return version != 0 })},
	{"makes what exists", "changed", overwriting(func(version uint64, err error) bool { return version == 0 })},
	{"makes what is gone", "changed", overwriting(func(_ uint64, err error) bool { return err != nil })},
	{"compares, then replaces", "many_change", torn},
	{"compares, then makes", "many_create", torn},
	{"the first version is 0", "one_record", loading(func(record []byte, v uint64, err error) ([]byte, uint64, error) {
		return record, v - 1, err
	})},
	{"another error", "one_record", loading(func(record []byte, v uint64, err error) ([]byte, uint64, error) {
		if err != nil {
			err = errors.New(err.Error())
		}
		return record, v, err
	})},
	{"no error", "one_record", loading(func(record []byte, v uint64, _ error) ([]byte, uint64, error) {
		return record, v, nil
	})},
	{"each handle has its cache", "one_record", cached},
	{"Delete wants a record", "deleted", func(s replica.SessionStore) replica.SessionStore {
		return &altered{SessionStore: s, remove: func(ctx context.Context, id string) error {
			_, _, err := s.Load(ctx, id)
			return errors.Join(err, s.Delete(ctx, id))
		}}
	}},
	{"Delete does nothing", "deleted", func(s replica.SessionStore) replica.SessionStore {
		return &altered{SessionStore: s, remove: func(ctx context.Context, _ string) error { return ctx.Err() }}
	}},
	{"versions begin anew", "versions_do_not_return", counting},
	{"versions begin anew after expiry", "expiry", counting},
	{"ids in one case", "ids", renamed(strings.ToLower)},
	{"ids are cut", "ids", renamed(func(id string) string { return id[:min(len(id), 96)] })},
	{"minus is underscore", "ids", renamed(func(id string) string { return strings.ReplaceAll(id, "-", "_") })},
	{"an empty record is none", "records", loading(func(record []byte, v uint64, err error) ([]byte, uint64, error) {
		if len(record) == 0 {
			return nil, 0, replica.ErrNotFound
		}
		return record, v, err
	})},
	{"records are text", "records", loading(func(record []byte, v uint64, err error) ([]byte, uint64, error) {
		return bytes.ToValidUTF8(record, []byte("?")), v, err
	})},
	{"large records are cut", "records", loading(func(record []byte, v uint64, err error) ([]byte, uint64, error) {
		return record[:min(len(record), replica.MaxRecord-1)], v, err
	})},
	{"keeps the memory of Save", "records_are_copies", func(s replica.SessionStore) replica.SessionStore {
		var kept sync.Map
		a := &altered{SessionStore: s}
		a.save = func(ctx context.Context, id string, version uint64, record []byte, ttl time.Duration) (uint64, error) {
			kept.Store(id, record)
			return s.Save(ctx, id, version, record, ttl)
		}
		a.load = func(ctx context.Context, id string) ([]byte, uint64, error) {
			_, v, err := s.Load(ctx, id)
			record, _ := kept.Load(id)
			return record.([]byte), v, err
		}
		return a
	}},
	{"Load hands out its own memory", "records_are_copies", func(s replica.SessionStore) replica.SessionStore {
		var kept sync.Map
		return &altered{SessionStore: s, load: func(ctx context.Context, id string) ([]byte, uint64, error) {
			record, v, err := s.Load(ctx, id)
			one, _ := kept.LoadOrStore(id, record)
			return one.([]byte), v, err
		}}
	}},
	{"the same bytes are no change", "good_once", func(s replica.SessionStore) replica.SessionStore {
		a := &altered{SessionStore: s}
		a.save = func(ctx context.Context, id string, version uint64, record []byte, ttl time.Duration) (uint64, error) {
			now, v, err := s.Load(ctx, id)
			if err == nil && bytes.Equal(now, record) {
				return v, nil
			}
			return s.Save(ctx, id, version, record, ttl)
		}
		return a
	}},
	{"who is too late prolongs", "good_once", func(s replica.SessionStore) replica.SessionStore {
		a := &altered{SessionStore: s}
		a.save = func(ctx context.Context, id string, version uint64, record []byte, ttl time.Duration) (uint64, error) {
			now, v, err := s.Load(ctx, id)
			if version != 0 || err != nil {
				return s.Save(ctx, id, version, record, ttl)
			}
			_, err = s.Save(ctx, id, v, now, ttl)
			return 0, errors.Join(replica.ErrChanged, err)
		}
		return a
	}},
	{"nothing expires", "expiry", lasting(func(bool, time.Duration) time.Duration { return time.Hour })},
	{"expires too early", "expiry", lasting(func(_ bool, ttl time.Duration) time.Duration { return ttl / 1e6 })},
	{"the first ttl counts", "expiry", func(s replica.SessionStore) replica.SessionStore {
		var first sync.Map
		a := &altered{SessionStore: s}
		a.save = func(ctx context.Context, id string, version uint64, record []byte, ttl time.Duration) (uint64, error) {
			one, _ := first.LoadOrStore(id, ttl)
			return s.Save(ctx, id, version, record, one.(time.Duration))
		}
		return a
	}},
	{"a change lasts for ever", "expiry", lasting(func(made bool, ttl time.Duration) time.Duration {
		if made {
			return ttl
		}
		return time.Hour
	})},
	{"ctx is ignored", "end_of_ctx", func(s replica.SessionStore) replica.SessionStore {
		return &altered{s, func(ctx context.Context, id string) ([]byte, uint64, error) {
			return s.Load(context.WithoutCancel(ctx), id)
		}, func(ctx context.Context, id string, version uint64, record []byte, ttl time.Duration) (uint64, error) {
			return s.Save(context.WithoutCancel(ctx), id, version, record, ttl)
		}, func(ctx context.Context, id string) error { return s.Delete(context.WithoutCancel(ctx), id) }}
	}},
	{"the end of ctx means that there is none", "end_of_ctx", loading(
		func(record []byte, v uint64, err error) ([]byte, uint64, error) {
			if err != nil {
				err = errors.Join(replica.ErrNotFound, err)
			}
			return record, v, err
		})},
}

// TestDefects plants each defect into a store, and runs the suite in a process of its own, where it must fail.
func TestDefects(t *testing.T) {
	for _, d := range defects {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			mustFail(t, "TestDefective", d.name, d.test)
		})
	}
}

// mustFail runs a test of this package with a defect.
func mustFail(t *testing.T, name, defect, want string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+name+"$/^"+want+"$", "-test.v",
		"-test.timeout=2m")
	cmd.Env = append(os.Environ(), environment+"="+defect)
	out, err := cmd.CombinedOutput()
	if err == nil {
		t.Fatalf("the suite does not find it\n%s", out)
	}
	if !strings.Contains(string(out), "--- FAIL: "+name+"/"+want) || strings.Contains(string(out), "panic:") {
		t.Fatalf("test %q does not fail as it should\n%s", want, out)
	}
}

// TestDefective is what TestDefects runs.
func TestDefective(t *testing.T) {
	for _, d := range defects {
		if d.name == os.Getenv(environment) {
			patience = 3 * time.Second
			var store memory.Sessions
			shared := d.handle(&store)
			Run(t, func(*testing.T) replica.SessionStore {
				if d.test == "one_record" { // one for each replica
					return d.handle(&store)
				}
				return shared
			})
		}
	}
}
