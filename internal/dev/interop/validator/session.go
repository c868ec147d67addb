package validator

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// claimKey is the member of params._meta that names the revision of a request since 2026-07-28.
const claimKey = "io.modelcontextprotocol/protocolVersion"

// Session validates the messages of one connection in their order. It knows from the client's messages which revision
// and method an answer belongs to. It is not safe for concurrent use.
type Session struct {
	schemas *Schemas
	legacy  string              // revision of what carries no claim
	agreed  bool                // whether initialize has settled legacy
	asked   map[string]question // requests without an answer, by the JSON text of their id
	posed   map[string]string   // methods of the server's requests, by the same
	// declared are the extensions of the server by identifier, with their settings.
	declared map[string]any
	// client are the identifiers of those that the client declared in initialize.
	client []string
}

type question struct {
	revision, method string
	extensions       []string // identifiers that the client declares in the request
}

// Session starts a connection. Revision is that of messages which do not say theirs, until initialize settles it.
func (s *Schemas) Session(revision string) *Session {
	return &Session{schemas: s, legacy: revision, asked: map[string]question{}, posed: map[string]string{},
		declared: map[string]any{}}
}

// FromClient notes what a client sent. Text that is no message is passed over: clients may send what they like.
func (s *Session) FromClient(text []byte) {
	msgs, err := split(text)
	if err != nil {
		return
	}
	for _, m := range msgs {
		s.record("client", m)
		method, ok := m["method"].(string)
		id, asks := m["id"]
		if !ok || !asks {
			continue
		}
		revision, claims := lookup(m, "params", "_meta", claimKey).(string)
		if !claims {
			revision = s.legacy
		}
		q := question{revision: revision, method: method, extensions: declaredIn(m)}
		if method == "initialize" {
			s.client = declaredFor(m)
		} else if !claims {
			q.extensions = s.client
		}
		s.asked[idText(id)] = q
	}
}

// FromServer says what is wrong with a line that the server wrote, or nil.
func (s *Session) FromServer(text []byte) error {
	msgs, err := split(text)
	if err != nil {
		return fmt.Errorf("%w: %s", err, text)
	}
	if text[0] == '[' && s.legacy != "2025-03-26" {
		return fmt.Errorf("an array is no message in %s: %s", s.legacy, text)
	}
	for _, m := range msgs {
		s.record("server", m)
		if err := s.validate(m); err != nil {
			return fmt.Errorf("%w\n%s", err, text)
		}
	}
	return nil
}

// split decodes a line that holds one message or a batch.
func split(text []byte) ([]map[string]any, error) {
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	elems, batch := v.([]any)
	if !batch {
		elems = []any{v}
	}
	var msgs []map[string]any
	for _, e := range elems {
		m, ok := e.(map[string]any)
		if !ok {
			return nil, errors.New("a message must be an object")
		}
		msgs = append(msgs, m)
	}
	return msgs, nil
}

func idText(id any) string {
	text, err := json.Marshal(id)
	if err != nil {
		return fmt.Sprint(id)
	}
	return string(text)
}

func (s *Session) validate(m map[string]any) error {
	if method, ok := m["method"].(string); ok {
		return s.validateCall(method, m)
	}
	id, hasID := m["id"]
	q, known := s.asked[idText(id)]
	if !known {
		q = question{revision: s.legacy}
		if m["error"] == nil {
			return fmt.Errorf("answer to a request %s that nobody made", idText(id))
		}
	}
	delete(s.asked, idText(id))
	sc, err := s.answering(q, m)
	if err != nil {
		return err
	}
	if m["error"] == nil {
		return s.validateResult(sc, q, m)
	}
	if id == nil && hasID && (sc.defs["JSONRPCError"] != nil || sc.revision == "2025-11-25" && !s.agreed) {
		m = without(m, "id")
		m["id"] = json.Number("0") // the schemas have no id for what could not be read, where JSON-RPC has null
	}
	return sc.validateError(m)
}

// answering returns the schema for the answer to q. A request that claims a revision which does not exist is
// answered in the newest.
func (s *Session) answering(q question, m map[string]any) (*schema, error) {
	sc, err := s.schemas.of(q.revision)
	if err != nil && m["error"] != nil {
		return s.schemas.of("2026-07-28")
	}
	return sc, err
}

// validateCall checks a request or notification of the server.
func (s *Session) validateCall(method string, m map[string]any) error {
	revision := s.legacy
	if lookup(m, "params", "_meta", "io.modelcontextprotocol/subscriptionId") != nil {
		revision = "2026-07-28"
	}
	if m["id"] != nil {
		s.posed[idText(m["id"])] = method
	}
	sc, err := s.schemas.of(revision)
	if err != nil {
		return err
	}
	return s.checkCall(sc, "Server", method, m)
}

func without(m map[string]any, names ...string) map[string]any {
	out := map[string]any{}
	for name, v := range m {
		if !slices.Contains(names, name) {
			out[name] = v
		}
	}
	return out
}

func (s *Session) validateResult(sc *schema, q question, m map[string]any) error {
	result, ok := m["result"].(map[string]any)
	if !ok {
		return errors.New("an answer needs an object as its result, or an error")
	}
	if q.method == "initialize" {
		s.legacy, _ = result["protocolVersion"].(string)
		s.agreed = true
		var err error
		if sc, err = s.schemas.of(s.legacy); err != nil {
			return err
		}
	}
	if err := sc.validateIn("mcp:open", sc.first("JSONRPCResultResponse", "JSONRPCResponse"), m); err != nil {
		return err
	}
	if q.method == "initialize" || q.method == "server/discover" {
		var err error
		if result, err = s.validateDeclared(sc, result); err != nil {
			return err
		}
	}
	if done, err := s.validateExtended(sc, q, result); done || err != nil {
		return err
	}
	def, err := sc.result(q.method, result)
	if err != nil {
		return err
	}
	if err := s.validateAppMeta(sc, result); err != nil {
		return err
	}
	return sc.validate(def, s.withoutAppMeta(sc, result))
}

// first returns the first of the names that is defined.
func (s *schema) first(names ...string) string {
	i := slices.IndexFunc(names, func(n string) bool { return s.defs[n] != nil })
	return names[max(i, 0)]
}

// validateError checks an error.
func (s *schema) validateError(m map[string]any) error {
	code, _ := lookup(m, "error", "code").(json.Number)
	if err := s.validate(s.first("JSONRPCErrorResponse", "JSONRPCError"), m); err != nil {
		return err
	}
	if s.revision >= "2026-07-28" && (code == "-32002" || code == "-32042") {
		return fmt.Errorf("in %s no error may have the code %s", s.revision, code)
	}
	def, whole := s.fault(code)
	switch {
	case def == "":
		return nil
	case whole:
		return s.validateIn("mcp:open", def, m)
	}
	return s.validateIn("mcp:open", def, m["error"])
}
