package mcpotel_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/codes"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/stdio"
	"github.com/mcpgen/mcpgen/otel"
)

// A client that answers a question with an error chooses its text; of that a span has little.
func TestLongErrorOfClient(t *testing.T) {
	r := newRig(t)
	srv := newServer(t, mcp.Options{Observer: mcpotel.New(r.Options)})
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	served := make(chan error, 1)
	go func() { served <- srv.Base().Serve(context.Background(), stdio.Over(in, out, nil)) }()
	lines := bufio.NewReader(fromServer)
	say := func(format string, args ...any) (answer string) {
		if _, err := fmt.Fprintf(toServer, format+"\n", args...); err != nil {
			t.Fatal(err)
		}
		answer, err := lines.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		return answer
	}
	say(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",` +
		`"capabilities":{"elicitation":{"form":{}}},"clientInfo":{"name":"t","version":"1"}}}`)
	question := say(`{"jsonrpc":"2.0","id":2,"method":"prompts/get","params":{"name":"plan","arguments":{"to":"Rome"}}}`)
	id := regexp.MustCompile(`"id":("[^"]*"|\d+)`).FindStringSubmatch(question)
	if id == nil {
		t.Fatalf("no question: %s", question)
	}
	say(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":"%s"}}`, id[1], strings.Repeat("ä", 1<<19))
	_ = toServer.Close()
	_ = fromServer.Close()
	<-served
	s := find(t, r.take(), "elicitation/create")
	if got := s.Status.Description; s.Status.Code != codes.Error || len(got) > 600 || !strings.HasPrefix(got, "ää") ||
		!strings.HasSuffix(got, "ä") {
		t.Errorf("%v, with %d bytes", s.Status.Code, len(got))
	}
}
