package freeport

import (
	"context"
	"net"
	"strconv"
	"testing"
)

// An address that is found can be listened at, and its port is none that a system gives away.
func TestFind(t *testing.T) {
	for range 20 {
		addr, err := Find(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		_, port, err := net.SplitHostPort(addr)
		if err != nil {
			t.Fatal(err)
		}
		if n, err := strconv.Atoi(port); err != nil || n < first || n >= first+count {
			t.Errorf("found %s, %v", addr, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if addr, err := Find(ctx); err == nil {
		t.Errorf("found %s after the end of the context", addr)
	}
}
