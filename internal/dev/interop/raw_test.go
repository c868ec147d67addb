package interop

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/dev/interop/validator"
)

// rawServer is a notes server that a test talks to line by line. The validator sees both directions.
type rawServer struct {
	t         *testing.T
	cmd       *exec.Cmd
	in        io.WriteCloser
	out       *bufio.Scanner
	validator *validator.Session
}

func startRaw(t *testing.T, s *validator.Session) *rawServer {
	t.Helper()
	bin, dir := notesServer(t)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, bin, "-dir", dir)
	cmd.Stderr = t.Output()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return &rawServer{t: t, cmd: cmd, in: in, out: bufio.NewScanner(out), validator: s}
}

func (s *rawServer) send(line string) {
	s.t.Helper()
	s.validator.FromClient([]byte(line))
	if _, err := fmt.Fprintln(s.in, line); err != nil {
		s.t.Fatal(err)
	}
}

// next returns the next line of the server, judged; ok is false if its output has ended.
func (s *rawServer) next() (line string, ok bool) {
	s.t.Helper()
	if !s.out.Scan() {
		return "", false
	}
	if err := s.validator.FromServer(s.out.Bytes()); err != nil {
		s.t.Error(err)
	}
	return s.out.Text(), true
}

// end closes the server's input and returns the lines that it still writes.
func (s *rawServer) end() []string {
	s.t.Helper()
	s.in.Close()
	var rest []string
	for line, ok := s.next(); ok; line, ok = s.next() {
		rest = append(rest, line)
	}
	if err := s.cmd.Wait(); err != nil {
		s.t.Errorf("the server ends with %v", err)
	}
	return rest
}

// converse sends each line and waits for its answer if it is a request. The server must write nothing else.
func converse(t *testing.T, session *validator.Session, lines []string) {
	t.Helper()
	s := startRaw(t, session)
	for _, line := range lines {
		s.send(line)
		if !strings.Contains(line, `"id"`) {
			continue
		}
		if _, ok := s.next(); !ok {
			t.Fatalf("no answer to %s", line)
		}
	}
	if rest := s.end(); len(rest) > 0 {
		t.Errorf("unasked: %q", rest)
	}
}
