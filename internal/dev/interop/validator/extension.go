package validator

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const (
	tasksID  = "io.modelcontextprotocol/tasks"
	uiID     = "io.modelcontextprotocol/ui"
	skillsID = "io.modelcontextprotocol/skills"
	eventsID = "io.modelcontextprotocol/events"
	// capabilitiesKey is the member of params._meta with the capabilities of the client.
	capabilitiesKey = "io.modelcontextprotocol/clientCapabilities"
	// newest is the first revision that knows extensions, whose rules hold for what older ones are told of them.
	newest = "2026-07-28"
)

// published are the extensions whose schemas are judged by, with their version and the first revision of the core that
// they extend. Before that revision the core had tasks itself.
var published = map[string]struct{ short, version, since string }{
	tasksID: {"tasks", "2026-07-28", newest},
	uiID:    {"ui", "2026-01-26", "2024-11-05"},
}

// extensionFile returns the schema of an extension: dir/ext/NAME/VERSION/schema.json, or the facts of the checkout at
// root if there is none.
func extensionFile(dir, root string) func(short, version string) (string, error) {
	return func(short, version string) (string, error) {
		if dir != "" {
			file := filepath.Join(dir, "ext", short, version, "schema.json")
			if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
				return file, err
			}
		}
		return filepath.Join(root, "schema", "ext", short, version+".json"), nil
	}
}

// extension returns the schema of a published extension as far as it extends the revision, or nil.
func (s *Schemas) extension(id, revision string) (*schema, error) {
	p, ok := published[id]
	if !ok || revision < p.since || s.extFile == nil {
		return nil, nil
	}
	if sc := s.opened[id]; sc != nil {
		return sc, nil
	}
	file, err := s.extFile(p.short, p.version)
	if err != nil {
		return nil, err
	}
	sc, err := open(file, p.version)
	if err == nil {
		s.opened[id] = sc
	}
	return sc, err
}

// Assume notes which extensions a message of a server declares, for a connection that may do without asking the server
// what it has. What the server of this connection declares replaces it.
func (s *Session) Assume(text []byte) {
	msgs, err := split(text)
	if err != nil {
		return
	}
	for _, m := range msgs {
		if result, ok := m["result"].(map[string]any); ok && lookup(result, "capabilities") != nil {
			maps.Copy(s.declared, extensionsIn(result))
		}
	}
}

func extensionsIn(result any) map[string]any {
	list, _ := lookup(result, "capabilities", "extensions").(map[string]any)
	return list
}

// validateDeclared notes and judges the extensions that a server declares. It returns the result as its revision knows
// it: those before extensions accept any further capability, and servers tell of extensions by it.
func (s *Session) validateDeclared(sc *schema, result map[string]any) (map[string]any, error) {
	s.declared = map[string]any{}
	capabilities, _ := result["capabilities"].(map[string]any)
	if capabilities["extensions"] == nil {
		return result, nil
	}
	core, err := s.schemas.of(newest)
	if err != nil {
		return nil, err
	}
	if err := core.validate("ServerCapabilities/properties/extensions", capabilities["extensions"]); err != nil {
		return nil, err
	}
	for id, settings := range extensionsIn(result) {
		if !strings.Contains(id, "/") {
			return nil, fmt.Errorf("%q is not the identifier of an extension", id)
		}
		ext, err := s.schemas.extension(id, sc.revision)
		if err != nil {
			return nil, err
		}
		if id == tasksID && ext == nil {
			return nil, fmt.Errorf("in %s tasks are no extension", sc.revision)
		}
		if id == tasksID {
			if err := ext.validate("TasksExtensionCapability", settings); err != nil {
				return nil, err
			}
		}
		s.declared[id] = settings
	}
	if _, ok := capabilities["events"].(map[string]any); ok && s.declared[eventsID] != nil { // clients look for it there
		capabilities = without(capabilities, "events")
		result = without(result, "capabilities")
		result["capabilities"] = capabilities
	}
	if lookup(sc.defs["ServerCapabilities"], "properties", "extensions") == nil {
		out := without(result, "capabilities")
		out["capabilities"] = without(capabilities, "extensions")
		result = out
	}
	return result, nil
}

