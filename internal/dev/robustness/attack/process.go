package attack

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/mcpgen/mcpgen/internal/dev/broker"
)

// Program is what serves.
type Program struct {
	// Command is the program and its first arguments. It gets -http with an address or -unix with a path, or nothing for
	// stdio, and -tls-cert and -tls-key with files; -tls in place of -http asks for an http.Server of the
	// program. It writes the address of [Control] to stderr, and then a line with address=HOST:PORT once it serves.
	Command []string
	// Env is added to the environment.
	Env []string
	// Own says that the program takes the options and flags of rows.
	Own bool
	// LegacyPath and ModernPath are the paths of the endpoint, with and without sessions; "" means /mcp.
	LegacyPath, ModernPath string
}

// Process is a server in a process of its own.
type Process struct {
	// Address is where it serves: a port of 127.0.0.1, or a path.
	Address string

	cmd     *exec.Cmd
	dir     string // for what the server needs
	in      io.WriteCloser
	out     io.Reader
	control string
	ended   chan struct{}
	code    int // valid once ended is closed

	mu     sync.Mutex
	logged int
	log    strings.Builder // its beginning
}

// mostLog is how much of what a server logs is kept.
const mostLog = 8 << 20

var (
	controlLine = regexp.MustCompile(`control address=(\S+)`)
	servingLine = regexp.MustCompile(`serving"? address=(\S+)`)
)

// Start starts a program for a row and one transport. If it is of package served, it takes the flags of the row, and
// its options unless the row is made in full. The caller stops it. It is killed if ctx ends.
func Start(ctx context.Context, p *Program, t Transport, row *Row, full bool) (*Process, error) {
	dir, err := os.MkdirTemp("", "attack") // short: the name of a socket has 100 bytes
	if err != nil {
		return nil, err
	}
	s := &Process{dir: dir, ended: make(chan struct{})}
	args := append([]string(nil), p.Command...)
	switch t {
	case Stdio:
	case Unix:
		s.Address = filepath.Join(dir, "s")
		args = append(args, "-unix", s.Address)
	case Events:
		args = append(args, "-http", "127.0.0.1:0", "-sse")
	case HTTP2, HTTPS:
		cert, key, _, err := broker.Certificate(dir)
		if err != nil {
			return nil, errors.Join(err, os.RemoveAll(dir))
		}
		at := map[Transport]string{HTTP2: "-tls", HTTPS: "-http"}[t]
		args = append(args, at, "127.0.0.1:0", "-tls-cert", cert, "-tls-key", key)
	default:
		args = append(args, "-http", "127.0.0.1:0")
	}
	files := filepath.Join(dir, "files") // of nobody else: names of other tests would be in the lists
	if err := row.write(files, full); err != nil {
		_ = os.RemoveAll(dir)
		return nil, err
	}
	if p.Own {
		args = append(args, row.arguments(dir, files, full)...)
	}
	descriptors := row.Descriptors
	if descriptors > 0 {
		args = append([]string{"sh", "-c", fmt.Sprintf(`ulimit -n %d; exec "$0" "$@"`, descriptors)}, args...)
	}
	s.cmd = exec.CommandContext(ctx, args[0], args[1:]...)
	s.cmd.Env = append(append(os.Environ(), p.Env...), FilesVariable+"="+files)
	if err := s.start(t); err != nil {
		_ = os.RemoveAll(dir)
		return nil, err
	}
	return s, nil
}

// FilesVariable is the variable with the directory of the files, for programs that take no flags.
const FilesVariable = "MCPGEN_ATTACK_FILES"

// arguments are the options and flags of a program of package served.
func (r *Row) arguments(dir, files string, full bool) []string {
	args := []string{"-dir", files}
	if r.Server != "" {
		args = append(args, "-serve", r.Server)
	}
	if r.Subjects {
		args = append(args, "-subjects")
	}
	if !full {
		for _, o := range r.Options {
			args = append(args, "-set", o)
		}
	}
	for _, f := range r.Flags {
		args = append(args, strings.ReplaceAll(f, "$dir", dir))
	}
	return args
}

