package pack

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/mcpgen/mcpgen/internal/load/golist"
)

// program is the executable for one platform.
type program struct {
	system, processor string // as the go command calls them
	file              string // with .exe on Windows
	data              []byte
}

// build builds the program for all platforms: static, without paths of this machine and without symbols.
func (o *options) build(ctx context.Context, dir, name string) ([]program, error) {
	var out []program
	for _, platform := range o.platforms {
		p := program{file: name}
		p.system, p.processor, _ = strings.Cut(platform, "/")
		if p.system == "windows" {
			p.file += ".exe"
		}
		path := filepath.Join(dir, p.file)
		cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", path, "--", o.program)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+p.system, "GOARCH="+p.processor)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		err := cmd.Run()
		if err != nil {
			return nil, golist.Trouble(err, stderr.String())
		}
		if p.data, err = os.ReadFile(path); err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}
