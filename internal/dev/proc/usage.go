package proc

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// ticks is how many ticks of /proc a second has on all systems that have it.
const ticks = 100

// Times returns the processor time of a process. It needs /proc.
func Times(pid int) (time.Duration, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	user, err := strconv.ParseInt(fields[11], 10, 64)
	if err != nil {
		return 0, err
	}
	system, err := strconv.ParseInt(fields[12], 10, 64)
	return time.Duration(user+system) * time.Second / ticks, err
}

var resident = regexp.MustCompile(`VmRSS:\s+(\d+) kB`)

// Memory returns the bytes of memory that a process has. It needs /proc.
func Memory(pid int) (int64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	m := resident.FindSubmatch(text)
	if m == nil {
		return 0, fmt.Errorf("process %d has no VmRSS", pid)
	}
	kib, err := strconv.ParseInt(string(m[1]), 10, 64)
	return kib << 10, err
}
