package interop

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// stopSignals ask a process to end.
var stopSignals = map[string]os.Signal{"SIGINT": os.Interrupt, "SIGTERM": syscall.SIGTERM}

// TestStdioPiped: requests that were piped in before the end of input are all answered, once each.
func TestStdioPiped(t *testing.T) {
	t.Attr("requirements", "init-shutdown stdio-eof")
	for _, letter := range allRevisions {
		t.Run(revisions[letter], func(t *testing.T) {
			d := startBare(t, letter)
			var b strings.Builder
			if letter != 'E' {
				fmt.Fprintln(&b, initialize("0", revisions[letter]))
			}
			for i := 1; i <= 1000; i++ {
				line := d.request(fmt.Sprint(i), "resources/read", fmt.Sprintf(`"uri":"test:///item/%d"`, i))
				if i%100 == 0 {
					line = d.request(fmt.Sprint(i), "tools/call", `"name":"stubborn","arguments":{"ms":20}`)
				}
				fmt.Fprintln(&b, line)
			}
			d.write(b.String())
			answers := d.end()
			if letter != 'E' {
				d.want(answers[0], "result serverInfo", "0")
				answers = answers[1:]
			}
			seen := map[string]bool{}
			for _, line := range answers {
				m := parts(line)
				id := string(m["id"])
				want := fmt.Sprintf(`result contents>0>text="%s"`, id)
				if strings.HasSuffix(id, "00") {
					want = `result content>0>text="late"`
				}
				d.want(line, want, "")
				seen[id] = true
			}
			if len(answers) != 1000 || len(seen) != 1000 {
				t.Errorf("%d answers to %d of 1000 requests", len(answers), len(seen))
			}
		})
	}
}

// TestStdioSignals: a process that is asked to end answers what it has read, as far as the handlers end within the
// grace period, and exits with 0.
func TestStdioSignals(t *testing.T) {
	t.Attr("requirements", "init-shutdown")
	for name, sig := range stopSignals {
		t.Run(name+"/idle", func(t *testing.T) {
			d := start(t, 'D')
			d.silent("nothing")
			if rest := d.signal(sig); len(rest) > 0 {
				t.Errorf("an idle server ends with %q", rest)
			}
		})
		t.Run(name+"/before anything was said", func(t *testing.T) {
			d := startBare(t, 'D')
			d.silent("nothing") // so that it runs
			d.signal(sig)
		})
		t.Run(name+"/busy", func(t *testing.T) {
			d := start(t, 'E', "-grace", "8s")
			d.say(d.request("1", "tools/call", `"name":"stubborn","arguments":{"ms":5000}`))
			d.say(d.request("2", "tools/call", `"name":"stubborn","arguments":{"ms":60000}`))
			d.say(d.call("3", "wait", ""))
			d.say(d.call("4", "wait", ""))
			d.stats("started=2 ended=0")
			d.cancel("4")
			d.stats("started=2 ended=1")
			rest := d.signal(sig)
			if len(rest) != 3 {
				t.Fatalf("a busy server ends with %q", rest)
			}
			d.want(rest[0], `result content>0>text="late"`, "1")
			for _, line := range rest[1:] {
				d.want(line, "-32603 id=2 | -32603 id=3", "")
			}
		})
	}
}

// TestStdioHangUp: a client that hangs up ends the server, and it ends without waiting for handlers.
func TestStdioHangUp(t *testing.T) {
	t.Attr("requirements", "stdio-eof")
	d := start(t, 'E', "-grace", "1h")
	d.say(d.call("1", "wait", ""))
	d.silent("a slow request")
	if err := d.out.Close(); err != nil {
		t.Fatal(err)
	}
	_, _ = fmt.Fprintln(d.in, d.request("2", "tools/list", ""))
	if err := d.cmd.Wait(); err == nil {
		t.Error("a server that cannot write ends with 0")
	}
}

// TestStdioStdout: what handlers print is not in the protocol stream.
func TestStdioStdout(t *testing.T) {
	t.Attr("requirements", "stdio-stdout")
	for _, letter := range allRevisions {
		d := start(t, letter)
		d.do("print", "")
		d.do("print", "")
		if rest := d.end(); len(rest) > 0 {
			t.Errorf("printed: %q", rest)
		}
		if n := strings.Count(d.log.String(), "print: "); n != 4 {
			t.Errorf("stderr has %d of 4 printed lines", n)
		}
	}
}

// TestStdioPanics: a server outlives its handlers, and logs what it does not tell.
func TestStdioPanics(t *testing.T) {
	for _, letter := range allRevisions {
		d := start(t, letter)
		d.say(d.call(`"w"`, "wait", ""))
		for range 20 {
			for _, tool := range []string{"panic", "goexit"} {
				d.say(d.call("1", tool, ""))
				d.want(d.next(), "-32603", "1")
			}
			d.say(d.request("1", "resources/read", `"uri":"test:///panics"`))
			d.want(d.next(), "-32603", "1")
		}
		d.cancel(`"w"`)
		d.stats("started=1 ended=1")
		d.end()
		if log := d.log.String(); strings.Count(log, "secret-a7f3") < 40 || !strings.Contains(log, "stack=") {
			t.Errorf("panics are not in the log:\n%s", log)
		}
	}
}

// TestStdioSignalAfterEOF: a client that goes on to signals after it has closed our input need not wait for handlers.
func TestStdioSignalAfterEOF(t *testing.T) {
	for name, sig := range stopSignals {
		t.Run(name, func(t *testing.T) {
			d := start(t, 'E', "-grace", "1h")
			d.listen("1", `{}`)
			d.say(d.call("2", "wait", ""))
			d.silent("a slow request")
			if err := d.in.Close(); err != nil {
				t.Fatal(err)
			}
			d.want(d.next(), "result subscriptionId=1 | result _meta", "1") // the end of input was seen
			rest := d.signal(sig)
			if len(rest) != 2 {
				t.Fatalf("after the signal: %q", rest)
			}
			d.want(rest[1], "-32603", "2")
		})
	}
}

// TestStdioStalled: a client that does not read cannot keep the server from ending.
func TestStdioStalled(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), buildTestServer(t), "-grace", "50ms")
	in, input, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	output, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer input.Close()
	defer output.Close()
	cmd.Stdin, cmd.Stdout = in, out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	in.Close()
	out.Close()
	line := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":%q},%s}}`+"\n",
		strings.Repeat("x", 10_000), claim)
	// The server has begun, and knows what to do at a signal.
	if _, err = input.WriteString(line); err == nil {
		_, err = bufio.NewReader(output).ReadString('\n')
	}
	for err == nil { // until nobody reads our input any more, because nobody reads its output
		if err = input.SetWriteDeadline(time.Now().Add(10 * time.Second)); err == nil {
			_, err = input.WriteString(line)
		}
	}
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatal(err)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		if cmd.ProcessState.ExitCode() != 1 {
			t.Errorf("a server that could not write all ends with %v", err)
		}
	case <-time.After(patience):
		t.Fatal("the server does not end")
	}
}
