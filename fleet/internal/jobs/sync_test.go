package jobs

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/fleet/internal/client"
	"github.com/mcpgen/mcpgen/fleet/internal/fleet"
	"github.com/mcpgen/mcpgen/internal/dev/proc"
)

// A task is on the disk before its client is answered: the system calls of the replica show that the log of the file
// was written, and then synchronised, before the response with the id of the task was.
func TestSyncBeforeAnswer(t *testing.T) {
	bin, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("strace is not installed (make setup installs it where apt-get is)")
	}
	r := start(t, way{"SQLite, one file", fleet.None, fleet.SQLite, nil, false, false})
	out := filepath.Join(t.TempDir(), "trace")
	trace, err := proc.Start(filepath.Join(t.TempDir(), "log"), nil, bin, "-f", "-y", "-s", "4096", "-o", out,
		"-e", "trace=write,pwrite64,fsync,fdatasync", "-p", strconv.Itoa(r.Replicas[0].Process().PID()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { trace.Stop(patience) })
	traced := func() string {
		text, _ := os.ReadFile(out)
		return string(text)
	}
	c := r.conn(0)
	for begun := time.Now(); !strings.Contains(traced(), "HTTP/1.1"); time.Sleep(100 * time.Millisecond) {
		select {
		case <-trace.Done():
			t.Skip("strace may not look at processes of others here")
		default:
		}
		if time.Since(begun) > patience {
			t.Fatal("strace sees no response")
		}
		_, _ = c.List(t.Context())
	}
	before := len(traced())
	id := r.create(c, client.Job{Tool: "job", Key: "sync", Millis: 100})
	answered := func(line string) bool { return socket.MatchString(line) && strings.Contains(line, id) }
	r.until(func() error { // strace may write the line of the response after the client has it
		text := traced()[before:]
		if strings.HasSuffix(text, "\n") && slices.ContainsFunc(strings.Split(text, "\n"), answered) {
			return nil
		}
		return os.ErrNotExist
	})
	checkSynced(t, strings.Split(traced()[before:], "\n"), id)
}

var (
	written = regexp.MustCompile(`^\d+ +(?:\[pid +\d+\] )?p?write(?:64)?\(\d+<[^>]*tasks\.sqlite-wal>`)
	synced  = regexp.MustCompile(`^(\d+) .*f(?:data)?sync\(\d+<[^>]*tasks\.sqlite-wal>(\) += 0| <unfinished)`)
	resumed = regexp.MustCompile(`^(\d+) .*f(?:data)?sync resumed>\) += 0`)
	socket  = regexp.MustCompile(`write\(\d+<(?:socket|TCP)`)
)

// checkSynced looks for a write of the log, its synchronisation, and the response with an id, in this order.
func checkSynced(t *testing.T, lines []string, id string) {
	t.Helper()
	writes, syncs := 0, 0
	pending := map[string]bool{} // threads whose synchronisation has begun after a write
	for _, line := range lines {
		switch m, back := synced.FindStringSubmatch(line), resumed.FindStringSubmatch(line); {
		case written.MatchString(line):
			writes++
		case m != nil && writes > 0 && strings.HasPrefix(m[2], ")"), back != nil && pending[back[1]]:
			syncs++
		case m != nil && writes > 0:
			pending[m[1]] = true
		case socket.MatchString(line) && strings.Contains(line, id):
			if writes == 0 || syncs == 0 {
				t.Errorf("%d writes of the log and %d synchronisations before the answer", writes, syncs)
			}
			return
		}
	}
	t.Errorf("no response with the id %s", id)
}
