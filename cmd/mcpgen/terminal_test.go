package main

import (
	"bytes"
	"strings"
	"sync"
	"testing"
	"time"
)

// lockedBuffer is written from two goroutines.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// A run that takes long says its step, each over the one before, and leaves nothing.
func TestProgress(t *testing.T) {
	var out lockedBuffer
	p := newProgress(&out, time.Nanosecond)
	p.begin("loading packages")
	for !strings.Contains(out.String(), "loading") {
		time.Sleep(time.Millisecond)
		p.begin("loading packages")
	}
	p.begin("building")
	p.end()
	p.end()
	p.show()
	if got := out.String(); !strings.HasSuffix(got, "\r\033[Kmcpgen: building ...\r\033[K") {
		t.Errorf("%q", got)
	}
}

// A short run says nothing.
func TestNoProgress(t *testing.T) {
	var out lockedBuffer
	p := newProgress(&out, time.Hour)
	p.begin("loading packages")
	p.end()
	p.show()
	if got := out.String(); got != "" {
		t.Errorf("%q", got)
	}
}
