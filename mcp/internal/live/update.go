package live

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
)

// maxUpdateRuns is how often Update calls its function at most. A value that changes that often meanwhile is changed by
// the function, on another goroutine.
const maxUpdateRuns = 1000

// errUpdateRuns is returned by an Update that could not end.
var errUpdateRuns = fmt.Errorf("mcp: Update: the value was changed during each of %d runs of the function: "+
	"it must change the value that it is given, and nothing else", maxUpdateRuns)

// updates are the functions that Update is running for one value or store. No lock is held while they run, so that
// readers and writers go on; a function that changes the same value in another way gets an error.
type updates struct {
	running atomic.Int32 // how many there are in byGoroutine

	mu          sync.Mutex
	byGoroutine map[uint64]*updateRun
}

// updateRun is one function of Update.
type updateRun struct {
	fault error // of a change that was refused meanwhile
}

// run calls f, a function of Update. Its error is that of f, or that of a change that f should not have tried.
func (u *updates) run(f func() error) error {
	id := goroutineID()
	r := new(updateRun)
	u.mu.Lock()
	if u.byGoroutine == nil {
		u.byGoroutine = map[uint64]*updateRun{}
	}
	u.byGoroutine[id] = r
	u.mu.Unlock()
	u.running.Add(1)
	defer func() {
		u.running.Add(-1)
		u.mu.Lock()
		delete(u.byGoroutine, id)
		u.mu.Unlock()
	}()
	if err := f(); err != nil {
		return err
	}
	return r.fault
}

// refuse returns an error if the goroutine that calls method is running a function of Update, which fails then.
func (u *updates) refuse(method string) error {
	if u.running.Load() == 0 {
		return nil
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	r := u.byGoroutine[goroutineID()]
	if r == nil {
		return nil
	}
	r.fault = errors.New("mcp: " + method + " was called by the function of an Update: " +
		"change the value that the function is given instead")
	return r.fault
}

// goroutineID is the number of the goroutine that calls it, as stack traces show it.
func goroutineID() uint64 {
	var buf [32]byte // "goroutine 12 [running]:"
	text := bytes.TrimPrefix(buf[:runtime.Stack(buf[:], false)], []byte("goroutine "))
	digits, _, _ := bytes.Cut(text, []byte(" "))
	id, _ := strconv.ParseUint(string(digits), 10, 64)
	return id
}
