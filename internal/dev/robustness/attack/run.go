package attack

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Result is what an attack has shown.
type Result struct {
	// Asked is how many requests honest clients have made, and Served how many were answered rightly.
	Asked, Served int
	// Rest is the time within which 99 of 100 answers came before the attack, if that was measured, and P99 that of the
	// attack. Slowest is the slowest answer, and Longest the longest time without service.
	Rest, P99, Slowest, Longest time.Duration
	// Refusal is what the first honest client got that was not served.
	Refusal string
	// Memory is by how many bytes the process has grown at most; 0 if the system does not say.
	Memory int64
	// Log is how many bytes were logged, and Text the beginning of it.
	Log  int
	Text string
	// Replies are how many replies hostile clients got, by kind.
	Replies map[string]int
	// Messages are what they got, up to 100 of them.
	Messages []string
	// Order are the ids and kinds of what a server on stdio has answered, in order.
	Order []string
	// Unready is how many probes got 503, and Dropped how many got no response while the server ended.
	Unready, Dropped int
	// Before and After are the states around the attack.
	Before, After State
	// Settled is how long the server has taken to hold as much as before, unless Stacks says that it did not.
	Settled time.Duration
	// Code is the exit status, and Killed says that the process has grown beyond what it may.
	Code   int
	Killed bool
	// Stacks are those of the process, if it holds more than before.
	Stacks string
	// Socket is the path of the Unix socket, and Mode its permissions.
	Mode string
	// Took is how long the whole attack has taken.
	Took time.Duration

	full bool // the attack was made in full
	mu   sync.Mutex
}

// run is an attack under way.
type run struct {
	*way
	row     *Row
	config  Config
	own     bool // the program is this project's
	result  *Result
	session []address // that the last clients have opened
	conns   []placed  // hostile connections that are in place
	closed  sync.Once
	drops   drops

	tasks []string // ids that clients before have got
	kept  sync.Mutex
	made  []string // ids that clients have got
}

// placed is a hostile connection with what happens to it in the end.
type placed struct {
	*conn
	then Ending
	left []string // ids of requests whose responses have not been read
	to   address
	from string // the address of the client

	asked  *Message // what it has sent last
	answer string   // what it has read last
}

// ErrUnfit says that the server does not answer honest clients even before the attack.
var ErrUnfit = errors.New("honest clients are not served before the attack")

// Run starts a program, makes the attack of a row over a transport, and stops the program. The error says why there is
// no result.
func Run(ctx context.Context, p *Program, row *Row, t Transport, c Config) (*Result, error) {
	c = c.withDefaults()
	start := time.Now()
	ctx, cancel := context.WithTimeout(ctx, c.Deadline)
	defer cancel()
	proc, err := Start(context.WithoutCancel(ctx), p, t, row, c.Full)
	if err != nil {
		return nil, err
	}
	defer func() { proc.Kill() }()
	path := p.ModernPath
	if t == Sessions {
		path = p.LegacyPath
	}
	if path == "" {
		path = "/mcp"
	}
	if t == Events {
		path = "/sse"
	}
	r := &run{row: row, config: c, own: p.Own, result: &Result{Replies: map[string]int{}, full: c.Full},
		way: &way{proc: proc, patience: c.Patience, to: row.address(t, path)}}
	if t == Stdio {
		err := r.openLines()
		defer close(r.lines.stop)
		if err != nil {
			return nil, err
		}
	}
	for range 3 { // what is made once is made
		if err := r.ask(ctx, row); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrUnfit, err)
		}
	}
	if c.Full {
		r.rest(ctx)
	}
	if err := r.attack(ctx); err != nil {
		return nil, err
	}
	r.result.Took = time.Since(start)
	return r.result, nil
}

// rest measures honest clients before the attack.
func (r *run) rest(ctx context.Context) {
	const least = 100
	var h honest
	for range least {
		start := time.Now()
		if r.ask(ctx, r.row) == nil {
			h.times = append(h.times, time.Since(start))
		}
	}
	r.result.Rest, _ = h.p99()
}

// attack makes the attack, and counts.
func (r *run) attack(ctx context.Context) (err error) {
	res := r.result
	if res.Before, err = r.settled(ctx); err != nil {
		return err
	}
	before, _ := r.proc.resident()
	logged := r.proc.Logged()
	r.proc.forgetPeak()
	stop, over := make(chan struct{}), make(chan struct{})
	var honestly honest
	var group, watch sync.WaitGroup
	watch.Go(func() { r.limit(ctx, over) })
	defer watch.Wait()
	defer close(over)
	group.Go(func() { honestly = r.asking(ctx, r.row, stop) })
	for i := range r.row.Hostile {
		r.enter(ctx, &r.row.Hostile[i])
	}
	r.hold(ctx)
	close(stop)
	group.Wait()
	if r.row.Ends {
		r.end(ctx)
	}
	res.Asked, res.Served = honestly.asked, honestly.served
	res.P99, res.Slowest = honestly.p99()
	res.Longest, res.Refusal = honestly.longest, honestly.first
	r.leave(ctx)
	if !r.row.Ends && !r.proc.hasEnded() {
		r.after(ctx)
	}
	if _, peak := r.proc.resident(); peak > 0 && !res.wasKilled() {
		res.Memory = peak - before
	}
	if !r.row.Ends {
		res.Mode = r.mode()
	}
	if !r.own {
		r.proc.Kill() // what other programs do at a signal is theirs
	} else if res.Code, err = r.proc.Stop(r.to.transport, r.row.Ends, r.patience); err != nil {
		res.Stacks = err.Error()
	}
	if r.lines != nil {
		<-r.lines.done // the process has ended
		res.Order = r.lines.answers()
	}
	res.Log, res.Text = r.proc.Logged()-logged, r.proc.Log()
	return nil
}

