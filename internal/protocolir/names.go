package protocolir

import (
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/protocolir/merged"
)

// revisionName returns the constant of a dated revision.
func revisionName(date string) string { return "Revision" + strings.ReplaceAll(date, "-", "") }

// nameTable gives each Go name to one declaration only. The next declaration that asks for it gets another one.
type nameTable struct {
	taken map[string]bool
	last  map[string]int // the number that the last name of these words got
}

func newNameTable(reserved ...string) *nameTable {
	t := &nameTable{taken: map[string]bool{}, last: map[string]int{}}
	for _, r := range reserved {
		t.taken[r] = true
	}
	return t
}

// claim returns name; if that is taken, name followed by suffix, and then by 2, 3, ….
func (t *nameTable) claim(name, suffix string) string {
	if t.taken[name] {
		name += suffix
		for words, n := name, max(t.last[name], 1); t.taken[name]; {
			n++
			t.last[words] = n
			name = words + strconv.Itoa(n)
		}
	}
	t.taken[name] = true
	return name
}

// keep reserves a name of the record. Only claimKept returns it.
func (t *nameTable) keep(name string) { t.taken[name] = true }

// The prefixes of the names of functions for a union, and for an interface of replies.
var (
	unionFunctions = []string{"Append", "Decode"}
	replyFunctions = unionFunctions[1:]
)

// keepWith reserves a name and the names of its functions.
func (t *nameTable) keepWith(name string, functions []string) {
	t.keep(name)
	for _, prefix := range functions {
		t.keep(prefix + name)
	}
}

// claimWith is claimKept for a type with functions. Their names are the prefixes in functions, followed by the name of
// the type.
func (t *nameTable) claimWith(kept, name, suffix string, functions []string) string {
	if kept != "" {
		return kept
	}
	name = t.claim(name, suffix)
	for slices.ContainsFunc(functions, func(prefix string) bool { return t.taken[prefix+name] }) {
		name = t.claim(name, suffix)
	}
	t.keepWith(name, functions)
	return name
}

// claimKept returns kept, the name in the record. If that is "", it claims a new one.
func (t *nameTable) claimKept(kept, name, suffix string) string {
	if kept != "" {
		return kept
	}
	return t.claim(name, suffix)
}

// otherSuffix returns the suffix for the name of a second field of a property, which has another type.
func otherSuffix(t *merged.Type) string {
	switch t.Kind {
	case ir.KindStruct:
		return "Struct"
	case ir.KindUnion:
		return "Union"
	case ir.KindList:
		return "List"
	case ir.KindOneOrMany:
		return "OneOrMany"
	case ir.KindMap:
		return "Map"
	case ir.KindAny:
		return "Value"
	case ir.KindObject:
		return "Object"
	case ir.KindError:
		return "Error"
	default:
		return kindSuffixes[t.Kind]
	}
}

var kindSuffixes = map[ir.Kind]string{
	ir.KindString: "String", ir.KindEnum: "String", ir.KindBytes: "Bytes", ir.KindBool: "Bool", ir.KindInt: "Int",
	ir.KindFloat: "Float", ir.KindID: "ID",
}

// reservedNames are declared in the generated package whatever the schema says.
var reservedNames = []string{
	"Both", "Client", "ClientHandler", "ClientNotificationHandler", "DecodeReply", "Dispatch", "DispatchClient",
	"DispatchClientNotification", "DispatchNotification", "HasMethod", "Latest", "MethodInfo", "MethodKind", "Methods",
	"Notification", "NotificationHandler", "ParseRevision", "Prepared", "Reply", "Request", "Revision", "Revisions",
	"Server", "ServerHandler", "Side", "UnimplementedNotificationHandler", "UnimplementedServerHandler",
	"UnimplementedClientHandler", "UnimplementedClientNotificationHandler", "Unknown",
}
