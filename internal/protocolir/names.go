package protocolir

import (
	"slices"
	"strconv"

	"github.com/mcpgen/mcpgen/internal/ir"
)

// nameTable gives each Go name to one declaration only. The next declaration that asks for it gets another one.
type nameTable struct {
	taken map[string]bool
	last  map[string]int // the number that the last name of these words got
}

func newNameTable(reserved ...string) *nameTable {
	t := &nameTable{taken: map[string]bool{}, last: map[string]int{}}
	for _, name := range reserved {
		t.keep(name)
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

// The prefixes of the names of functions for a union, and for an interface of replies.
var (
	unionFunctions = []string{"Append", "Decode"}
	replyFunctions = unionFunctions[1:]
)

// keep reserves a name of the record, and the names of functions for it, which are these prefixes and the name. Only
// claimKept returns it.
func (t *nameTable) keep(name string, functions ...string) {
	t.taken[name] = true
	for _, prefix := range functions {
		t.taken[prefix+name] = true
	}
}

// claimKept returns kept, the name in the record. If that is "", it claims a new one, with the names of functions as
// keep does.
func (t *nameTable) claimKept(kept, name, suffix string, functions ...string) string {
	if kept != "" {
		return kept
	}
	name = t.claim(name, suffix)
	for slices.ContainsFunc(functions, func(prefix string) bool { return t.taken[prefix+name] }) {
		name = t.claim(name, suffix)
	}
	t.keep(name, functions...)
	return name
}

// kindSuffixes end the name of a second field of a property, which has another type.
var kindSuffixes = map[ir.Kind]string{
	ir.KindString: "String", ir.KindEnum: "String", ir.KindBytes: "Bytes", ir.KindBool: "Bool", ir.KindInt: "Int",
	ir.KindFloat: "Float", ir.KindID: "ID", ir.KindStruct: "Struct", ir.KindUnion: "Union", ir.KindList: "List",
	ir.KindOneOrMany: "OneOrMany", ir.KindMap: "Map", ir.KindAny: "Value", ir.KindObject: "Object",
	ir.KindError: "Error",
}

// reservedNames are declared in the generated package whatever the schema says.
var reservedNames = []string{
	"Both", "Client", "ClientHandler", "ClientNotificationHandler", "DecodeReply", "Dispatch", "DispatchClient",
	"DispatchClientNotification", "DispatchNotification", "HasMethod", "Latest", "MethodInfo", "MethodKind", "Methods",
	"Notification", "NotificationHandler", "ParseRevision", "Prepared", "Reply", "Request", "Revision", "Revisions",
	"Server", "ServerHandler", "Side", "UnimplementedNotificationHandler", "UnimplementedServerHandler",
	"UnimplementedClientHandler", "UnimplementedClientNotificationHandler", "Unknown",
}
