package sessiontest

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/mcp/replica"
)

// workers is how many goroutines change a record at once.
const workers = 32

// testManyCreate: of many goroutines that make a record at once one succeeds, and its record is there.
func testManyCreate(f *fixture) {
	for range 10 {
		id := newID()
		var winners atomic.Int32
		var version atomic.Uint64
		var record atomic.Value
		start := make(chan struct{})
		var wait sync.WaitGroup
		ctx := f.limit()
		for n := range workers {
			store := f.one
			if n%2 == 1 {
				store = f.two
			}
			wait.Go(func() {
				<-start
				text := "by " + strconv.Itoa(n)
				switch v, err := store.Save(ctx, id, 0, []byte(text), long); {
				case err == nil:
					winners.Add(1)
					version.Store(v)
					record.Store(text)
				case !errors.Is(err, replica.ErrChanged) || errors.Is(err, replica.ErrNotFound):
					f.Errorf("Save of a record that exists: %v, want ErrChanged", err)
				}
			})
		}
		close(start)
		wait.Wait()
		if n := winners.Load(); n != 1 {
			f.Fatalf("%d of %d made the same record", n, workers)
		}
		f.expect(f.two, id, record.Load().(string), version.Load())
	}
}

// testOnce: of several that make the same record only the first succeeds, until the record is deleted or has expired;
// the others change nothing. Servers rely on this so that a request state is used once.
func testOnce(f *fixture) {
	sum := sha256.Sum256([]byte(newID()))
	id := base64.RawURLEncoding.EncodeToString(sum[:])
	for range 2 {
		v := f.save(f.one, id, 0, "\x01", long)
		for _, s := range []replica.SessionStore{f.one, f.two, f.one} {
			if next, err := s.Save(f.limit(), id, 0, []byte{1}, long); !errors.Is(err, replica.ErrChanged) {
				f.Fatalf("Save of a record that exists, with the same bytes: %d, %v, want ErrChanged", next, err)
			}
		}
		f.expect(f.two, id, "\x01", v)
		if err := f.two.Delete(f.limit(), id); err != nil {
			f.Fatalf("Delete: %v", err)
		}
	}
	const short = 2 * time.Second
	begun := time.Now()
	f.save(f.one, id, 0, "\x01", short)
	_, err := f.two.Save(f.limit(), id, 0, []byte{1}, long)
	if time.Since(begun) >= short {
		return // the record may have expired
	}
	f.only(err, replica.ErrChanged)
	f.expired(id) // the refused Save has not prolonged it
	f.save(f.two, id, 0, "\x01", long)
}

// testManyChange: many goroutines that each load a record, change it, save it, and begin anew if it has changed, lose
// no change.
func testManyChange(f *fixture) {
	const each = 4
	id := newID()
	f.save(f.one, id, 0, "0", long)
	ctx := f.limit()
	var wait sync.WaitGroup
	for n := range workers {
		store := f.one
		if n%2 == 1 {
			store = f.two
		}
		wait.Go(func() {
			for range each {
				if err := increment(ctx, store, id); err != nil {
					f.Errorf("a change among %d: %v", workers, err)
					return
				}
			}
		})
	}
	wait.Wait()
	if f.Failed() {
		return
	}
	record, _, err := f.one.Load(f.limit(), id)
	if err != nil {
		f.Fatal(err)
	}
	if want := strconv.Itoa(workers * each); string(record) != want {
		f.Fatalf("of %s changes %s are in the record", want, record)
	}
}

// increment adds 1 to the number in a record.
func increment(ctx context.Context, store replica.SessionStore, id string) error {
	for {
		record, version, err := store.Load(ctx, id)
		if err != nil {
			return err
		}
		n, err := strconv.Atoi(string(record))
		if err != nil {
			return err
		}
		_, err = store.Save(ctx, id, version, strconv.AppendInt(nil, int64(n+1), 10), long)
		if !errors.Is(err, replica.ErrChanged) {
			return err
		}
	}
}

// testExpiry: a record is there until its ttl has passed since the last time that it was saved, and gone soon after.
func testExpiry(f *fixture) {
	short, shortened, again, lasting := newID(), newID(), newID(), newID()
	f.save(f.one, lasting, 0, "lasting", long)
	prolonged, kept := f.prolonged()
	v := f.save(f.one, shortened, 0, "long", long)
	f.save(f.two, shortened, v, "short", time.Second)
	old := f.save(f.one, short, 0, "short", time.Second)
	first := f.save(f.one, again, 0, "short", time.Second)
	for _, id := range []string{short, shortened, again} {
		f.expired(id)
	}
	f.refuse(f.one, short, old)
	f.missing(f.two, short)
	f.expect(f.two, prolonged, "long", kept)
	if _, _, err := f.two.Load(f.limit(), lasting); err != nil {
		f.Errorf("Load of a record whose ttl has not passed: %v", err)
	}
	second := f.save(f.two, again, 0, "made again", long)
	if first == second {
		f.Error("a record that was made after one had expired has its version")
	}
	f.refuse(f.one, again, first)
	f.expect(f.one, again, "made again", second)
	if err := f.one.Delete(f.limit(), short); err != nil {
		f.Errorf("Delete of a record that has expired: %v", err)
	}
}

// prolonged saves a record with a ttl of a second, and then again with a long one. If the record has expired before,
// it tries with another record.
func (f *fixture) prolonged() (id string, version uint64) {
	f.Helper()
	for limit := time.Now().Add(patience); ; {
		id = newID()
		begun := time.Now()
		first := f.save(f.one, id, 0, "short", time.Second)
		version, err := f.two.Save(f.limit(), id, first, []byte("long"), long)
		if err == nil {
			return id, version
		}
		if now := time.Now(); now.Sub(begun) < time.Second || now.After(limit) {
			f.Fatalf("Save of a record whose ttl has not passed: %v", err)
		}
	}
}

// expired waits until a record is gone for both handles.
func (f *fixture) expired(id string) {
	f.Helper()
	limit := time.Now().Add(patience)
	for {
		_, _, err := f.one.Load(f.limit(), id)
		if errors.Is(err, replica.ErrNotFound) {
			break
		}
		if err != nil {
			f.Fatalf("Load: %v", err)
		}
		if time.Now().After(limit) {
			f.Fatalf("a record with a ttl of a second is there after %s", patience)
		}
		time.Sleep(50 * time.Millisecond)
	}
	f.missing(f.two, id)
}

// testEnd: with a ctx that has ended, each method returns an error and changes nothing.
func testEnd(f *fixture) {
	id := newID()
	v := f.save(f.one, id, 0, "first", long)
	for name, call := range f.calls(f.one, id, v) {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		err := call(ctx)
		if err == nil {
			f.Errorf("%s with a ctx that has ended returned no error", name)
		}
		f.notOurs(name, err)
	}
	f.expect(f.two, id, "first", v)
}
