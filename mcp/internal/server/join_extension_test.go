package server_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/server"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
)

// extended returns a server with extensions that have a method each.
func extended(t *testing.T, name string, ids ...string) *server.Server {
	t.Helper()
	s, err := server.NewServer(extendedFeatures(name, ids...), &server.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func extendedFeatures(name string, ids ...string) *feature.Features {
	f := &feature.Features{Info: protocol.Implementation{Name: name, Version: "1"}}
	var list []feature.Extension
	for _, id := range ids {
		method := id + "/of"
		if rest, own := strings.CutSuffix(id, "!"); own {
			id, method = rest, "com.example/shared"
		}
		list = append(list, feature.Extension{ID: id, Methods: []feature.Method{{Name: method, Call: func(c *call.Call,
			_ []byte) (json.RawMessage, error) {
			var own struct{ N int }
			declared, err := call.Peer{}.Extension(id, nil)
			if declared || err != nil {
				return nil, fmt.Errorf("nobody has declared %v, %w", declared, err)
			}
			if _, err := c.Peer().Extension(id, &own); err != nil {
				return nil, err
			}
			return json.RawMessage(fmt.Sprintf(`{"of":%q,"n":%d}`, name, own.N)), nil
		}}}})
	}
	if list != nil {
		f.Extensions = server.NewExtensions(list...)
	}
	return f
}

// A joined server has the extensions of all members. The same one twice, or the same method, is an error.
func TestJoinExtensions(t *testing.T) {
	a, b := extended(t, "a", "com.example/a", "com.example/b"), extended(t, "b", "com.example/c")
	joined, err := server.Join(extendedFeatures("j", "com.example/j"), nil, a, b, extended(t, "none"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = joined.Close() }()
	for _, revision := range []protocol.Revision{protocol.Revision20250618, protocol.Revision20260728} {
		c := mcptest.New(t, joined, mcptest.WithRevision(revision), mcptest.WithExtension("com.example/b", `{"n":2}`),
			mcptest.WithExtension("com.example/c", `{"n":3}`), mcptest.WithExtension("com.example/j", ""))
		for method, want := range map[string]string{
			"com.example/b/of": `"of":"a","n":2`, "com.example/c/of": `"of":"b","n":3`, "com.example/j/of": `"of":"j","n":0`,
		} {
			if got, fault := c.Do(method, nil); fault != nil || !strings.Contains(string(got), want) {
				t.Errorf("%s: %s %v, want %s", method, got, fault, want)
			}
		}
		if got, fault := c.Do("com.example/a/of", nil); fault == nil {
			t.Errorf("an extension that the client has not declared: %s", got)
		}
	}
	counts := map[string]int64{}
	for _, r := range server.Stats(joined).Requests {
		counts[r.Method] += r.Count
	}
	if counts["com.example/b/of"] != 2 || counts["com.example/a/of"] != 2 || counts["other"] != 0 {
		t.Errorf("counts: %v", counts)
	}
	for _, bad := range []struct {
		ids  []string
		want string
	}{
		{[]string{"com.example/x", "com.example/a"}, `two members have an extension "com.example/a"`},
		{[]string{"com.example/x!", "com.example/y"}, ""},
	} {
		_, err := server.Join(extendedFeatures("j"), nil, a, extended(t, "c", bad.ids...))
		if bad.want == "" && err != nil || bad.want != "" && (err == nil || !strings.Contains(err.Error(), bad.want)) {
			t.Errorf("%v: %v, want %q", bad.ids, err, bad.want)
		}
	}
	_, err = server.Join(extendedFeatures("j", "com.example/x!"), nil, extended(t, "c", "com.example/y!"))
	if err == nil || !strings.Contains(err.Error(), `two members have a method "com.example/shared"`) {
		t.Error(err)
	}
	var most []string
	for n := range 20 {
		most = append(most, fmt.Sprint("com.example/n", n))
	}
	_, err = server.Join(extendedFeatures("j", most...), nil, extended(t, "c", strings.Split(
		strings.ReplaceAll(strings.Join(most, " "), "/n", "/m"), " ")...))
	if err == nil || !strings.Contains(err.Error(), "has 40 extensions, and may have 32") {
		t.Error(err)
	}
}

// What contradicts itself is an error of the constructor: ids and methods that are there twice, methods of the protocol
// or without code, settings that fail, and too many extensions.
func TestExtensionsRefused(t *testing.T) {
	call := func(*call.Call, []byte) (json.RawMessage, error) { return json.RawMessage("{}"), nil }
	of := func(id string, methods ...string) feature.Extension {
		e := feature.Extension{ID: id}
		for _, name := range methods {
			e.Methods = append(e.Methods, feature.Method{Name: name, Call: call})
		}
		return e
	}
	most := make([]feature.Extension, 33)
	for i := range most {
		most[i] = of(fmt.Sprint("com.example/x", i))
	}
	for want, list := range map[string][]feature.Extension{
		`two extensions "com.example/x"`: {of("com.example/x"), of("com.example/x")},
		`two methods "x/y"`:              {of("com.example/x", "x/y"), of("com.example/y", "x/y")},
		`the method "tools/call" has no`: {of("com.example/x", "tools/call")},
		`the method "x/y" has no Call`:   {{ID: "com.example/x", Methods: []feature.Method{{Name: "x/y"}}}},
		"33 extensions, and may have 32": most,
		"the settings are broken":        {{ID: "com.example/x", Settings: broken}},
		"":                               most[:32],
	} {
		s, err := server.NewServer(&feature.Features{
			Info: protocol.Implementation{Name: "x", Version: "1"}, Extensions: server.NewExtensions(list...),
		}, &server.Options{Logger: slog.New(slog.DiscardHandler)})
		if err == nil {
			_ = s.Close()
		}
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func broken() (json.RawMessage, error) { return nil, errors.New("the settings are broken") }
