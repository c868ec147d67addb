package exam

import (
	"runtime"
	"syscall"
	"time"
)

// work uses the processor for a while, and returns how long that took and what it used.
func work(d time.Duration) (took, processor time.Duration) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	begun, before := time.Now(), used()
	for processor < d && took < time.Second {
		for range 10_000 {
		}
		took, processor = time.Since(begun), used()-before
	}
	return took, processor
}

// used is the time of the processor that this thread has used.
func used() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_THREAD, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
