package attack

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

// Frames of HTTP/2, as a client that keeps to nothing writes them. Of the headers of a response it reads the status.
const (
	frameData, frameHeaders, frameReset, frameSettings, framePing = 0, 1, 3, 4, 6
	frameGoAway, frameWindow, frameContinuation                   = 7, 8, 9

	endStream, endHeaders, ack, priority = 1, 4, 1, 0x20

	settingTable, settingWindow, settingFrame = 1, 4, 5
	mostFrame                                 = 1 << 20
)

// frames is the connection of a client of HTTP/2.
type frames struct {
	c       net.Conn
	r       *bufio.Reader
	last    uint32   // stream that was opened last
	waiting []uint32 // streams whose responses were not read, in order
	arrived map[uint32]*reply2
	closed  error

	initial, room int64 // bytes of a body that the server takes for a new stream, and for all
}

// reply2 is a response so far.
type reply2 struct {
	status string
	body   headOf
	done   bool
	room   int64 // bytes of the body of the request that the server takes
}

// dialTLS makes a connection one of HTTP/2. Window is how much of each response the server may send before the client
// has read; 0 means that it reads all.
func dialTLS(ctx context.Context, c net.Conn, limit time.Duration, window *uint32) (*conn, error) {
	_ = c.SetDeadline(time.Now().Add(limit))
	t := tls.Client(c, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2"}}) // made for this test
	if err := t.HandshakeContext(ctx); err != nil {
		_ = c.Close()
		return nil, err
	}
	f := &frames{c: t, r: bufio.NewReaderSize(t, 64<<10), arrived: map[uint32]*reply2{}, initial: 1<<16 - 1,
		room: 1<<16 - 1}
	list := []uint32{settingTable, 0, settingFrame, mostFrame, settingWindow, 16 << 20}
	if window != nil {
		list[5] = *window
	}
	_, err := io.WriteString(t, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"+settings(list...))
	if err == nil && window == nil {
		_, err = t.Write(windowUpdate(0, 1<<30))
	}
	if err != nil {
		_ = t.Close()
		return nil, err
	}
	return &conn{Conn: t, r: f.r, h2: f}, nil
}

// frame returns a frame.
func frame(kind, flags byte, stream uint32, payload []byte) []byte {
	b := make([]byte, 9, 9+len(payload))
	b[0], b[1], b[2], b[3], b[4] = byte(len(payload)>>16), byte(len(payload)>>8), byte(len(payload)), kind, flags
	binary.BigEndian.PutUint32(b[5:], stream)
	return append(b, payload...)
}

// settings returns a frame with settings, which are numbers and their values.
func settings(list ...uint32) string {
	var b []byte
	for i := 0; i < len(list); i += 2 {
		b = binary.BigEndian.AppendUint16(b, uint16(list[i]))
		b = binary.BigEndian.AppendUint32(b, list[i+1])
	}
	return string(frame(frameSettings, 0, 0, b))
}

func windowUpdate(stream, n uint32) []byte {
	return frame(frameWindow, 0, stream, binary.BigEndian.AppendUint32(nil, n))
}

// field appends a header as a literal that no table keeps.
func field(b []byte, name, value string) []byte {
	b = append(b, 0)
	for _, s := range []string{name, value} {
		n := len(s)
		if n < 127 {
			b = append(b, byte(n))
		} else {
			b = append(b, 127)
			for n -= 127; n >= 128; n >>= 7 {
				b = append(b, byte(n)|128)
			}
			b = append(b, byte(n))
		}
		b = append(b, s...)
	}
	return b
}

// request2 returns the frames of a request that is written as one of HTTP/1.1, and its headers and body apart.
func request2(text string) (header []byte, body string, err error) {
	head, body, _ := strings.Cut(text, "\r\n\r\n")
	lines := strings.Split(head, "\r\n")
	words := strings.Fields(lines[0])
	if len(words) != 3 {
		return nil, "", fmt.Errorf("no request: %.100s", text)
	}
	b := field(nil, ":method", words[0])
	b = field(b, ":scheme", "https")
	b = field(b, ":path", words[1])
	for _, l := range lines[1:] {
		if name, value, _ := strings.Cut(l, ": "); name == "Host" {
			b = field(b, ":authority", value)
		}
	}
	for _, l := range lines[1:] {
		if name, value, _ := strings.Cut(l, ": "); name != "Host" {
			b = field(b, strings.ToLower(name), value)
		}
	}
	return b, body, nil
}

// mostPiece is how much of a header or of a body is in one frame.
const mostPiece = 16 << 10

// open returns the frames that open the next stream with the headers of a request, and the body.
func (f *frames) open(text string) (out []byte, id uint32, body string, err error) {
	header, body, err := request2(text)
	if err != nil {
		return nil, 0, "", err
	}
	f.last += 2
	id = f.last - 1
	kind, flags := byte(frameHeaders), byte(0)
	if body == "" {
		flags = endStream
	}
	for len(header) > mostPiece {
		out = append(out, frame(kind, flags, id, header[:mostPiece])...)
		header, kind, flags = header[mostPiece:], frameContinuation, 0
	}
	return append(out, frame(kind, flags|endHeaders, id, header)...), id, body, nil
}

// dataFrame returns the last piece of a body, or the next.
func dataFrame(id uint32, body string) (out []byte, rest string) {
	n, last := min(len(body), mostPiece), byte(0)
	if n == len(body) {
		last = endStream
	}
	return frame(frameData, last, id, []byte(body[:n])), body[n:]
}

// send opens a stream for a request, and sends of its body what the server takes before it sends more.
func (f *frames) send(text string) bool {
	out, id, body, err := f.open(text)
	if err != nil {
		return false
	}
	r := &reply2{room: f.initial}
	f.waiting, f.arrived[id] = append(f.waiting, id), r
	for body != "" && err == nil {
		n := int64(min(len(body), mostPiece))
		if r.done {
			break // it is refused
		}
		if f.room < n || r.room < n {
			if _, err = f.c.Write(out); err == nil {
				out, err = nil, f.next()
			}
			continue
		}
		f.room, r.room = f.room-n, r.room-n
		var b []byte
		b, body = dataFrame(id, body)
		out = append(out, b...)
	}
	if err == nil {
		_, err = f.c.Write(out)
	}
	return err == nil
}

// read is conn.read for the stream that was opened first among those that were not read.
func (f *frames) read(how Reading) (kind string, resp *http.Response, message string) {
	if len(f.waiting) == 0 {
		return "closed", nil, ""
	}
	id := f.waiting[0]
	r := f.arrived[id]
	f.waiting = f.waiting[1:]
	for {
		text := r.body.text()
		switch what := outcomeOf(text, r.body.cut()); {
		case r.status != "" && how == Head:
			return r.status, nil, ""
		case strings.HasPrefix(text, "{") || r.done && !strings.Contains(text, "data:"):
			if r.done {
				delete(f.arrived, id)
				return strings.TrimSpace(r.status + " " + what), nil, text
			}
		default:
			what, event := lastEvent(text, how)
			if event != "" && (how == FirstEvent || r.done || what != "") {
				return strings.TrimSpace(r.status + " " + what), nil, event
			}
			if r.done {
				return r.status + " closed", nil, text
			}
		}
		if f.closed != nil {
			return ended(f.closed), nil, ""
		}
		f.closed = f.next()
	}
}

// lastEvent returns the first event of a stream or, unless that is wanted, the one with a response.
func lastEvent(text string, how Reading) (what, event string) {
	for line := range strings.Lines(text) {
		data, ok := strings.CutPrefix(line, "data:")
		data = strings.TrimSpace(data)
		if !ok || data == "" || !strings.HasSuffix(line, "\n") {
			continue
		}
		if what = outcomeOf(data, false); how == FirstEvent || what != "" {
			return what, data
		}
	}
	return "", ""
}

// next takes the next frame.
func (f *frames) next() error {
	var head [9]byte
	if _, err := io.ReadFull(f.r, head[:]); err != nil {
		return err
	}
	b := make([]byte, int(head[0])<<16|int(head[1])<<8|int(head[2]))
	if _, err := io.ReadFull(f.r, b); err != nil {
		return err
	}
	id := binary.BigEndian.Uint32(head[5:])
	r := f.arrived[id]
	if r == nil {
		r = new(reply2) // nobody asks for it
	}
	switch head[3] {
	case frameData:
		_, _ = r.body.Write(b)
		r.done = r.done || head[4]&endStream != 0
		if len(b) > 0 {
			_, _ = f.c.Write(append(windowUpdate(0, uint32(len(b))), windowUpdate(id, uint32(len(b)))...))
		}
	case frameHeaders:
		if r.status == "" {
			r.status = statusOf(b)
		}
		r.done = r.done || head[4]&endStream != 0
	case frameReset:
		if r.done = true; r.status == "" || r.body.n == 0 {
			r.status = strings.TrimSpace(r.status + " reset")
		}
	case frameWindow:
		if n := int64(binary.BigEndian.Uint32(b)); id == 0 {
			f.room += n
		} else {
			r.room += n
		}
	case frameSettings:
		for i := 0; i+6 <= len(b); i += 6 {
			if binary.BigEndian.Uint16(b[i:]) == settingWindow {
				f.allow(int64(binary.BigEndian.Uint32(b[i+2:])))
			}
		}
		if head[4]&ack == 0 {
			_, _ = f.c.Write(frame(frameSettings, ack, 0, nil))
		}
	case framePing:
		if head[4]&ack == 0 {
			_, _ = f.c.Write(frame(framePing, ack, 0, b))
		}
	case frameGoAway:
		return io.EOF
	}
	return nil
}

// allow sets how much of a body the server takes at first.
func (f *frames) allow(n int64) {
	for _, r := range f.arrived {
		r.room += n - f.initial
	}
	f.initial = n
}

// statusOf reads the status, which comes first among the headers of a response.
func statusOf(b []byte) string {
	for len(b) > 0 && b[0]&0xe0 == 0x20 { // the size of a table, which is 0
		b = b[1:]
	}
	if len(b) == 0 {
		return "?"
	}
	if b[0]&0x80 != 0 {
		list := []string{"200", "204", "206", "304", "400", "404", "500"}
		if i := int(b[0]&0x7f) - 8; i >= 0 && i < len(list) {
			return list[i]
		}
		return "?"
	}
	if len(b) < 2 || len(b) < 2+int(b[1]&0x7f) {
		return "?"
	}
	value := b[2 : 2+int(b[1]&0x7f)]
	if b[1]&0x80 == 0 {
		return string(value)
	}
	var text strings.Builder // digits in the code of HPACK: 0 to 2 have 5 bits, the others 6
	bits := ""
	for _, c := range value {
		bits += fmt.Sprintf("%08b", c)
	}
	for text.Len() < 3 && len(bits) >= 5 {
		if n := bits[:5]; n <= "00010" {
			text.WriteByte('0' + n[4] - '0' + 2*(n[3]-'0'))
			bits = bits[5:]
			continue
		}
		if len(bits) < 6 {
			break
		}
		var n byte
		for _, d := range []byte(bits[:6]) {
			n = n<<1 | d - '0'
		}
		text.WriteByte('3' + n - 0b011001)
		bits = bits[6:]
	}
	return text.String()
}
