package interop

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/internal/dev/interop/validator"
)

// The revisions by the letters of the tables below, oldest first.
var revisions = map[rune]string{
	'A': "2024-11-05", 'B': "2025-03-26", 'C': "2025-06-18", 'D': "2025-11-25", 'E': "2026-07-28",
}

const (
	allRevisions = "ABCDE"
	handshakes   = "ABCD"
)

// buildTestServer builds internal/dev/interop/testserver, with the race detector if the test has it too.
func buildTestServer(t *testing.T) (bin string) {
	t.Helper()
	return build(t, "internal/dev/interop/testserver", fmt.Sprintf("-race=%v", underRace))
}

// dialog is a testserver that a test talks to line by line. The validator sees both directions.
type dialog struct {
	t         *testing.T
	rev       rune // letter of the revision
	cmd       *exec.Cmd
	in        io.WriteCloser
	out       io.ReadCloser
	lines     chan string // of the server; closed at the end of its output
	log       lockedBuffer
	validator *validator.Session // nil: no validator
	ids       int
}

// lockedBuffer collects what the server logs.
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

// start runs a testserver and, in revisions that have one, makes the handshake.
func start(t *testing.T, rev rune, args ...string) *dialog {
	t.Helper()
	d := startBare(t, rev, args...)
	d.open()
	return d
}

// open makes the handshake in revisions that have one.
func (d *dialog) open() {
	d.t.Helper()
	if rev := d.rev; rev != 'E' {
		d.say(initialize(`"open"`, revisions[rev]))
		d.want(d.next(), `result protocolVersion="`+revisions[rev]+`"`, `"open"`)
		d.say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	}
}

// startBare runs a testserver and says nothing to it.
func startBare(t *testing.T, rev rune, args ...string) *dialog {
	t.Helper()
	d := &dialog{t: t, rev: rev, lines: make(chan string, 4096)}
	d.validator = openValidator(t).Session(revisions[min(rev, 'D')]) // E claims its revision in every request
	d.cmd = exec.Command(buildTestServer(t), args...)
	d.cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0") // else each process takes a second to end
	d.cmd.Stderr = &d.log
	var err error
	if d.in, err = d.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if d.out, err = d.cmd.StdoutPipe(); err != nil {
		t.Fatal(err)
	}
	if err := d.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = d.cmd.Process.Kill()
		_ = d.cmd.Wait()
		if t.Failed() || strings.Contains(d.log.String(), "DATA RACE") {
			t.Errorf("the server logged:\n%s", d.log.String())
		}
	})
	go d.read()
	return d
}

// read passes on the lines of the server until its output ends.
func (d *dialog) read() {
	defer close(d.lines)
	r := bufio.NewReader(d.out)
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			if line != "" {
				d.lines <- line + " (without a newline)"
			}
			return
		}
		d.lines <- strings.TrimSuffix(line, "\n")
	}
}

// initialize is the request that begins a legacy session.
func initialize(id, version string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"initialize","params":{"protocolVersion":%q,"capabilities":{},"clientInfo":{"name":"dialog","version":"1"}}}`, id, version)
}

// say writes a line.
func (d *dialog) say(line string) {
	d.t.Helper()
	d.write(line + "\n")
}

// write writes any bytes, which may be several lines or part of one.
func (d *dialog) write(text string) {
	d.t.Helper()
	if d.validator != nil {
		for line := range strings.SplitSeq(text, "\n") {
			for _, message := range elements(strings.TrimSuffix(line, "\r")) {
				d.validator.FromClient([]byte(message))
			}
		}
	}
	if _, err := io.WriteString(d.in, text); err != nil {
		d.t.Fatal(err)
	}
}

// request returns a request of the revision of d. Params are the members of an object.
func (d *dialog) request(id, method, params string) string {
	if d.rev == 'E' {
		params = strings.TrimSuffix(claim+","+params, ",")
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":{%s}}`, id, method, params)
}

// call is a request to call a tool with a text.
func (d *dialog) call(id, tool, text string) string {
	return d.request(id, "tools/call", fmt.Sprintf(`"name":%q,"arguments":{"text":%q}`, tool, text))
}

// newID returns an id that no test writes down itself, in turn a number and a string.
func (d *dialog) newID() string {
	d.ids++
	id := strconv.Itoa(1_000_000 + d.ids)
	if d.ids%2 == 0 {
		return strconv.Quote(id)
	}
	return id
}

// next returns the next line of the server, judged.
func (d *dialog) next() string {
	d.t.Helper()
	select {
	case line, ok := <-d.lines:
		if !ok {
			d.t.Fatalf("the server has ended, logging\n%s", d.log.String())
		}
		d.check(line)
		return line
	case <-time.After(patience):
		d.t.Fatal("the server says nothing")
	}
	return ""
}

