package limits

import (
	"net/http"
	"net/netip"

	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/web"
)

// Client returns the usage of the client of a request: of the subject, or without one of the address. Call Drop when it
// is not needed any more.
func (a *Admission) Client(r *http.Request, subject string) *Usage {
	if subject != "" {
		return a.hold(clientKey{subject: subject})
	}
	return a.hold(clientKey{addr: network(a.proxies.client(r))})
}

// wait counts a request of u that waits for a person, and not among those under way. It is false if there are too many.
func (a *Admission) wait(u *Usage) (resume func(), ok bool) {
	if !a.Take(u, Waiting, 1) {
		a.Deny(Waiting)
		return nil, false
	}
	u = a.AddRef(u)
	a.Give(u, Requests, 1)
	return func() {
		a.Retake(u, Requests, 1)
		a.Give(u, Waiting, 1)
		a.Drop(u)
	}, true
}

// TooMany is the answer to what would be one too many. It is counted.
func (a *Admission) TooMany(r Resource) *web.Refusal {
	a.Deny(r)
	return web.NewRefusal(http.StatusServiceUnavailable, "too many "+names[r]+": try again later")
}

// Subject is that of the caller; "" for a client that is known by its address, or not at all.
func (u *Usage) Subject() string { return u.key.subject }

// IsUnknown reports whether the client cannot be told from others.
func (u *Usage) IsUnknown() bool { return u.key == clientKey{} }

// Name is the client for what the server itself bounds; "" for one that has neither subject nor address.
func (u *Usage) Name() string {
	switch {
	case u.key.subject != "":
		return "subject " + u.key.subject
	case u.key.addr.IsValid():
		return u.key.addr.String()
	}
	return ""
}

// Address is that of a client that is known by it, else zero.
func (u *Usage) Address() netip.Addr { return u.key.addr }

// address is that of the client as one of IPv6; zero if it is not known.
func (u *Usage) address() [16]byte {
	var none netip.Addr
	if u.key.addr == none {
		return [16]byte{}
	}
	return u.key.addr.As16()
}
