package feedrun

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/fleet/feed"
)

// secret is that of all subscriptions.
var secret = []byte(strings.Repeat("k", 32))

// secretText is the secret for events/subscribe.
var secretText = "whsec_" + base64.StdEncoding.EncodeToString(secret)

// unwilling is the part of the events that a callback refuses the first time: one of as many.
const unwilling = 500

// callbacks are those of all principals, each at a host of its own. They know nothing of this project.
type callbacks struct {
	judge *Judge
	addr  string
	http  *http.Server

	mu      sync.Mutex
	refused map[string]bool
}

func startCallbacks(ctx context.Context, j *Judge) (*callbacks, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		return nil, err
	}
	c := &callbacks{judge: j, addr: port, refused: map[string]bool{}}
	c.http = &http.Server{Handler: c, ReadHeaderTimeout: 10 * time.Second}
	go c.http.Serve(l) //nolint:errcheck // it ends with Close
	return c, nil
}

// url returns the callback of a principal.
func (c *callbacks) url(principal string) string {
	return "http://" + principal + ".feed.test:" + c.addr + "/" + principal
}

// message is what comes.
type message struct {
	Type, Challenge, EventID string
	Data                     feed.Event
}

// ServeHTTP takes a message.
func (c *callbacks) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, 1<<20))
	if err == nil {
		err = check(r.Header, body)
	}
	var m message
	if err == nil {
		err = json.Unmarshal(body, &m)
	}
	principal, id := strings.TrimPrefix(r.URL.Path, "/"), r.Header.Get("X-Mcp-Subscription-Id")
	if err != nil || !strings.HasPrefix(r.Host, principal+".") {
		c.judge.Brokenf("a message to %s at %s: %v", principal, r.Host, err)
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	switch m.Type {
	case "":
		c.event(w, principal, id, &m)
	case "verification":
		if err := json.NewEncoder(w).Encode(map[string]string{"challenge": m.Challenge}); err != nil {
			c.judge.Brokenf("a challenge: %v", err)
		}
	default:
		c.judge.Told(id, m.Type)
		w.WriteHeader(http.StatusNoContent)
	}
}

func (c *callbacks) event(w http.ResponseWriter, principal, id string, m *message) {
	n, err := strconv.Atoi(m.EventID)
	if err != nil {
		c.judge.Brokenf("an event with the id %q: %v", m.EventID, err)
	}
	if n%unwilling == 1 && c.first(id+" "+m.EventID) {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	c.judge.Arrived(principal, id, n, m.Data, time.Now())
	w.WriteHeader(http.StatusNoContent)
}

// first reports whether something is asked for the first time.
func (c *callbacks) first(key string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	was := c.refused[key]
	c.refused[key] = true
	return !was
}

// check verifies a signature, as a receiver in the world would.
func check(h http.Header, body []byte) error {
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(h.Get("Webhook-Id") + "." + h.Get("Webhook-Timestamp") + "."))
	mac.Write(body)
	want := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	for one := range strings.FieldsSeq(h.Get("Webhook-Signature")) {
		if hmac.Equal([]byte(one), []byte(want)) {
			return nil
		}
	}
	return errors.New("the signature is wrong")
}
