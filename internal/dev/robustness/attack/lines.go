package attack

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// lines are the pipes of a server on stdio. All that it writes is read.
type lines struct {
	write chan string // one writer, so that lines do not mix; what does not fit waits
	stop  chan struct{}
	done  chan struct{} // closed at the end of the output

	mu      sync.Mutex
	order   []string // ids of answers, and their kinds
	waiting map[string]chan answered
	fences  int
}

// answered is the answer to a request.
type answered struct{ kind, text string }

// mostOrder is how many answers are remembered.
const mostOrder = 1 << 20

func newLines(in io.Writer, out io.Reader) *lines {
	l := &lines{write: make(chan string), stop: make(chan struct{}), done: make(chan struct{}),
		waiting: map[string]chan answered{}}
	go func() {
		for {
			select {
			case text := <-l.write:
				_, _ = io.WriteString(in, text)
			case <-l.stop:
				return
			}
		}
	}()
	go l.read(out)
	return l
}

// read reads what the server writes, to its end.
func (l *lines) read(out io.Reader) {
	defer close(l.done)
	r := bufio.NewReaderSize(out, 1<<20)
	for {
		line, err := r.ReadString('\n')
		if line != "" {
			l.take(line)
		}
		if err != nil {
			return
		}
	}
}

// take remembers an answer, and gives it to whom waits for it. That of a batch is remembered as such.
func (l *lines) take(line string) {
	var m struct{ ID json.RawMessage }
	kind := outcome(line)
	if strings.HasPrefix(line, "[") {
		kind = "batch"
	} else if _ = json.Unmarshal([]byte(line), &m); kind == "" {
		return
	}
	id := string(m.ID)
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.order) < mostOrder {
		l.order = append(l.order, id+" "+kind)
	}
	if c := l.waiting[id]; c != nil {
		delete(l.waiting, id)
		c <- answered{kind, line}
	}
}

// send writes a line, unless the server does not read for so long.
func (l *lines) send(text string, limit time.Duration) bool {
	late := time.NewTimer(limit)
	defer late.Stop()
	select {
	case l.write <- text:
		return true
	case <-late.C:
		return false
	}
}

// call sends a request and waits for its answer.
func (l *lines) call(m *Message, to *address, limit time.Duration) (kind, text string) {
	c := make(chan answered, 1)
	l.mu.Lock()
	l.fences++
	id := fmt.Sprintf(`"honest %d"`, l.fences)
	l.waiting[id] = c
	l.mu.Unlock()
	own := *m
	own.ID = id
	if !l.send(own.text(to, 0), limit) {
		return "late", ""
	}
	late := time.NewTimer(limit)
	defer late.Stop()
	select {
	case a := <-c:
		return a.kind, a.text
	case <-late.C:
		return "late", ""
	}
}

// answers returns the ids and kinds of all answers so far.
func (l *lines) answers() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]string(nil), l.order...)
}
