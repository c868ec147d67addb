package protocol

import "github.com/mcpgen/mcpgen/internal/ir"

// side is who receives messages: what the other side sends is dispatched to its handlers.
type side struct {
	senders        string
	requests       string // the handler of requests
	dispatch       string
	notifications  string // the handler of notifications
	notify         string // dispatches notifications
	revs           func(*ir.Method) ir.Revs
	note           func(*ir.Method) string
	requestsWith   string // text of the handler's doc
	elsewhereToSee string // where errors are described, "" for here
}

var servers = side{
	senders: "clients", requests: "ServerHandler", dispatch: "Dispatch",
	notifications: "NotificationHandler", notify: "DispatchNotification",
	revs: func(m *ir.Method) ir.Revs { return m.ClientRevs },
	note: func(m *ir.Method) string { return m.Note },
	requestsWith: " Params are never nil and belong to the handler, except their Meta, which must not be changed. A nil " +
		"reply without an error is an empty result. An error that is a [wire.Error] is sent as it is.",
}

var clients = side{
	senders: "servers", requests: "ClientHandler", dispatch: "DispatchClient",
	notifications: "ClientNotificationHandler", notify: "DispatchClientNotification",
	revs:         func(m *ir.Method) ir.Revs { return m.ServerRevs },
	note:         func(m *ir.Method) string { return m.ServerNote },
	requestsWith: " Params and replies are those of a [ServerHandler].", elsewhereToSee: "Dispatch",
}

// methods returns the dispatched requests or notifications that a side receives.
func (s *side) methods(p *ir.Protocol, notifications bool) []*ir.Method {
	var out []*ir.Method
	for _, m := range p.Methods {
		if s.revs(m) != 0 && m.Notification == notifications {
			out = append(out, m)
		}
	}
	return out
}

// requestMethods returns the dispatched requests of both sides.
func requestMethods(p *ir.Protocol) []*ir.Method {
	var out []*ir.Method
	for _, m := range p.Methods {
		if m.ClientRevs|m.ServerRevs != 0 && !m.Notification {
			out = append(out, m)
		}
	}
	return out
}
