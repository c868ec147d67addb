package attack

import (
	"bufio"
	"encoding/json"
	"errors"
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
}

// newConn returns a client's view of c. All that happens on it ends after limit.
func newConn(c net.Conn, limit time.Duration) *conn {
	_ = c.SetDeadline(time.Now().Add(limit))
	return &conn{Conn: c, r: bufio.NewReader(c)}
}

// send writes a text. A client that does not read may be unable to write; that ends soon, and is no error.
func (c *conn) send(text string, limit time.Duration) bool {
	_ = c.SetWriteDeadline(time.Now().Add(limit))
	_, err := io.WriteString(c, text)
	return err == nil
}

// read reads as much of the response to a request as told, and returns its kind: the status, and "result", "failed" or
// a code; "closed" if the connection is closed, and "late" if nothing comes.
func (c *conn) read(how Reading) (kind string, resp *http.Response, message string) {
	if how == Nothing {
		return "", nil, ""
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
		b, err := io.ReadAll(resp.Body)
		if err != nil {
			return status + " " + ended(err), resp, string(b)
		}
		return strings.TrimSpace(status + " " + outcome(string(b))), resp, string(b)
	}
	c.events = bufio.NewReader(resp.Body)
	kind, message = c.event(how)
	return strings.TrimSpace(status + " " + kind), resp, message
}

// event reads the next events of a stream, to the first or to the response.
func (c *conn) event(how Reading) (kind, message string) {
	for {
		line, err := c.events.ReadString('\n')
		data, ok := strings.CutPrefix(strings.TrimSpace(line), "data:")
		data = strings.TrimSpace(data)
		if what := outcome(data); ok && data != "" && (how == FirstEvent || what != "") {
			if how == Reply {
				_, _ = io.Copy(io.Discard, c.events) // to the end of the response, so that there may be another
			}
			return what, data
		}
		if err != nil {
			return ended(err), ""
		}
	}
}

// ended is how reading has ended.
func ended(err error) string {
	if late, ok := errors.AsType[net.Error](err); ok && late.Timeout() {
		return "late"
	}
	return "closed"
}

// outcome is what kind of response a message is; "" if it is none.
func outcome(text string) string {
	var m struct {
		Result *struct {
			IsError    bool
			ResultType string
		}
		Error *struct{ Code int }
	}
	if json.Unmarshal([]byte(text), &m) != nil {
		return ""
	}
	switch {
	case m.Error != nil:
		return fmt.Sprint(m.Error.Code)
	case m.Result == nil:
		return ""
	case m.Result.IsError:
		return "failed"
	case m.Result.ResultType == "input_required":
		return "asked"
	}
	return "result"
}

// reset breaks the connection.
func (c *conn) reset() {
	if tcp, ok := c.Conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = c.Close()
}

// closeWrite closes the side of the client.
func (c *conn) closeWrite() {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
	}
}
