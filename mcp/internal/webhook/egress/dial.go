package egress

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"time"
)

// maxAddresses is how many addresses of a name are tried at most.
const maxAddresses = 8

// errInward is the error of a connection to a host that has an address that is not public.
var errInward = errors.New("an address of the host is not public")

// allowed reports whether connections to an address may be made.
func (c *Client) allowed(a netip.Addr) bool {
	if within(carried(a), c.o.Refuse) || within(a.Unmap(), c.o.Refuse) {
		return false
	}
	return c.o.AllowPrivate || public(a)
}

// dial connects to a host. All its addresses must be allowed: an answer that mixes public and private addresses is an
// attack on the network inside. dial has a time limit of its own, because the context that net/http passes does not end
// with the request.
func (c *Client) dial(ctx context.Context, network, address string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, c.o.Timeout)
	defer cancel()
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	addresses, err := c.resolve(ctx, host)
	if err != nil {
		return nil, err
	}
	for _, a := range addresses {
		if !c.allowed(a) {
			c.refused.Add(1)
			return nil, errInward
		}
	}
	addresses = addresses[:min(len(addresses), maxAddresses)]
	var d net.Dialer
	for i, a := range addresses {
		var conn net.Conn
		one, cancel := share(ctx, len(addresses)-i)
		conn, err = d.DialContext(one, network, net.JoinHostPort(a.String(), port))
		cancel()
		if err == nil {
			return conn, nil
		}
	}
	return nil, err
}

// share returns a context that gets an equal part of the time that ctx has left, so that an address that does not
// answer leaves time for the others. ctx must have a deadline.
func share(ctx context.Context, parts int) (context.Context, context.CancelFunc) {
	until, _ := ctx.Deadline()
	return context.WithTimeout(ctx, time.Until(until)/time.Duration(parts))
}

// resolve returns the addresses of a host, at least one.
func (c *Client) resolve(ctx context.Context, host string) ([]netip.Addr, error) {
	if a, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{a}, nil
	}
	addresses, err := c.o.Resolve(ctx, host)
	if err == nil && len(addresses) == 0 {
		err = fmt.Errorf("the host has no address")
	}
	return addresses, err
}

// lookup is the resolver of the system.
func lookup(ctx context.Context, host string) ([]netip.Addr, error) {
	return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
}
