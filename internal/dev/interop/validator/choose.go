package validator

import (
	"encoding/json"
	"fmt"
	"path"
	"strings"
)

// message returns the definition of a request or notification with this method that a side may send. The unions of
// the schema say what that is: side is "Client" or "Server", kind "Request" or "Notification".
func (s *schema) message(side, kind, method string) (string, error) {
	for _, def := range s.members(side + kind) {
		if s.constant(def, "method") == method {
			return def, nil
		}
	}
	return "", fmt.Errorf("in %s a %s does not send the %s %q", s.revision, strings.ToLower(side), strings.ToLower(kind),
		method)
}

// members returns the names of the definitions that a union refers to, or the name itself if it is no union.
func (s *schema) members(union string) []string {
	def, _ := s.defs[union].(map[string]any)
	if def == nil {
		return nil
	}
	variants, ok := def["anyOf"].([]any)
	if !ok {
		return []string{union}
	}
	var names []string
	for _, e := range variants {
		m, _ := e.(map[string]any)
		if ref, ok := m["$ref"].(string); ok {
			names = append(names, s.members(path.Base(ref))...)
		}
	}
	return names
}

// constant returns the text that a property of a definition must have, or "".
func (s *schema) constant(def, property string) string {
	text, _ := lookup(s.defs[def], "properties", property, "const").(string)
	return text
}

func lookup(v any, path ...string) any {
	for _, name := range path {
		m, _ := v.(map[string]any)
		v = m[name]
	}
	return v
}

// result returns the definition of a result of method. Which of several it is, is seen from the result.
func (s *schema) result(method string, result map[string]any) (string, error) {
	if result["resultType"] == "input_required" {
		return "InputRequiredResult", nil
	}
	if _, ok := result["task"]; ok && s.defs["CreateTaskResult"] != nil && method == "tools/call" {
		return "CreateTaskResult", nil
	}
	request, err := s.message("Client", "Request", method)
	if err != nil {
		return "", err
	}
	return s.resultOf(request), nil
}

// resultOf returns the definition of the result that belongs to that of a request.
func (s *schema) resultOf(request string) string {
	name := strings.TrimSuffix(request, "Request") + "Result"
	switch {
	case name == "GetTaskPayloadResult":
		return "CallToolResult" // tools are all that a server runs as tasks
	case s.defs[name] == nil:
		name = "EmptyResult"
	}
	return name
}

// fault returns the definition that a revision has for an error code, and whether it describes the whole response
// (true) or its error member (false). Most codes have none: "".
func (s *schema) fault(code json.Number) (def string, whole bool) {
	for name, d := range s.defs {
		if !strings.HasSuffix(name, "Error") {
			continue
		}
		if c, ok := lookup(d, "properties", "code", "const").(json.Number); ok && c == code {
			return name, false
		}
		all, _ := lookup(d, "properties", "error", "allOf").([]any)
		for _, part := range all {
			if c, ok := lookup(part, "properties", "code", "const").(json.Number); ok && c == code {
				return name, true
			}
		}
	}
	return "", false
}
