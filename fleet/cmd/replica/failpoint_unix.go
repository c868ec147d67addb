//go:build unix

package main

import (
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
)

// failpoint returns a function that ends the process as kill -9 does, once SIGUSR1 has arrived.
func failpoint() func() {
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGUSR1)
	var armed atomic.Bool
	go func() {
		<-asked
		armed.Store(true)
	}()
	return func() {
		if armed.Load() {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
	}
}
