package main

import (
	"encoding/json"
	"errors"
	"maps"
	"strings"
)

// future is the facts file of the revision that nobody has seen.
const future = "schema/2099-01-01.json"

// inventions are the definitions that only the invented revision has.
var inventions = map[string]string{
	"VideoContent": `{"type": "object", "properties": {"type": {"const": "video", "type": "string"},
		"uri": {"type": "string"}}, "required": ["type", "uri"]}`,
	"MoodNotification": `{"type": "object", "properties": {"jsonrpc": {"const": "2.0", "type": "string"},
		"method": {"const": "notifications/mood", "type": "string"}, "params": {"$ref": "#/$defs/NotificationParams"}},
		"required": ["jsonrpc", "method"]}`,
	"ApplaudedNotification": `{"type": "object", "properties": {"jsonrpc": {"const": "2.0", "type": "string"},
		"method": {"const": "notifications/applauded", "type": "string"}, "params": {"$ref": "#/$defs/NotificationParams"}},
		"required": ["jsonrpc", "method"]}`,
	"ApplaudRequest": `{"type": "object", "properties": {"jsonrpc": {"const": "2.0", "type": "string"},
		"id": {"$ref": "#/$defs/RequestId"}, "method": {"const": "hands/applaud", "type": "string"},
		"params": {"$ref": "#/$defs/ApplaudRequestParams"}},
		"required": ["id", "jsonrpc", "method", "params"]}`,
	"ApplaudRequestParams": `{"type": "object", "properties": {"_meta": {"$ref": "#/$defs/RequestMetaObject"},
		"times": {"type": "integer"}}, "required": ["_meta", "times"]}`,
	"ApplaudResult": `{"type": "object", "properties": {"_meta": {"$ref": "#/$defs/ResultMetaObject"},
		"resultType": {"type": "string"}, "heard": {"type": "boolean"}}, "required": ["resultType", "heard"]}`,
}

// invent makes facts of a revision that has a new member, a new enumeration value, a new kind of content, a new request
// and new notifications of both sides, members of wider types, and definitions that are split or have other names.
func invent(newest string) (string, error) {
	var doc map[string]any
	if err := json.Unmarshal([]byte(newest), &doc); err != nil {
		return "", err
	}
	defs, ok := doc["$defs"].(map[string]any)
	if !ok {
		return "", errors.New("the newest schema has no $defs")
	}
	for name, text := range inventions {
		var def any
		if err := json.Unmarshal([]byte(text), &def); err != nil {
			return "", err
		}
		defs[name] = def
	}
	at(defs, "Tool", "properties")["category"] = map[string]any{"type": "string"}
	extend(at(defs, "LoggingLevel"), "enum", "trace")
	extend(at(defs, "ContentBlock"), "anyOf", refTo("VideoContent"))
	extend(at(defs, "ServerNotification"), "anyOf", refTo("MoodNotification"))
	defs["ClientNotification"] = map[string]any{"anyOf": []any{refTo("CancelledNotification"),
		refTo("ApplaudedNotification")}}
	extend(at(defs, "ClientRequest"), "anyOf", refTo("ApplaudRequest"))
	widen(defs)
	split(defs)
	out, err := json.Marshal(doc)
	return rename(string(out), "ModelHint", "ModelWish"), err
}

// widen lets members have values that their Go types cannot hold: a text beside a struct, a fraction beside integers.
func widen(defs map[string]any) {
	at(defs, "Tool", "properties")["annotations"] = map[string]any{"anyOf": []any{refTo("ToolAnnotations"),
		map[string]any{"type": "string"}}}
	at(defs, "Resource", "properties")["size"] = map[string]any{"type": "number"}
}

// split gives the params of one list a definition of their own, with one member more.
func split(defs map[string]any) {
	params := map[string]any{"type": "object", "properties": map[string]any{"filter": map[string]any{"type": "string"}}}
	maps.Copy(at(params, "properties"), at(defs, "PaginatedRequestParams", "properties"))
	if required, ok := at(defs, "PaginatedRequestParams")["required"]; ok {
		params["required"] = required
	}
	defs["ListPromptsRequestParams"] = params
	at(defs, "ListPromptsRequest", "properties")["params"] = refTo("ListPromptsRequestParams")
}

// rename gives a definition another name, at its place and wherever it is referred to.
func rename(text, old, now string) string {
	text = strings.ReplaceAll(text, `"#/$defs/`+old+`"`, `"#/$defs/`+now+`"`)
	return strings.Replace(text, `"`+old+`":`, `"`+now+`":`, 1)
}

// at returns an object inside of another; an empty one if it is not there.
func at(v map[string]any, path ...string) map[string]any {
	for _, name := range path {
		next, ok := v[name].(map[string]any)
		if !ok {
			return map[string]any{}
		}
		v = next
	}
	return v
}

func extend(v map[string]any, list string, item any) {
	old, _ := v[list].([]any)
	v[list] = append(old, item)
}

func refTo(name string) any { return map[string]any{"$ref": "#/$defs/" + name} }
