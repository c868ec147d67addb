package client

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// TSSDK1 and TSSDK2 are the names of clients of the official TypeScript SDK: version 1 in 2025-11-25, and version 2 in
// 2026-07-28.
const (
	TSSDK1 = "ts-sdk-v1"
	TSSDK2 = "ts-sdk-v2"
)

// versionsOfTS are what the script calls them.
var versionsOfTS = map[string]string{TSSDK1: "v1", TSSDK2: "v2"}

// tsDir has the script of these clients and the SDK, seen from the folder of this module.
var tsDir = filepath.Join("..", "internal", "dev", "interop", "ts")

// MissingTS says what these clients need that is not there; nil if nothing is.
func MissingTS() error {
	if _, err := exec.LookPath("node"); err != nil {
		return fmt.Errorf("clients of the TypeScript SDK need node 20: %w", err)
	}
	if _, err := os.Stat(filepath.Join(tsDir, "node_modules")); err != nil {
		return fmt.Errorf("the TypeScript SDK is missing, run make setup: %w", err)
	}
	return nil
}

// runTS is a client of the TypeScript SDK until ctx ends, in a process of its own.
func runTS(ctx context.Context, c *Conn, b *Behaviour) {
	uris := b.choose()
	for n := 0; ctx.Err() == nil; {
		processOfTS(ctx, c, b, uris, &n)
		sleep(ctx, time.Second)
	}
}

// sawTS is a line of the script.
type sawTS struct {
	E         string // what has happened
	N         int    // the session or listen, in this process
	URI, Text string
}

// processOfTS runs the script once. n is how many sessions or listens there were.
func processOfTS(ctx context.Context, c *Conn, b *Behaviour, uris []string, n *int) {
	args := append([]string{"fleet.mjs", versionsOfTS[c.Revision], c.URL, fmt.Sprint(Patience.Milliseconds()),
		fmt.Sprint(b.Pause.Milliseconds())}, uris...)
	cmd := exec.CommandContext(ctx, "node", args...)
	cmd.Dir, cmd.Stderr = tsDir, os.Stderr
	in, err := cmd.StdinPipe() // whose end ends the script, also if this process is killed
	if err != nil {
		return
	}
	defer in.Close() //nolint:errcheck // the script has ended
	out, err := cmd.StdoutPipe()
	if err != nil || cmd.Start() != nil {
		return
	}
	before := *n
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var e sawTS
		if json.Unmarshal(lines.Bytes(), &e) != nil {
			continue
		}
		*n = max(*n, before+e.N)
		sawOfTS(c, b, &e, before+e.N, uris)
	}
	_ = cmd.Wait() // it is started again
}

// sawOfTS reports what a client has seen. That a listen is acknowledged is not reported apart: the SDK may hand out an
// update before the promise of the acknowledgement has resolved.
func sawOfTS(c *Conn, b *Behaviour, e *sawTS, n int, uris []string) {
	switch e.E {
	case "session":
		c.Seen.Restart(uris)
		c.Seen.Open(n, "", nil)
	case "listen":
		c.Seen.Open(n, "", uris)
		c.Seen.Acknowledged(n)
	case "updated":
		c.Seen.Updated(n, "", e.URI)
	case "read":
		c.Seen.Read(e.URI, e.Text)
		if b.Read != nil {
			b.Read(e.URI, e.Text)
		}
	case "lost":
		c.Seen.Lost("resources/read "+e.URI, Patience)
	}
}
