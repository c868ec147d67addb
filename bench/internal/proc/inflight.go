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

// RunMany keeps n requests in flight for about as long as told. Each has an id and a progressToken of its own; answers
// may come in any order. Rate is how many are answered in a second.
func (s *Server) RunMany(op work.Op, n int, length time.Duration) (slice Slice, rate float64, err error) {
	before, start := cpuTime(s.cmd.Process.Pid), time.Now()
	free, sent := make(chan struct{}, n), make(chan time.Time, n*2)
	for range n {
		free <- struct{}{}
	}
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

// sendMany sends requests while there is room in flight, until the time is over. Sent gets the time of each.
func (s *Server) sendMany(op work.Op, free <-chan struct{}, sent chan<- time.Time, until time.Time) error {
	text := strings.Replace(op.Request, `"id":7`, `"id":`+strconv.Itoa(firstID), 1)
	text = strings.Replace(text, `"progressToken":1000000`, `"progressToken":`+strconv.Itoa(firstID), 1)
	line, first := []byte(text+"\n"), []byte(strconv.Itoa(firstID))
	for id := firstID; time.Now().Before(until); id++ {
		<-free
		sent <- time.Now()
		if err := s.Send(bytes.ReplaceAll(line, first, strconv.AppendInt(nil, int64(id), 10))); err != nil {
			return err
		}
	}
	return nil
}

// receiveMany reads the answers to all that was sent.
func (s *Server) receiveMany(free chan<- struct{}, sent <-chan time.Time) (took []time.Duration, err error) {
	in := bufio.NewReaderSize(s.out, 1<<16)
	var starts []time.Time
	for begun := range sent {
		starts = append(starts, begun)
		line, err := in.ReadSlice('\n')
		if err != nil {
			return nil, err
		}
		id, ok := idOf(line)
		for ok && id >= len(starts) {
			begun, ok = <-sent
			starts = append(starts, begun)
		}
		if !ok {
			return nil, fmt.Errorf("an answer to nothing: %.200s", line)
		}
		took = append(took, time.Since(starts[id]))
		free <- struct{}{}
	}
	for len(took) < len(starts) {
		line, err := in.ReadSlice('\n')
		if err != nil {
			return nil, err
		}
		id, ok := idOf(line)
		if !ok || id >= len(starts) {
			return nil, fmt.Errorf("an answer to nothing: %.200s", line)
		}
		took = append(took, time.Since(starts[id]))
		free <- struct{}{}
	}
	return took, nil
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
