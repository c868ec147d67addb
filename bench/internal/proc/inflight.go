//go:build unix

package proc

import (
	"bufio"
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/bench/internal/work"
)

// firstID is that of the first request: ids have the same number of digits.
const firstID = 1_000_000

// request is one that was sent.
type request struct {
	at   time.Time
	slow bool
}

// RunMany keeps n requests in flight for about as long as told, and beside them some of op that the server takes long
// for. Each has an id and a progressToken of its own; answers may come in any order. The times are those of the n. Rate
// is how many of these are answered in a second.
func (s *Server) RunMany(op work.Op, n, slow int, length time.Duration) (slice Slice, rate float64, err error) {
	before, start := cpuTime(s.cmd.Process.Pid), time.Now()
	free, sent := [2]chan struct{}{tokens(n), tokens(slow)}, make(chan request, 2*(n+slow))
	failed := make(chan error, 1)
	go func() {
		failed <- s.sendMany(op, free, sent, start.Add(length))
		close(sent)
	}()
	took, err := s.receiveMany(free, sent)
	if err != nil {
		return slice, 0, err
	}
	if err := <-failed; err != nil {
		return slice, 0, err
	}
	used := cpuTime(s.cmd.Process.Pid) - before
	return Slice{P50: quantile(took, 0.5), P95: quantile(took, 0.95), P99: quantile(took, 0.99),
		CPU: used / time.Duration(len(took))}, float64(len(took)) / time.Since(start).Seconds(), nil
}

// tokens returns a channel with room for n, which it holds.
func tokens(n int) chan struct{} {
	c := make(chan struct{}, n)
	for range n {
		c <- struct{}{}
	}
	return c
}

// sendMany sends requests while there is room in flight, until the time is over: free has that for quick ones and for
// slow ones.
func (s *Server) sendMany(op work.Op, free [2]chan struct{}, sent chan<- request, until time.Time) error {
	text := strings.Replace(op.Request, `"id":7`, `"id":`+strconv.Itoa(firstID), 1)
	text = strings.Replace(text, `"progressToken":1000000`, `"progressToken":`+strconv.Itoa(firstID), 1)
	line, first := []byte(text+"\n"), []byte(strconv.Itoa(firstID))
	slow := bytes.Replace(line, []byte(`"query":"stand"`), []byte(`"query":"`+work.Slow+`"`), 1)
	for id := firstID; time.Now().Before(until); id++ {
		r, line := request{}, line
		select {
		case <-free[0]:
		case <-free[1]:
			r.slow, line = true, slow
		}
		r.at = time.Now()
		sent <- r
		if err := s.Send(bytes.ReplaceAll(line, first, strconv.AppendInt(nil, int64(id), 10))); err != nil {
			return err
		}
	}
	return nil
}

// receiveMany reads the answers to all that was sent.
func (s *Server) receiveMany(free [2]chan struct{}, sent <-chan request) (took []time.Duration, err error) {
	in := bufio.NewReaderSize(s.out, 1<<16)
	var all []request
	for answered := 0; ; answered++ {
		if answered == len(all) {
			r, ok := <-sent
			if !ok {
				return took, nil
			}
			all = append(all, r)
		}
		line, err := in.ReadSlice('\n')
		if err != nil {
			return nil, err
		}
		id, ok := idOf(line)
		for ok && id >= len(all) {
			var r request
			r, ok = <-sent
			all = append(all, r)
		}
		switch {
		case !ok:
			return nil, fmt.Errorf("an answer to nothing: %.200s", line)
		case all[id].slow:
			free[1] <- struct{}{}
		default:
			took = append(took, time.Since(all[id].at))
			free[0] <- struct{}{}
		}
	}
}

// idOf returns the number of the request that a line answers.
func idOf(line []byte) (id int, ok bool) {
	_, rest, ok := bytes.Cut(line, []byte(`"id":`))
	if !ok || len(rest) < 7 {
		return 0, false
	}
	n, err := strconv.Atoi(string(rest[:7]))
	return n - firstID, err == nil && n >= firstID
}
