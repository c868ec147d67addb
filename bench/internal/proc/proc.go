//go:build unix

// Package proc measures servers in processes of their own, over the pipes of stdio.
package proc

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/mcpgen/mcpgen/bench/internal/work"
)

// Server is a running server.
type Server struct {
	cmd     *exec.Cmd
	in, out *os.File // our ends
	inFD    int
	outFD   int
	buf     []byte
}

// Start starts the program at path. What it writes to stderr is dropped.
func Start(path string, args ...string) (*Server, error) {
	inR, inW, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	outR, outW, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(path, args...)
	cmd.Stdin, cmd.Stdout = inR, outW
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	_ = inR.Close()
	_ = outW.Close()
	s := &Server{cmd: cmd, in: inW, out: outR, buf: make([]byte, 1<<20)}
	// Blocking calls on this thread: the poller of the Go runtime would add its own wake-ups.
	s.inFD, s.outFD = int(inW.Fd()), int(outR.Fd())
	if err := syscall.SetNonblock(s.inFD, false); err != nil {
		return nil, err
	}
	return s, syscall.SetNonblock(s.outFD, false)
}

// Stop ends the server by the end of its input.
func (s *Server) Stop() {
	_ = s.in.Close()
	_ = s.out.Close()
	_ = s.cmd.Wait() // a server may well complain that nobody reads any more
}

// Send writes one message, which must end in a newline.
func (s *Server) Send(line []byte) error {
	for len(line) > 0 {
		n, err := syscall.Write(s.inFD, line)
		if err != nil {
			return err
		}
		line = line[n:]
	}
	return nil
}

// Receive reads one line. It is valid until the next one.
func (s *Server) Receive() ([]byte, error) {
	for n := 0; ; {
		m, err := syscall.Read(s.outFD, s.buf[n:])
		switch {
		case err == syscall.EINTR:
			continue
		case err != nil:
			return nil, err
		case m == 0:
			return nil, fmt.Errorf("%s: end of output", s.cmd.Path)
		}
		if n += m; bytes.IndexByte(s.buf[n-m:n], '\n') >= 0 {
			return s.buf[:n], nil
		}
	}
}

// Open makes the server ready for requests of an era, looks at its answer to one, and returns it.
func (s *Server) Open(op work.Op, answers bool) ([]byte, error) {
	if op.Era == work.Legacy && answers {
		if err := s.Send([]byte(work.Handshake[0] + "\n")); err != nil {
			return nil, err
		}
		if _, err := s.Receive(); err != nil {
			return nil, err
		}
		if err := s.Send([]byte(work.Handshake[1] + "\n")); err != nil {
			return nil, err
		}
	}
	if err := s.Send([]byte(op.Request + "\n")); err != nil {
		return nil, err
	}
	got, err := s.Receive()
	if err == nil && answers && !strings.Contains(string(got), op.Want) {
		err = fmt.Errorf("%s %s: wrong answer: %.300s", op.Name, op.Era, got)
	}
	return got, err
}

// Slice is what the requests of one slice have cost.
type Slice struct {
	P50, P95 time.Duration // of the round trip
	P99      time.Duration // the same, where many are in flight; else 0
	CPU      time.Duration // of the server's process, for each request; 0 if the system does not tell
}

// Run does round trips for about as long as told, at least 20.
func (s *Server) Run(line *work.Message, length time.Duration) (Slice, error) {
	var took []time.Duration
	before := cpuTime(s.cmd.Process.Pid)
	start := time.Now()
	for now := start; now.Sub(start) < length || len(took) < 20; {
		if err := s.Send(line.Next()); err != nil {
			return Slice{}, err
		}
		if _, err := s.Receive(); err != nil {
			return Slice{}, err
		}
		then := now
		now = time.Now()
		took = append(took, now.Sub(then))
	}
	used := cpuTime(s.cmd.Process.Pid) - before
	return Slice{P50: quantile(took, 0.5), P95: quantile(took, 0.95), CPU: used / time.Duration(len(took))}, nil
}

// ColdStart returns the time from the start of a process to its first line: its answer to the
// handshake.
func ColdStart(path string) (time.Duration, error) {
	start := time.Now()
	s, err := Start(path)
	if err != nil {
		return 0, err
	}
	defer s.Stop()
	_ = s.Send([]byte(work.Handshake[0] + "\n")) // a program that only prints may have ended
	_, err = s.Receive()
	return time.Since(start), err
}
