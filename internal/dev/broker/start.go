package broker

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

const module = "github.com/mcpgen/mcpgen"

// StartNATS builds a NATS server and starts it with JetStream. Its data are in dir, which lives as long as the caller
// wants them. Config is part of the configuration file, which has JetStream with a store in dir unless config has a
// block of its own. The first build takes a minute, and may need a network; the go command keeps the result.
func StartNATS(ctx context.Context, dir, config string) (*Broker, error) {
	program, err := natsServer(ctx)
	if err != nil {
		return nil, err
	}
	file := filepath.Join(dir, "nats.conf")
	if !strings.Contains(config, "jetstream {") {
		config = fmt.Sprintf("jetstream { store_dir: %q }\n", dir) + config
	}
	b := &Broker{program: program, args: []string{"-c", file}, answers: []string{"INFO "}}
	return start(ctx, dir, b, func(port string) error {
		text := fmt.Sprintf("listen: \"127.0.0.1:%s\"\n%s\n", port, config)
		return os.WriteFile(file, []byte(text), 0o600)
	})
}

// natsServer returns the path of the program, which the module natsd beside this package requires.
func natsServer(ctx context.Context) (string, error) {
	root, err := output(ctx, "", "go", "list", "-m", "-f", "{{.Dir}}", module)
	if err != nil {
		return "", err
	}
	return output(ctx, filepath.Join(root, "internal", "dev", "broker", "natsd"), "go", "tool", "-n", "nats-server")
}

func output(ctx context.Context, dir, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, stderr.Bytes())
	}
	return strings.TrimSpace(string(out)), nil
}

// StartRedis starts the redis-server of the system. Its data are in dir, and each change is written to a file before
// it is answered. Args are more arguments of redis-server. The error is ErrMissing if there is none.
func StartRedis(ctx context.Context, dir string, args ...string) (*Broker, error) {
	program, err := exec.LookPath("redis-server")
	if err != nil {
		return nil, fmt.Errorf("redis-server is %w: run make setup as root, or install the package redis-server", ErrMissing)
	}
	b := &Broker{program: program, ask: "PING\r\n", answers: []string{"+PONG", "-NOAUTH"}}
	return start(ctx, dir, b, func(port string) error {
		b.args = append([]string{"--bind", "127.0.0.1", "--port", port, "--dir", dir, "--save", "", "--appendonly", "yes",
			"--appendfsync", "always"}, args...)
		return nil
	})
}
