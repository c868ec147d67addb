package limits

import (
	"net/http"
	"net/netip"

	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/web"
)

// Client returns the usage of the client of a request: of the subject, or of the address if there is none. The caller
// must call Drop.
func (a *Admission) Client(r *http.Request, subject string) *Usage {
	if subject != "" {
		return a.hold(clientKey{subject: subject})
	}
	return a.hold(clientKey{addr: network(a.proxies.client(r))})
}

// wait counts a request of u as waiting for a person, instead of as running, until resume is called. It returns false
// if too many wait.
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

// TooMany returns the refusal of one more of r, and counts it.
func (a *Admission) TooMany(r Resource) *web.Refusal {
	a.Deny(r)
	return web.NewRefusal(http.StatusServiceUnavailable, "too many "+names[r]+": try again later")
}

// Subject returns the subject of the client; "" for a client that is known by its address, or not at all.
func (u *Usage) Subject() string { return u.key.subject }

// IsUnknown reports whether the client cannot be told from others.
func (u *Usage) IsUnknown() bool { return u.key == clientKey{} }

// Name returns a name of the client for limits of the server itself; "" for a client with neither subject nor address.
func (u *Usage) Name() string {
	switch {
	case u.key.subject != "":
		return "subject " + u.key.subject
	case u.key.addr.IsValid():
		return u.key.addr.String()
	}
	return ""
}

// Address returns the address of a client that is known by it; else the zero Addr.
func (u *Usage) Address() netip.Addr { return u.key.addr }

// address returns the address of the client in the form of IPv6; zero if it is not known.
func (u *Usage) address() [16]byte {
	var none netip.Addr
	if u.key.addr == none {
		return [16]byte{}
	}
	return u.key.addr.As16()
}
