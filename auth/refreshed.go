package auth

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

const (
	// fetchTimeout is how long an issuer has for what it publishes, and how long a request waits for that.
	fetchTimeout = 5 * time.Second
	// refreshEvery is the age from which what an issuer publishes is fetched again, and keepFor how long it is used if
	// that fails.
	refreshEvery = 10 * time.Minute
	keepFor      = 24 * time.Hour
	// minInterval is the time between two attempts to fetch keys, whatever requests ask for.
	minInterval = 5 * time.Second
	// lateTimeout is how long a request waits if the issuer has not answered in time within the last recently.
	lateTimeout = time.Second
	recently    = time.Minute
)

// unavailableError says that a token could not be judged, which is not the fault of the caller.
type unavailableError struct{ err error }

func (e *unavailableError) Error() string {
	return "auth: the issuer does not answer as it should: " + e.err.Error()
}

func (e *unavailableError) Unwrap() error { return e.err }

// unavailable returns err as such an error.
func unavailable(err error) error {
	if u, ok := errors.AsType[*unavailableError](err); ok {
		return u
	}
	return &unavailableError{err}
}

var errSlowIssuer = errors.New("the issuer takes too long")

// refreshed is something that an issuer publishes. One attempt to fetch it runs at a time, and no request waits for
// the time between two. It is safe for concurrent use.
type refreshed[T any] struct {
	fetch    func(ctx context.Context) (T, error)
	interval time.Duration // between two attempts

	mu      sync.Mutex
	value   T
	fetched time.Time     // when value was fetched; zero if there is none
	tried   time.Time     // when the last attempt began
	late    time.Time     // when one was over, if the issuer had not answered in time
	err     error         // of the last attempt
	flight  chan struct{} // closed when the attempt under way is over; nil if there is none
}

// get returns the value. One that is not enough, or not there, is fetched first, unless that was tried a moment ago:
// then the value may not be enough. So is one that nobody has asked for since long, unless the issuer is known to be
// away: a key that was withdrawn must not count because a server was idle. The error is an *unavailableError.
func (f *refreshed[T]) get(ctx context.Context, enough func(T) bool) (T, error) {
	f.mu.Lock()
	fits, age := f.usableLocked() && enough(f.value), time.Since(f.fetched)
	if fits && age < refreshEvery {
		defer f.mu.Unlock()
		return f.value, nil
	}
	if f.flight == nil && (f.tried.IsZero() || time.Since(f.tried) >= f.interval) {
		f.tried, f.flight = time.Now(), make(chan struct{})
		go f.try(f.flight)
	}
	value, flight := f.value, f.flight
	patience := fetchTimeout
	if !f.late.IsZero() && time.Since(f.late) < recently {
		patience = lateTimeout
	}
	serves := fits && (age < 2*refreshEvery || f.err != nil)
	f.mu.Unlock()
	if serves {
		return value, nil
	}
	if flight != nil {
		wait := time.NewTimer(patience)
		defer wait.Stop()
		select {
		case <-flight:
		case <-wait.C:
			if fits {
				return value, nil
			}
			return value, unavailable(errSlowIssuer)
		case <-ctx.Done():
			return value, unavailable(errSlowIssuer)
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.usableLocked() && (f.err == nil || enough(f.value)) {
		return f.value, nil
	}
	return f.value, unavailable(f.err)
}

// usableLocked reports whether there is a value that is not too old.
func (f *refreshed[T]) usableLocked() bool {
	return !f.fetched.IsZero() && time.Since(f.fetched) < keepFor
}

// try fetches the value once. The old one stays if that fails.
func (f *refreshed[T]) try(over chan struct{}) {
	ctx, cancel := context.WithTimeout(context.Background(), fetchTimeout)
	defer cancel()
	value, err := f.fetchSafely(ctx)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.flight = nil
	switch f.err = err; {
	case err == nil:
		f.value, f.fetched, f.late = value, time.Now(), time.Time{}
	case errors.Is(err, errSlowIssuer), errors.Is(err, context.DeadlineExceeded):
		f.late = time.Now()
	}
	close(over)
}

// fetchSafely is fetch, and an error in place of a panic, such as one of a transport of the program.
func (f *refreshed[T]) fetchSafely(ctx context.Context) (value T, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return f.fetch(ctx)
}