// write writes the files of a row: lines of text, or characters that JSON escapes if the name ends in .esc.
func (r *Row) write(dir string, full bool) error {
	errs := []error{os.Mkdir(dir, 0o700)}
	list := r.Files
	if full && r.FilesFull != nil {
		list = r.FilesFull
	}
	for name, size := range list {
		if strings.Contains(name, "$n") {
			for i := range size {
				errs = append(errs, os.WriteFile(filepath.Join(dir, strings.ReplaceAll(name, "$n", fmt.Sprint(i))), nil, 0o600))
			}
			continue
		}
		line := "a line of the file " + name + " and nothing else\n"
		switch filepath.Ext(name) {
		case ".txt":
			line = strings.ReplaceAll(line, "\n", " ") // costs as much in JSON
		case ".esc":
			name, line = strings.TrimSuffix(name, ".esc")+".txt", "\x01"
		case ".bin":
			line = "\xff\x00\xfe"
		}
		text := strings.Repeat(line, size/len(line)+1)[:size]
		errs = append(errs, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	return errors.Join(errs...)
}

// start starts the command, and waits until it serves.
func (s *Process) start(t Transport) (err error) {
	if s.in, err = s.cmd.StdinPipe(); err != nil {
		return err
	}
	if t == Stdio {
		out, w, err := os.Pipe()
		if err != nil {
			return err
		}
		defer w.Close()
		s.out, s.cmd.Stdout = out, w
	}
	stderr, w, err := os.Pipe()
	if err != nil {
		return err
	}
	defer w.Close()
	s.cmd.Stderr = w
	if err := s.cmd.Start(); err != nil {
		_ = stderr.Close()
		return err
	}
	serves := make(chan string, 1)
	go s.read(stderr, t, serves)
	go func() {
		_ = s.cmd.Wait()
		s.code = s.cmd.ProcessState.ExitCode()
		close(s.ended)
	}()
	select {
	case addr := <-serves:
		if t != Unix {
			s.Address = addr
		}
		return nil
	case <-s.ended:
		err = fmt.Errorf("%s has ended: %s", s.cmd.Path, s.Log())
	case <-time.After(time.Minute):
		err = fmt.Errorf("%s does not serve: %s", s.cmd.Path, s.Log())
	}
	s.Kill()
	return err
}

// read reads what the server logs.
func (s *Process) read(stderr io.ReadCloser, t Transport, serves chan<- string) {
	defer stderr.Close()
	r := bufio.NewReaderSize(stderr, 1<<20)
	for {
		line, err := r.ReadString('\n')
		s.mu.Lock()
		if s.logged += len(line); s.logged < mostLog {
			s.log.WriteString(line)
		}
		if m := controlLine.FindStringSubmatch(line); m != nil && s.control == "" {
			s.control = m[1]
			if t == Stdio {
				serves <- ""
			}
		} else if m := servingLine.FindStringSubmatch(line); m != nil && t != Stdio {
			select {
			case serves <- m[1]:
			default:
			}
		}
		s.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// Log returns the beginning of what the server has logged.
func (s *Process) Log() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.log.String()
}

// Logged returns how many bytes the server has logged.
func (s *Process) Logged() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.logged
}

// State asks the server what it holds.
func (s *Process) State(ctx context.Context) (st State, err error) {
	text, err := s.get(ctx, "/state", time.Minute)
	if err == nil {
		err = json.Unmarshal(text, &st)
	}
	return st, err
}

// Stacks returns the stacks of all goroutines of the server.
func (s *Process) Stacks() string { return s.told("/stacks") }

// numbers returns the metrics of the server whose names begin with one of some prefixes, in one line and without zeros.
func (s *Process) numbers(prefixes ...string) string {
	var list []string
	for line := range strings.SplitSeq(s.told("/numbers"), "\n") {
		if slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(line, p) }) &&
			!strings.HasSuffix(line, " 0") {
			list = append(list, line)
		}
	}
	return strings.Join(list, ", ")
}

// told returns what the server says of itself, or why it does not.
func (s *Process) told(path string) string {
	text, err := s.get(context.Background(), path, time.Minute)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// get asks the server about itself, and waits no longer than told.
func (s *Process) get(ctx context.Context, path string, limit time.Duration) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.control+path, nil)
	if err != nil {
		return nil, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	return io.ReadAll(resp.Body)
}

// hasEnded reports whether the process has ended.
func (s *Process) hasEnded() bool {
	select {
	case <-s.ended:
		return true
	default:
		return false
	}
}

// Kill ends the process at once.
func (s *Process) Kill() {
	_ = s.cmd.Process.Kill()
	<-s.ended
	_ = os.RemoveAll(s.dir)
}

// Terminate asks the process to end.
func (s *Process) Terminate() { _ = s.cmd.Process.Signal(syscall.SIGTERM) }

var errStays = errors.New("the process does not end")

// Stop ends the process by the end of its input, or else by SIGINT, unless it is ending already, and returns its exit
// status. It is killed if that takes too long.
func (s *Process) Stop(t Transport, ending bool, limit time.Duration) (code int, err error) {
	if t == Stdio {
		_ = s.in.Close()
	} else if !ending {
		_ = s.cmd.Process.Signal(os.Interrupt)
	}
	defer os.RemoveAll(s.dir)
	select {
	case <-s.ended:
		return s.code, nil
	case <-time.After(limit):
		_ = s.cmd.Process.Kill()
		<-s.ended
		return s.code, errStays
	}
}
