package call

import (
	"math"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

const (
	// progressBurst is how many reports of one request are sent as they come.
	progressBurst = 20
	// progressGap is the least time between reports after the burst.
	progressGap = 50 * time.Millisecond
)

// Progress reports the progress of a request to its client (basic/utilities/progress). A handler gets it as a
// parameter or from [Call.Progress]. The zero value reports nothing. It is safe for concurrent use.
type Progress struct{ p *progress }

// Wanted reports whether the client asked for progress. If not, Report does nothing and costs nothing, so callers need
// no check.
func (p Progress) Wanted() bool { return p.p != nil }

// Report reports how much is done, in any unit, and the total in the same unit; a total of 0 means unknown. The message
// is for users and may be empty; clients of 2024-11-05 do not get it. done must increase: a report whose done is not
// greater than those before is dropped. The first 20 reports are sent at once. After that, the newest report is sent
// every 50 milliseconds at most, and the others are dropped. The report that reaches the total is always sent. After
// the response or a cancellation, Report does nothing.
func (p Progress) Report(done, total float64, message string) {
	if p.p != nil {
		p.p.report(done, total, message)
	}
}

// progress is the state of the reports of one request.
type progress struct {
	call  *Call
	token wire.ID

	mu      sync.Mutex
	any     bool    // a report was accepted
	whole   bool    // one of them said that all is done, and was sent at once
	highest float64 // done of the last report that was accepted
	next    protocol.ProgressNotificationParams
	waiting bool // next is to be sent
	credit  int  // reports that may be sent at once
	timer   *time.Timer
}

// Progress returns the [Progress] of the request, the same each time.
func (c *Call) Progress() Progress {
	if c.req.Conn == nil || c.req.Meta == nil || c.req.Meta.ProgressToken.IsZero() {
		return Progress{}
	}
	c = c.Own()
	c.mu.Lock()
	defer c.mu.Unlock()
	more := c.extraLocked()
	if more.progress == nil {
		more.progress = &progress{call: c, token: c.req.Meta.ProgressToken, credit: progressBurst}
	}
	return Progress{more.progress}
}

// finite reports whether JSON can carry x.
func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

func (p *progress) report(done, total float64, message string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !finite(done) || p.any && done <= p.highest {
		return
	}
	p.any, p.highest = true, done
	p.next = protocol.ProgressNotificationParams{ProgressToken: p.token, Progress: done, Message: message}
	complete := false
	if finite(total) && total > 0 {
		p.next.Total, complete = &total, done >= total
	}
	p.waiting = true
	switch {
	case complete && !p.whole || p.credit > 0:
		p.whole = p.whole || complete
		p.credit = max(p.credit-1, 0)
		p.sendLocked()
	case p.timer == nil:
		p.timer = time.AfterFunc(progressGap, p.late)
	}
}

// late sends the report that has waited for the end of a gap, and begins the next gap.
func (p *progress) late() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.waiting {
		p.timer, p.credit = nil, 1
		return
	}
	if p.sendLocked() {
		p.timer.Reset(progressGap)
	}
}

// sendLocked sends the newest report. It reports whether others can follow.
func (p *progress) sendLocked() bool {
	p.waiting = false
	if run := p.call.Task(); run != nil {
		return run.Report(p.next)
	}
	b := wire.AppendNotification(nil, protocol.MethodNotificationsProgress)
	b = p.next.AppendJSON(b, p.call.rev)
	return p.call.Send(append(b, '}')) == nil
}

const (
	// logBurst is how many messages of one request are sent as they come.
	logBurst = 100
	// logGap is the least time between messages after the burst.
	logGap = 20 * time.Millisecond
)

// logBudget is how many log messages the client of a request may still get. It is guarded by mu of the call.
type logBudget struct {
	credit  int       // messages that may be sent at once
	last    time.Time // when the last one was sent
	dropped int       // messages that were dropped since last
}

// takeLog reports whether a log message may be sent now, and how many were dropped since the last one.
func takeLog(c *Call) (dropped int, send bool) {
	now := time.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	more := c.extraLocked()
	if more.logs == nil {
		more.logs = &logBudget{credit: logBurst}
	}
	b := more.logs
	if b.credit == 0 && now.Sub(b.last) < logGap {
		b.dropped++
		return 0, false
	}
	b.credit = max(b.credit-1, 0)
	dropped, b.last, b.dropped = b.dropped, now, 0
	return dropped, true
}
