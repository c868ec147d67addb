package proc

import (
	"syscall"
	"time"
	"unsafe"
)

// cpuTime returns the time that a process has run on any CPU, to the nanosecond.
func cpuTime(pid int) time.Duration {
	const ofProcess = 2                   // the clock of the scheduler
	clock := uintptr(^pid)<<3 | ofProcess // as clock_getcpuclockid(3) makes it
	var ts syscall.Timespec
	if _, _, e := syscall.Syscall(syscall.SYS_CLOCK_GETTIME, clock, uintptr(unsafe.Pointer(&ts)), 0); e != 0 {
		return 0
	}
	return time.Duration(ts.Nano())
}
