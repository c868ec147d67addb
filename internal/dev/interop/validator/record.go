package validator

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"sync"
)

// RecordVariable names the environment variable with the folder to which the params and results of all conversations
// are written, for "go run ./internal/recorded -record". Tests without it write nothing.
const RecordVariable = "MCPGEN_RECORD"

// Recorded is the params or the result of a message that a session has seen.
type Recorded struct {
	Revision string          `json:"revision"`
	From     string          `json:"from"` // client or server
	Kind     string          `json:"kind"` // request METHOD, notification METHOD or result METHOD
	Message  json.RawMessage `json:"message"`
}

// recording serialises the writes of all sessions of this process.
var recording sync.Mutex

// record writes a message into the folder that the environment names.
func (s *Session) record(from string, m map[string]any) {
	dir := os.Getenv(RecordVariable)
	if dir == "" {
		return
	}
	r := Recorded{Revision: s.legacy, From: from}
	method, calls := m["method"].(string)
	part := "params"
	_, asks := m["id"]
	switch {
	case calls && asks:
		r.Kind = "request " + method
	case calls:
		r.Kind = "notification " + method
	default:
		part = "result"
		if r.Kind = s.answered(from, m, &r); r.Kind == "" {
			return
		}
	}
	if claim, ok := lookup(m, "params", "_meta", claimKey).(string); ok {
		r.Revision = claim
	} else if lookup(m, "params", "_meta", "io.modelcontextprotocol/subscriptionId") != nil {
		r.Revision = newest
	}
	if v, ok := lookup(m, part, "protocolVersion").(string); ok && v <= newest {
		r.Revision = v
	}
	payload, ok := m[part].(map[string]any)
	if !ok {
		return
	}
	recording.Lock()
	defer recording.Unlock()
	if err := appendRecord(dir, &r, payload); err != nil {
		panic(err) // a recording with gaps is worse than none
	}
}

// answered returns the kind of a result, with the revision of its request, or "" for one of a request that nobody made.
func (s *Session) answered(from string, m map[string]any, r *Recorded) string {
	if from == "client" {
		if method := s.posed[idText(m["id"])]; method != "" {
			return "result " + method
		}
		return ""
	}
	q, ok := s.asked[idText(m["id"])]
	if !ok {
		return ""
	}
	r.Revision = q.revision
	return "result " + q.method
}

func appendRecord(dir string, r *Recorded, payload map[string]any) error {
	var err error
	if r.Message, err = json.Marshal(payload); err != nil {
		return err
	}
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	name := filepath.Join(dir, strconv.Itoa(os.Getpid())+".jsonl")
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(append(line, '\n'))
	if closing := f.Close(); err == nil {
		err = closing
	}
	return err
}
