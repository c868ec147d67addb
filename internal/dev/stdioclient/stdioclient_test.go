package stdioclient_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/internal/dev/stdioclient"
)

// TestMain makes this test binary the server of its own tests: it answers "echo" with its params after a
// notification, "fail" with an error, and ends on "die".
func TestMain(m *testing.M) {
	if os.Getenv("LINECLIENT_SERVER") == "" {
		os.Exit(m.Run())
	}
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		switch line := in.Text(); {
		case strings.Contains(line, `"method":"echo"`):
			id, params, _ := strings.Cut(strings.TrimPrefix(line, `{"jsonrpc":"2.0","id":`), `,"method":"echo","params":`)
			fmt.Println(`{"jsonrpc":"2.0","method":"heard"}`)
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":%s`+"\n", id, params)
		case strings.Contains(line, `"method":"fail"`):
			fmt.Println(`{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"no"}}`)
		case strings.Contains(line, `"method":"die"`):
			os.Exit(3)
		}
	}
}

func TestClient(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "LINECLIENT_SERVER=1")
	c, err := stdioclient.Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	var out struct{ A int }
	if err := c.Call(ctx, "echo", map[string]int{"a": 7}, &out); err != nil || out.A != 7 {
		t.Errorf("echo gives %+v, %v", out, err)
	}
	if n, err := c.Notification(ctx); err != nil || n.Method != "heard" {
		t.Errorf("notification %+v, %v", n, err)
	}
	var e *stdioclient.Error
	if err := c.Call(ctx, "fail", nil, nil); !errors.As(err, &e) || e.Code != -32602 {
		t.Errorf("fail gives %v", err)
	}
	if err := c.Call(ctx, "die", nil, nil); err == nil {
		t.Error("a call is answered after the server has ended")
	}
	var exit *exec.ExitError
	if err := c.Close(); !errors.As(err, &exit) || exit.ExitCode() != 3 {
		t.Errorf("close gives %v, want the exit code", err)
	}
}