// check validates a line of the server.
func (d *dialog) check(line string) {
	d.t.Helper()
	if strings.Contains(line, "secret-") {
		d.t.Errorf("the text of an error is told: %s", line)
	}
	if d.validator == nil {
		return
	}
	if err := d.validator.FromServer([]byte(line)); err != nil {
		d.t.Errorf("the validator: %v", err)
	}
}

// fence asks something that has a prompt answer, and returns all lines before that.
func (d *dialog) fence() []string {
	d.t.Helper()
	id, method := d.newID(), "ping"
	if d.rev == 'E' {
		method = "server/discover"
	}
	d.say(d.request(id, method, ""))
	var before []string
	for {
		line := d.next()
		if strings.HasPrefix(line, `{"jsonrpc":"2.0","id":`+id+`,"result"`) {
			return before
		}
		before = append(before, line)
	}
}

// silent fails the test if the server has written or writes anything before it answers a fence.
func (d *dialog) silent(after string) {
	d.t.Helper()
	if lines := d.fence(); len(lines) > 0 {
		d.t.Errorf("%s is followed by %q", after, lines)
	}
}

// end closes the input and returns what the server still writes. It must then exit with 0.
func (d *dialog) end() []string {
	d.t.Helper()
	if err := d.in.Close(); err != nil {
		d.t.Error(err)
	}
	return d.exits()
}

// exits returns what the server writes until it ends, which it must do with 0.
func (d *dialog) exits() []string {
	d.t.Helper()
	var rest []string
	for {
		select {
		case line, ok := <-d.lines:
			if ok {
				d.check(line)
				rest = append(rest, line)
				continue
			}
		case <-time.After(patience):
			d.t.Fatalf("the server does not end")
		}
		break
	}
	if err := d.cmd.Wait(); err != nil {
		d.t.Errorf("the server ends with %v", err)
	}
	return rest
}

// want compares a line with an expectation: "result" or the code of an error, then conditions on members. "a>b=1" says
// that member b of a has this JSON text, "a>b" that it is there, "!a>b" that it is not. The first name is looked for in
// the message, its result and its error. Alternatives are separated by " | ". The id is compared unless it is "".
func (d *dialog) want(line, expected, id string) {
	d.t.Helper()
	if id != "" {
		expected = strings.ReplaceAll(expected+" id="+id, " | ", " id="+id+" | ")
	}
	for alternative := range strings.SplitSeq(expected, " | ") {
		if fits(line, strings.Fields(alternative)) {
			return
		}
	}
	d.t.Errorf("got  %s\nwant %s", line, expected)
}

// parts returns the members of a message; nil if it is none.
func parts(line string) map[string]json.RawMessage {
	var m map[string]json.RawMessage
	if json.Unmarshal([]byte(line), &m) != nil {
		return nil
	}
	return m
}

// fits reports whether a message meets all conditions of one alternative.
func fits(line string, conditions []string) bool {
	m := parts(line)
	switch kind := conditions[0]; kind {
	case "result":
		if m["result"] == nil || m["error"] != nil {
			return false
		}
	default:
		code, ok := member(m["error"], "code")
		if !ok || m["result"] != nil || string(code) != kind {
			return false
		}
	}
	for _, c := range conditions[1:] {
		name, wanted, compares := strings.Cut(c, "=")
		name, absent := strings.CutPrefix(name, "!")
		value, ok := find(line, m, name)
		if ok == absent || compares && string(value) != wanted {
			return false
		}
	}
	return true
}

// find looks for a path in a message, its result and its error.
func find(line string, m map[string]json.RawMessage, path string) (json.RawMessage, bool) {
	for _, in := range []json.RawMessage{json.RawMessage(line), m["result"], m["error"]} {
		value, ok := in, true
		for name := range strings.SplitSeq(path, ">") {
			if value, ok = member(value, name); !ok {
				break
			}
		}
		if ok {
			return value, true
		}
	}
	return nil, false
}

// member returns the member of an object, or the element of an array, with this name.
func member(in json.RawMessage, name string) (json.RawMessage, bool) {
	var list []json.RawMessage
	if i, err := strconv.Atoi(name); err == nil && json.Unmarshal(in, &list) == nil {
		if i >= len(list) {
			return nil, false
		}
		return list[i], true
	}
	var object map[string]json.RawMessage
	if json.Unmarshal(in, &object) != nil {
		return nil, false
	}
	value, ok := object[name]
	return value, ok
}

// elements returns the messages of a batch; another text is its own only element.
func elements(line string) []string {
	var raw []json.RawMessage
	if json.Unmarshal([]byte(line), &raw) != nil {
		return []string{line}
	}
	list := make([]string, len(raw))
	for i, r := range raw {
		list[i] = string(r)
	}
	return list
}
