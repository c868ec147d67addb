package validator

import (
	"errors"
	"fmt"
)

// CheckClient is FromClient for a client that should make no mistakes: it says what is wrong with what it sent, or nil.
func (s *Session) CheckClient(text []byte) error {
	msgs, err := split(text)
	if err != nil {
		return err
	}
	s.FromClient(text)
	for _, m := range msgs {
		if err := s.checkClient(m); err != nil {
			return fmt.Errorf("%w\n%s", err, text)
		}
	}
	return nil
}

func (s *Session) checkClient(m map[string]any) error {
	revision, claims := lookup(m, "params", "_meta", claimKey).(string)
	if !claims {
		revision = s.legacy
	}
	sc, err := s.schemas.of(revision)
	if err != nil {
		return err
	}
	if method, ok := m["method"].(string); ok {
		return s.checkCall(sc, "Client", method, m)
	}
	if m["error"] != nil {
		return sc.validateError(m)
	}
	method, known := s.posed[idText(m["id"])]
	if !known {
		return errors.New("answer to a question that the server did not ask")
	}
	request, err := sc.message("Server", "Request", method)
	if err != nil {
		return err
	}
	return sc.validate(sc.resultOf(request), m["result"])
}

// checkCall checks a request or notification of a side.
func (s *schema) checkCall(side, method string, m map[string]any) error {
	kind := "Notification"
	if m["id"] != nil {
		kind = "Request"
	}
	def, err := s.message(side, kind, method)
	if err != nil {
		return err
	}
	if err := s.validateIn("mcp:open", "JSONRPC"+kind, m); err != nil {
		return err
	}
	if lookup(s.defs[def], "properties", "jsonrpc") == nil {
		m = without(m, "jsonrpc", "id") // the older revisions keep the envelope apart
	}
	if side == "Client" {
		return s.validateIn("mcp:open", def, m) // closed, the older schemas know no _meta
	}
	return s.validate(def, m)
}
