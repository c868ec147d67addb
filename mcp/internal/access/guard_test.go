package access

import (
	"errors"
	"io"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp/internal/call"
)

// All scopes, one of each set and a role are needed; who has expired has nothing.
func TestScopes(t *testing.T) {
	past := time.Unix(1, 0)
	full := call.Caller{Scopes: []string{"a", "b", "c"}, Roles: []string{"chief"}}
	expired := full
	expired.Expires = past
	for _, c := range []struct {
		name string
		a    Access
		who  call.Caller
		want string // of the error; "" for none
	}{
		{"open", Access{}, call.Caller{}, ""},
		{"open, expired", Access{}, call.Caller{Expires: past}, ""},
		{"all", Access{Scopes: []string{"a", "b"}}, full, ""},
		{"one is missing", Access{Scopes: []string{"a", "x"}}, full, "forbidden: it needs a and x"},
		{"one of each set", Access{AnyScope: [][]string{{"x", "a"}, {"b"}}}, full, ""},
		{"none of a set", Access{AnyScope: [][]string{{"a"}, {"x", "y"}}}, full, "forbidden: it needs x or y"},
		{"an empty set", Access{AnyScope: [][]string{{}}}, full, "forbidden: it needs "},
		{"role", Access{AnyRole: [][]string{{"clerk", "chief"}}}, full, ""},
		{"no role", Access{AnyRole: [][]string{{"clerk"}}}, full, "forbidden: it needs the role clerk"},
		{"a scope is no role", Access{AnyRole: [][]string{{"a"}}}, full, "forbidden: it needs the role a"},
		{"expired", Access{Scopes: []string{"a"}}, expired, "forbidden: the caller has expired"},
	} {
		g := &Guard{Access: c.a}
		err := g.Scopes(&c.who)
		if err == nil && c.want != "" || err != nil && err.Error() != c.want {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	if err := (*Guard)(nil).Scopes(&call.Caller{}); err != nil {
		t.Errorf("without a guard: %v", err)
	}
}

// Who is refused gets the answer about what does not exist, unless all may know of it. Other errors stay.
func TestRefusal(t *testing.T) {
	absent := errors.New("absent")
	for _, c := range []struct {
		err  error
		want string
	}{
		{&ForbiddenError{Text: "no"}, "absent"},
		{&ForbiddenError{Text: "no", Shown: true}, "forbidden: no (code -32603)"},
		{io.EOF, "EOF"},
	} {
		if got := Refusal(c.err, absent); got.Error() != c.want {
			t.Errorf("%v: %v, want %s", c.err, got, c.want)
		}
	}
	if Refusal(nil, absent) != nil {
		t.Error("nobody was refused")
	}
}

// A list is made for each caller only if one of its entries is hidden from some.
func TestHidden(t *testing.T) {
	scoped, policy := Access{Scopes: []string{"a"}}, Access{Policies: []Policy{func(*call.Call) error { return nil }}}
	shown, items := scoped, Access{ItemPolicies: policy.Policies}
	shown.Shown = true
	for _, c := range []struct {
		name        string
		list        []*Guard
		asks, hides bool
	}{
		{"open", []*Guard{nil, {}}, false, false},
		{"shown", []*Guard{{Access: shown}}, false, false},
		{"scopes", []*Guard{nil, {Access: scoped}}, false, true},
		{"policy", []*Guard{{Access: policy}, nil}, true, true},
		{"policy of items", []*Guard{{Access: items}}, false, true},
		{"both", []*Guard{{Access: policy}, {Access: scoped}}, true, true},
	} {
		asks, hides := Hidden(len(c.list), func(i int) *Guard { return c.list[i] })
		if asks != c.asks || hides != c.hides {
			t.Errorf("%s: asks %v, hides %v", c.name, asks, hides)
		}
	}
}