// limit kills the server if it grows too much, or the attack takes too long.
func (r *run) limit(ctx context.Context, stop <-chan struct{}) {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if now, _ := r.proc.resident(); now > r.config.MaxMemory {
				r.result.kill(now)
				_ = r.proc.cmd.Process.Kill()
				return
			}
		case <-ctx.Done():
			return
		case <-stop:
			return
		}
	}
}

// hold waits while hostile clients are in place.
func (r *run) hold(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-r.proc.ended:
	case <-time.After(r.config.Hold):
	}
}

// settled returns the state once it does not change from one look to the next.
func (r *run) settled(ctx context.Context) (State, error) {
	last, err := r.proc.State(ctx)
	for range 20 {
		time.Sleep(10 * time.Millisecond)
		now, err := r.proc.State(ctx)
		if err != nil || now.Goroutines == last.Goroutines && now.Descriptors == last.Descriptors {
			return now, err
		}
		last = now
	}
	return last, err
}

// after waits until the server holds as much as before.
func (r *run) after(ctx context.Context) {
	res, start := r.result, time.Now()
	for late := start.Add(r.patience); ; {
		now, err := r.proc.State(ctx)
		if err != nil {
			res.Refusal += " " + err.Error()
			return
		}
		res.After = now
		if now.within(res.Before) || r.row.Stays && (r.lines != nil || r.row.Tasks) {
			break
		}
		if time.Now().After(late) {
			res.Stacks = r.proc.Stacks()
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	res.Settled = time.Since(start)
	for range 2 {
		res.Asked++
		if err := r.ask(ctx, r.row); err == nil {
			res.Served++
		} else if res.Refusal == "" {
			res.Refusal = "afterwards: " + err.Error()
		}
	}
}

// end asks the server to end, and probes it until it has closed its listener.
func (r *run) end(ctx context.Context) {
	r.proc.Terminate()
	if r.to.transport == Stdio {
		return
	}
	m := Message{Method: http.MethodGet, Path: "/readyz"}
	for ctx.Err() == nil {
		c, err := r.dial(ctx, honestAddress)
		if err != nil {
			return
		}
		switch kind, _, _ := r.exchange(c, &r.to, m, Head); kind {
		case "503":
			r.result.Unready++
		case "closed":
			r.result.Dropped++
		}
		_ = c.Close()
		time.Sleep(5 * time.Millisecond)
	}
}

// kill notes that the process was killed.
func (res *Result) kill(size int64) {
	res.mu.Lock()
	defer res.mu.Unlock()
	res.Killed, res.Memory = true, size
}

// wasKilled reports whether the process was killed so far.
func (res *Result) wasKilled() bool {
	res.mu.Lock()
	defer res.mu.Unlock()
	return res.Killed
}

// note counts a reply.
func (res *Result) note(kind, message string) {
	if kind == "" {
		return
	}
	res.mu.Lock()
	defer res.mu.Unlock()
	res.Replies[kind]++
	if message != "" && len(res.Messages) < 100 {
		res.Messages = append(res.Messages, message)
	}
}

// address is where clients of a transport begin.
func (r *Row) address(t Transport, path string) address {
	to := address{transport: t, path: path, revision: r.revision(), capabilities: `{"elicitation":{}}`}
	if r.Tasks {
		to.capabilities = `{"elicitation":{},"extensions":{"io.modelcontextprotocol/tasks":{}}}`
	}
	if r.Subjects {
		to.header = []string{"Authorization: Bearer honest"}
	}
	return to
}

func (r *Row) revision() string {
	if r.Revision == "" {
		return "2025-11-25"
	}
	return r.Revision
}

func (r *Row) tool() string {
	if r.Tool == "" {
		return "echo"
	}
	return r.Tool
}

// heard reads and notes the response to a request, and sends it again until that is what the client waits for.
func (r *run) heard(ctx context.Context, g *Clients, p *placed, id, again string) (kind, message string) {
	kind, message = p.reply(id, g.Read)
	for late := time.Now().Add(r.patience); g.Until != "" && !strings.Contains(message, g.Until) &&
		strings.Contains(kind, "result") && time.Now().Before(late) && ctx.Err() == nil; {
		time.Sleep(20 * time.Millisecond)
		p.send(again, stall)
		kind, message = p.reply(id, g.Read)
	}
	r.result.note(kind, message)
	return kind, message
}
