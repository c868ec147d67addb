package desk

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"path"
	"strings"

	"github.com/mcpgen/mcpgen/mcp/internal/webhook/egress"
)

// document is the path of the document in which an origin lists its callbacks.
const document = "/.well-known/mcp-webhook-receiver.json"

// CheckTrusted reports what is wrong with an entry of Options.Trusted.
func CheckTrusted(text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil ||
		u.RawQuery != "" || u.Fragment != "" || !strings.HasSuffix(u.Path, "/") {
		return errors.New("want a URL that ends with a slash, such as https://hooks.example.com/in/")
	}
	if !within(u, u.EscapedPath()) {
		return errors.New("no callback is below it, because its path can be read in several ways: write it without %, " +
			"empty parts and dots")
	}
	return nil
}

// trusted reports whether the callback at a URL needs no challenge, because the program says so.
func (d *Desk) trusted(text string) bool {
	u, err := url.Parse(text)
	if err != nil {
		return false
	}
	for _, of := range d.o.Trusted {
		t, err := url.Parse(of)
		if err == nil && t.Scheme == u.Scheme && egress.Host(of) == egress.Host(text) && within(u, t.EscapedPath()) {
			return true
		}
	}
	return false
}

// documented reports whether the origin of the callback at a URL lists it in the document.
func (d *Desk) documented(ctx context.Context, text string) bool {
	u, err := url.Parse(text)
	if err != nil {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	answer, err := d.o.Get(ctx, (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: document}).String())
	if err != nil || answer.Status != http.StatusOK {
		return false
	}
	var says struct {
		Receivers []string `json:"receivers"`
	}
	if json.Unmarshal(answer.Body, &says) != nil {
		return false
	}
	for _, prefix := range says.Receivers {
		if within(u, prefix) {
			return true
		}
	}
	return false
}

// within reports whether the path of a URL is prefix, or begins with prefix if prefix ends with a slash. It is false
// for a path that servers may read in several ways.
func within(u *url.URL, prefix string) bool {
	p := u.EscapedPath()
	if p == "" {
		p = "/"
	}
	clean := path.Clean(p) == strings.TrimSuffix(p, "/") || p == "/"
	if !clean || strings.ContainsAny(p, `%\`) || !strings.HasPrefix(prefix, "/") {
		return false
	}
	return p == prefix || strings.HasSuffix(prefix, "/") && strings.HasPrefix(p, prefix)
}
