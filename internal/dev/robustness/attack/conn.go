package attack

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

// conn is a connection whose every byte a client decides.
type conn struct {
	net.Conn
	r      *bufio.Reader
	events *bufio.Reader // the rest of a stream whose first event was read; nil for none
	h2     *frames       // of HTTP/2; nil otherwise
}

// newConn returns a client's view of c. All that happens on it ends after limit.
func newConn(c net.Conn, limit time.Duration) *conn {
	_ = c.SetDeadline(time.Now().Add(limit))
	return &conn{Conn: c, r: bufio.NewReader(c)}
}

// send writes a text. A client that does not read may be unable to write; that ends soon, and is no error.
func (c *conn) send(text string, limit time.Duration) bool {
	_ = c.SetWriteDeadline(time.Now().Add(limit))
	if c.h2 != nil {
		return c.h2.send(text)
	}
	_, err := io.WriteString(c, text)
	return err == nil
}

// read reads as much of the response to a request as told, and returns its kind: the status, and "result", "failed" or
// a code; "closed" if the connection is closed, and "late" if nothing comes.
func (c *conn) read(how Reading) (kind string, resp *http.Response, message string) {
	if how == Nothing {
		return "", nil, ""
	}
	if c.h2 != nil {
		return c.h2.read(how)
	}
	resp, err := http.ReadResponse(c.r, nil)
	if err != nil {
		return ended(err), nil, ""
	}
	status := fmt.Sprint(resp.StatusCode)
	if how == Head {
		return status, resp, ""
	}
	if !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		h, err := readHead(resp.Body)
		if err != nil {
			return status + " " + ended(err), resp, h.text()
		}
		return strings.TrimSpace(status + " " + h.kind()), resp, h.text()
	}
	c.events = bufio.NewReader(resp.Body)
	kind, message = c.event(how)
	return strings.TrimSpace(status + " " + kind), resp, message
}

// event reads the next events of a stream, to the first or to the response.
func (c *conn) event(how Reading) (kind, message string) {
	for {
		h, err := readData(c.events)
		if err != nil {
			return ended(err), ""
		}
		if what := h.kind(); h.n > 0 && (how == FirstEvent || what != "") {
			if how == Reply {
				_, _ = io.Copy(io.Discard, c.events) // to the end of the response, so that there may be another
			}
			return what, h.text()
		}
	}
}

// reset breaks the connection.
func (c *conn) reset() {
	under := c.Conn
	if t, ok := under.(*tls.Conn); ok {
		under = t.NetConn()
	}
	if tcp, ok := under.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = under.Close()
}

// closeWrite closes the side of the client.
func (c *conn) closeWrite() {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
	}
}