// extensionOf returns the extension that the server declared and that has a method, "" if there is none, and its
// schema if it is published.
func (s *Session) extensionOf(sc *schema, method string) (string, *schema, error) {
	for id := range published {
		ext, err := s.schemas.extension(id, sc.revision)
		if err != nil {
			return "", nil, err
		}
		if ext != nil && s.declared[id] != nil && ext.calls(method) != "" {
			return id, ext, nil
		}
	}
	for id := range s.declared {
		if _, has := published[id]; has {
			continue // its schema says which methods it has
		}
		own := strings.HasPrefix(strings.TrimPrefix(method, "notifications/"), id+"/")
		named := namedOtherwise[method] == id
		if method == "resources/directory/read" && lookup(s.declared[id], "directoryRead") != true {
			named = false
		}
		if own || named {
			return id, nil, nil
		}
	}
	return "", nil, nil
}

// calls returns the definition of the request or notification of an extension that has this method, or "".
func (s *schema) calls(method string) string {
	for name, def := range s.defs {
		if s.constant(name, "method") == method {
			return name
		}
		all, _ := lookup(def, "allOf").([]any)
		for _, part := range all {
			if lookup(part, "properties", "method", "const") == method {
				return name
			}
		}
	}
	return ""
}

// acknowledged is the notification in which tasks have a member.
const acknowledged = "notifications/subscriptions/acknowledged"

// withoutTasks checks the tasks that an acknowledgement names, and returns it as the core knows it. The listen's client
// must have declared tasks.
func (s *Session) withoutTasks(sc *schema, m map[string]any) (map[string]any, error) {
	params, _ := m["params"].(map[string]any)
	filter, _ := params["notifications"].(map[string]any)
	ext, err := s.schemas.extension(tasksID, sc.revision)
	if err != nil || ext == nil || s.declared[tasksID] == nil || filter["taskIds"] == nil {
		return m, err
	}
	listen := s.asked[idText(lookup(params, "_meta", "io.modelcontextprotocol/subscriptionId"))]
	if !slices.Contains(listen.extensions, tasksID) {
		return nil, errors.New("taskIds for a listen whose client did not declare tasks")
	}
	named := map[string]any{"taskIds": filter["taskIds"]}
	if err := ext.validate("TaskSubscriptionAcknowledgedNotifications", named); err != nil {
		return nil, err
	}
	out, rest := without(m, "params"), without(params, "notifications")
	out["params"], rest["notifications"] = rest, without(filter, "taskIds")
	return out, nil
}

// checkClientHas checks that the client has declared an extension of a program, whose method has succeeded or which the
// server has sent a notification of. Methods of extensions with a specification say themselves who may call them.
func (s *Session) checkClientHas(id, method string, declared []string) error {
	_, known := published[id]
	if known || namedOtherwise[method] != "" || s.schemas.forAll[method] || slices.Contains(declared, id) {
		return nil
	}
	return fmt.Errorf("%s for a client that did not declare %s", method, id)
}

// declaredNow returns the extensions that the client has declared in its session or in a request without an answer, to
// which a notification of the server can belong.
func (s *Session) declaredNow() []string {
	all := slices.Clone(s.client)
	for _, q := range s.asked {
		all = append(all, q.extensions...)
	}
	return all
}

// ForAll names methods of extensions of programs that serve clients too which have not declared the extension.
func (s *Schemas) ForAll(methods ...string) {
	for _, m := range methods {
		s.forAll[m] = true
	}
}

// checkCall checks a request or notification of a side, which is one of the core or of an extension that the server
// declared.
func (s *Session) checkCall(sc *schema, side, method string, m map[string]any) error {
	if side == "Server" && method == acknowledged {
		var err error
		if m, err = s.withoutTasks(sc, m); err != nil {
			return err
		}
	}
	kind := "Notification"
	if m["id"] != nil {
		kind = "Request"
	}
	_, unknown := sc.message(side, kind, method)
	if unknown == nil {
		return sc.checkCall(side, method, m)
	}
	id, ext, err := s.extensionOf(sc, method)
	if err != nil {
		return err
	}
	if id == "" {
		return unknown
	}
	if err := sc.validateIn("mcp:open", "JSONRPC"+kind, m); err != nil {
		return err
	}
	if kind == "Notification" != strings.HasPrefix(method, "notifications/") {
		return fmt.Errorf("%s is no method of a %s", method, strings.ToLower(kind))
	}
	if def := kind + "Params"; sc.defs[def] != nil && (m["params"] != nil || required(sc.defs[def])) {
		if err := sc.validateIn("mcp:open", def, m["params"]); err != nil && (side == "Server" || kind == "Request") {
			return err
		}
	}
	if ext == nil {
		if side == "Server" {
			return s.checkClientHas(id, method, s.declaredNow())
		}
		return nil
	}
	return ext.validate(ext.calls(method), m)
}

