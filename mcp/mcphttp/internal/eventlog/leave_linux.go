package eventlog

import (
	"net"
	"os"
	"sync"
	"syscall"
)

// leavers notices when clients close connections that nobody reads from, with one goroutine for all of them. The zero
// value is ready to use.
type leavers struct {
	mu    sync.Mutex
	epoll *os.File // nil while there are no connections
	last  uint64   // the number of the newest connection
	gone  map[uint64]func()
}

// watch calls gone once the client has closed conn, even if there are bytes to read. Call stop before conn is closed.
func (l *leavers) watch(conn net.Conn, gone func()) (stop func()) {
	raw := rawConn(conn)
	if raw == nil {
		go read(conn, gone)
		return func() {}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.epoll == nil && !l.begin() {
		go read(conn, gone)
		return func() {}
	}
	l.last++
	number := l.last
	l.gone[number] = gone
	if err := l.add(raw, number); err != nil {
		go read(conn, gone) // conn is closed already, or epoll has no room
	}
	return func() { l.forget(number) }
}

// rawConn returns the socket of a connection. It is nil if that is not known, and for TLS, where a client may leave
// without closing the socket.
func rawConn(conn net.Conn) syscall.RawConn {
	s, ok := conn.(syscall.Conn)
	if !ok {
		return nil
	}
	raw, err := s.SyscallConn()
	if err != nil {
		return nil
	}
	return raw
}

// begin opens an epoll(7) descriptor, for which the network poller of Go waits. It returns false if that is not
// possible.
func (l *leavers) begin() bool {
	fd, err := syscall.EpollCreate1(syscall.EPOLL_CLOEXEC)
	if err != nil {
		return false
	}
	_ = syscall.SetNonblock(fd, true) // else os.File would not wait with the poller
	l.epoll, l.gone = os.NewFile(uintptr(fd), "epoll"), make(map[uint64]func())
	go l.run(l.epoll)
	return true
}

// add adds a connection. A closed connection is removed by the system.
func (l *leavers) add(raw syscall.RawConn, number uint64) error {
	epoll, err := l.epoll.SyscallConn()
	if err != nil {
		return err
	}
	e := syscall.EpollEvent{Events: syscall.EPOLLRDHUP | syscall.EPOLLONESHOT,
		Fd: int32(number), Pad: int32(number >> 32)}
	failed := raw.Control(func(fd uintptr) {
		err = epoll.Control(func(of uintptr) {
			failed := syscall.EpollCtl(int(of), syscall.EPOLL_CTL_ADD, int(fd), &e)
			if failed != nil {
				err = failed
			}
		})
	})
	if failed != nil {
		return failed
	}
	return err
}

// forget forgets a connection.
func (l *leavers) forget(number uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.gone, number)
	if len(l.gone) == 0 {
		_ = l.epoll.Close() // run ends
		l.epoll = nil
	}
}

// run calls the functions of clients that leave, until epoll is closed.
func (l *leavers) run(epoll *os.File) {
	raw, err := epoll.SyscallConn()
	var events [64]syscall.EpollEvent
	for err == nil {
		var n int
		err = raw.Read(func(fd uintptr) bool {
			n, _ = syscall.EpollWait(int(fd), events[:], 0)
			return n > 0
		})
		for _, e := range events[:max(n, 0)] {
			number := uint64(uint32(e.Fd)) | uint64(uint32(e.Pad))<<32 // as add has made it
			l.mu.Lock()
			gone := l.gone[number]
			l.mu.Unlock()
			if gone != nil {
				gone()
			}
		}
	}
}
