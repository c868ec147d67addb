package attack

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"regexp"
	"strings"
)

// mostKept is how much of a response is kept: hostile clients get many of 15 MiB.
const mostKept = 64 << 10

// headOf keeps the beginning of a text, and counts the responses of a batch.
type headOf struct {
	buf             bytes.Buffer
	n               int64
	carry           []byte // the end of what came, when that may be the beginning of a response
	results, errors int
}

var resultMark, errorMark = []byte(`"result":{`), []byte(`"error":{"code":`)

// Write implements io.Writer.
func (h *headOf) Write(b []byte) (int, error) {
	h.n += int64(len(b))
	h.buf.Write(b[:min(len(b), mostKept-h.buf.Len())])
	if head := h.buf.Bytes(); len(head) > 0 && head[0] == '[' {
		h.count(b)
	}
	return len(b), nil
}

// count counts marks in what has come.
func (h *headOf) count(b []byte) {
	b = append(h.carry, b...)
	h.results += bytes.Count(b, resultMark)
	h.errors += bytes.Count(b, errorMark)
	rest := b[max(0, len(b)-len(errorMark)+1):]
	h.results -= bytes.Count(rest, resultMark) // they will be counted again
	h.carry = append([]byte(nil), rest...)
}

// batch says how many responses of a batch have come; "" if it is none.
func (h *headOf) batch() string {
	if head := h.buf.Bytes(); len(head) == 0 || head[0] != '[' {
		return ""
	}
	return fmt.Sprintf("batch: %d results, %d errors", h.results+bytes.Count(h.carry, resultMark), h.errors)
}

func (h *headOf) text() string { return h.buf.String() }
func (h *headOf) cut() bool    { return h.n > mostKept }

// kind is what kind of response the text is.
func (h *headOf) kind() string {
	if b := h.batch(); b != "" {
		return b
	}
	return outcomeOf(h.text(), h.cut())
}

// readData reads the data of the next event of a stream.
func readData(r *bufio.Reader) (*headOf, error) {
	for {
		h, first, ok := new(headOf), true, false
		for {
			b, err := r.ReadSlice('\n')
			full := errors.Is(err, bufio.ErrBufferFull)
			if err != nil && !full {
				return nil, err
			}
			if first {
				b, ok = bytes.CutPrefix(b, []byte("data:"))
				b, first = bytes.TrimLeft(b, " "), false
			}
			if !full {
				b = bytes.TrimRight(b, "\r\n")
			}
			if ok {
				_, _ = h.Write(b)
			}
			if !full {
				break
			}
		}
		if ok {
			return h, nil
		}
	}
}

// id is the id of the response; "" if there is none.
func (h *headOf) id() string {
	if m := hasID.FindStringSubmatch(h.text()); m != nil {
		return m[1]
	}
	return ""
}

// readHead reads all, and returns the beginning.
func readHead(r io.Reader) (h *headOf, err error) {
	h = new(headOf)
	_, err = io.Copy(struct{ io.Writer }{h}, r)
	return h, err
}

var hasID = regexp.MustCompile(`^\{"jsonrpc":"2\.0","id":("(?:[^"\\]|\\.)*"|[^,"]*),`)

var began = regexp.MustCompile(`^\{"jsonrpc":"2\.0","id":[^,]*,"(result|error)":\{(?:"code":(-?\d+))?`)

// outcomeOf is what kind of response a message is of which the end may be missing; "" if it is none.
func outcomeOf(text string, cut bool) string {
	if !cut {
		return outcome(text)
	}
	switch m := began.FindStringSubmatch(text); {
	case m == nil:
		return ""
	case m[1] == "error":
		return m[2]
	case strings.Contains(text[:min(len(text), 1000)], `"isError":true`):
		return "failed"
	}
	return "result"
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