func required(def any) bool {
	list, _ := lookup(def, "required").([]any)
	return len(list) > 0
}

// validateExtended checks the result of a method that the core does not know, and that of a call which became a task of
// the extension. It reports whether the result is one of these.
func (s *Session) validateExtended(sc *schema, q question, result map[string]any) (bool, error) {
	task := sc.revision >= newest && q.method == "tools/call" && result["resultType"] == "task"
	if task {
		return true, s.validateTask(sc, q, result)
	}
	_, unknown := sc.message("Client", "Request", q.method)
	if unknown == nil {
		return false, nil
	}
	id, ext, err := s.extensionOf(sc, q.method)
	switch {
	case err != nil:
		return true, err
	case id == "":
		return true, unknown
	case result["resultType"] == "input_required":
		return false, nil
	}
	if err := s.validatePlain(sc, result); err != nil {
		return true, err
	}
	if ext == nil {
		return true, s.checkClientHas(id, q.method, q.extensions)
	}
	if err := ext.validate(ext.resultOf(ext.calls(q.method)), result); err != nil {
		return true, err
	}
	if done := result["result"]; id == tasksID && done != nil {
		return true, sc.validate("CallToolResult", done)
	}
	return true, nil
}

// validatePlain checks of a result what holds for those of all methods.
func (s *Session) validatePlain(sc *schema, result map[string]any) error {
	if err := sc.validateIn("mcp:open", "Result", result); err != nil {
		return err
	}
	switch kind := result["resultType"]; {
	case sc.revision < newest && kind != nil:
		return fmt.Errorf("in %s a result has no resultType", sc.revision)
	case sc.revision >= newest && kind != "complete":
		return fmt.Errorf("resultType is %v, want complete", kind)
	}
	return nil
}

// validateTask checks the task that a tool's call became, which both sides must have agreed to.
func (s *Session) validateTask(sc *schema, q question, result map[string]any) error {
	ext, err := s.schemas.extension(tasksID, sc.revision)
	if err != nil {
		return err
	}
	if s.declared[tasksID] == nil || !slices.Contains(q.extensions, tasksID) {
		return errors.New("a task for a call whose client or server did not declare tasks")
	}
	return ext.validate("CreateTaskResult", result)
}

// validateAppMeta checks what a result says of apps in the _meta of tools and resources, if the server declared apps.
func (s *Session) validateAppMeta(sc *schema, result map[string]any) error {
	if s.declared[uiID] == nil {
		return nil
	}
	ext, err := s.schemas.extension(uiID, sc.revision)
	if err != nil || ext == nil {
		return err
	}
	for member, def := range map[string]string{"tools": "McpUiToolMeta", "resources": "McpUiResourceMeta",
		"resourceTemplates": "McpUiResourceMeta", "contents": "McpUiResourceMeta"} {
		list, _ := result[member].([]any)
		for _, e := range list {
			if ui := lookup(e, "_meta", "ui"); ui != nil {
				if err := ext.validate(def, ui); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// withoutAppMeta returns a result as revisions know it whose tools and resources have no _meta: servers with apps tell
// of them there in all revisions, which accept any further member.
func (s *Session) withoutAppMeta(sc *schema, result map[string]any) map[string]any {
	if s.declared[uiID] == nil || lookup(sc.defs["Tool"], "properties", "_meta") != nil {
		return result
	}
	out := without(result)
	for _, member := range []string{"tools", "resources", "resourceTemplates", "contents"} {
		list, _ := result[member].([]any)
		plain := make([]any, len(list))
		for i, e := range list {
			plain[i] = e
			if m, ok := e.(map[string]any); ok && lookup(m, "_meta", "ui") != nil {
				plain[i] = without(m, "_meta")
			}
		}
		if list != nil {
			out[member] = plain
		}
	}
	return out
}

// declaredIn returns the identifiers of the extensions that a client declares in a request.
func declaredIn(m map[string]any) []string {
	list, _ := lookup(m, "params", "_meta", capabilitiesKey, "extensions").(map[string]any)
	return slices.Sorted(maps.Keys(list))
}

// declaredFor returns the identifiers of the extensions that a client declares for a session. Servers look at either
// member.
func declaredFor(m map[string]any) (all []string) {
	for _, member := range []string{"extensions", "experimental"} {
		list, _ := lookup(m, "params", "capabilities", member).(map[string]any)
		all = slices.AppendSeq(all, maps.Keys(list))
	}
	return all
}
