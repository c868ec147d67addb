package limits

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/mcp/internal/counters"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/web"
)

// newReader returns what reads bodies of up to most bytes, and a client that may have a quarter of all.
func newReader(most, all int64) (*Bodies, *Usage) {
	var s [NumResources]Share
	s[PendingBytes] = Share{All: all, Client: all / 4, Subject: all / 4}
	admit := NewAdmission(s, nil, new(counters.Counters))
	return NewBodies(admit, most), admit.hold(clientKey{addr: netip.MustParseAddr("192.0.2.1")})
}

// postOf returns a request with a body of n bytes.
func postOf(n int) *http.Request {
	return httptest.NewRequest(http.MethodPost, "/", bytes.NewReader(make([]byte, n)))
}

// A buffer that was kept counts like one that is made, and a small body does not take a large one.
func TestKeptBufferCounts(t *testing.T) {
	h, u := newReader(4<<20, 256<<20)
	for range 20 { // with -race the pool drops some
		buf := make([]byte, 0, maxSpare)
		h.Release(u, Body{buf: &buf})
		for n, counts := range map[int]bool{200 << 10: true, 20 << 10: true, maxTrust - 1: false} {
			b, why := h.Read(httptest.NewRecorder(), postOf(n), u)
			if why != nil {
				t.Fatal(why.Text)
			}
			if (b.took > 0) != counts || counts && b.took != int64(cap(*b.buf)) {
				t.Fatalf("a body of %d bytes in a buffer of %d counts %d", n, cap(*b.buf), b.took)
			}
			h.Release(u, b)
		}
	}
	if n := u.used[PendingBytes].Load() + h.admit.used[PendingBytes].Load(); n != 0 {
		t.Errorf("%d bytes are left over", n)
	}
}

// A kept buffer that is more than the rest of a share is not used: the body of a client is not refused for it.
func TestKeptBufferBeyondShare(t *testing.T) {
	h, u := newReader(4<<20, 1<<20)
	for range 20 {
		buf := make([]byte, 0, maxSpare)
		h.Release(u, Body{buf: &buf})
		h.admit.Retake(u, PendingBytes, 100<<10)
		b, why := h.Read(httptest.NewRecorder(), postOf(20<<10), u)
		if why != nil {
			t.Fatal(why.Text)
		}
		h.Release(u, b)
		h.admit.Give(u, PendingBytes, 100<<10)
	}
}

// A body does not stand in its own way: what it had before it grew does not count beside what it has then. One that is
// alone may have all that there is.
func TestSingleBody(t *testing.T) {
	for _, row := range []struct {
		most, all int64
		n         int
	}{
		{4 << 20, 1 << 20, 200 << 10},
		{4 << 20, 1 << 20, 2 << 20},
		{128 << 20, 256 << 20, 40 << 20},
	} {
		h, u := newReader(row.most, row.all)
		b, why := h.Read(httptest.NewRecorder(), postOf(row.n), u)
		if why != nil {
			t.Fatalf("one body of %d bytes, less than the share of %d: %v", row.n, row.all/4, why.Text)
		}
		_, why = h.Read(httptest.NewRecorder(), postOf(200<<10), u)
		if row.n > 1<<20 && row.most == 4<<20 && why == nil {
			t.Error("a second body beside all that a client may have")
		}
		h.Release(u, b)
	}
}

// A body counts as what its values are decoded into too; one that is alone may be as large as it likes.
func TestBodyOfManyValues(t *testing.T) {
	h, u := newReader(4<<20, 4<<20)
	text := "[" + strings.Repeat(`"a",`, 50_000) + `"a"]` // 800 KB of headers of strings
	read := func() (Body, *web.Refusal) {
		return h.Read(httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "/", strings.NewReader(text)), u)
	}
	b, why := read()
	if why != nil {
		t.Fatal(why)
	}
	rest := strings.NewReader(text)
	post := httptest.NewRequest(http.MethodPost, "/", io.NopCloser(rest))
	post.ContentLength = rest.Size()
	if _, why := h.Read(httptest.NewRecorder(), post, u); why == nil {
		t.Error("a second body beside one that has more than half the share")
	}
	if rest.Len() < len(text)/4 {
		t.Errorf("%d of %d bytes are left of a body for whose values there is no room", rest.Len(), len(text))
	}
	h.Release(u, b)
	if b, why = read(); why != nil {
		t.Fatal(why)
	}
	h.Release(u, b)
	if n := u.used[PendingBytes].Load() + h.admit.used[PendingBytes].Load(); n != 0 {
		t.Errorf("%d bytes are left over", n)
	}
}
