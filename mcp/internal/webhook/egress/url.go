package egress

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strings"
)

// MaxURL is how many bytes the URL of a callback has at most.
const MaxURL = 2048

// Check returns what is wrong with the URL of a callback, in words for the one who sent it. It connects to nothing and
// resolves nothing: a URL that passes may still be refused when it is dialled.
func (c *Client) Check(text string) error {
	_, err := c.parse(text)
	return err
}

func (c *Client) parse(text string) (*url.URL, error) {
	if len(text) > MaxURL {
		return nil, fmt.Errorf("the URL has more than %d bytes", MaxURL)
	}
	u, err := url.Parse(text)
	if err != nil {
		return nil, errors.New("the URL is not valid")
	}
	switch {
	case u.Scheme == "http" && c.o.AllowHTTP:
	case u.Scheme != "https":
		return nil, errors.New("the URL must begin with https://")
	}
	switch {
	case u.Opaque != "" || u.Hostname() == "":
		return nil, errors.New("the URL has no host")
	case u.User != nil:
		return nil, errors.New("the URL must not contain a user name or password")
	case u.Fragment != "" || strings.HasSuffix(text, "#"):
		return nil, errors.New("the URL must not have a fragment")
	}
	if a, err := netip.ParseAddr(u.Hostname()); err == nil && !c.allowed(a) {
		return nil, errors.New("the URL has an address that is not public")
	}
	return u, nil
}

// Host returns the host under which requests to a URL are counted, in lower case and with the port; "" if the text is
// no URL.
func Host(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return ""
	}
	port := u.Port()
	switch {
	case port != "":
	case u.Scheme == "http":
		port = "80"
	default:
		port = "443"
	}
	return strings.TrimSuffix(strings.ToLower(u.Hostname()), ".") + ":" + port
}
