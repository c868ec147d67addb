package mcphttp_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/golden/ask"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
)

// Every number of the options must be 0 or more, except StopDelay; the error names it.
func TestOptionsOutOfRange(t *testing.T) {
	srv, err := ask.NewAskServer(ask.AskImpl{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer srv.Close()
	numbers := 0
	for f := range reflect.TypeFor[mcphttp.Options]().Fields() {
		var opts mcphttp.Options
		v := reflect.ValueOf(&opts).Elem().FieldByIndex(f.Index)
		if !v.CanInt() || f.Name == "StopDelay" {
			continue
		}
		numbers++
		v.SetInt(-1)
		if h, err := mcphttp.Handler(srv, &opts); err == nil || h != nil ||
			!strings.Contains(err.Error(), "Options."+f.Name+" is -1") {
			t.Errorf("%s: handler %v, error %v", f.Name, h, err)
		}
	}
	if numbers < 10 {
		t.Errorf("only %d numbers", numbers)
	}
}
