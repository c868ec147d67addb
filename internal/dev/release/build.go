package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// sbom is the program that writes the bill of materials.
const sbom = "github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@v1.10.0"

// platforms are those that programs are built for. The tests run on Linux; the others have passed go vet.
var platforms = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64"}

// build writes the programs, their checksums and the bill of materials into a folder of this repository.
func (r *release) build(ctx context.Context, folder string) error {
	out, err := filepath.Abs(folder)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	var files []string
	for _, platform := range platforms {
		system, processor, _ := strings.Cut(platform, "/")
		name := strings.Join([]string{"mcpgen", r.version, system, processor}, "_")
		if system == "windows" {
			name += ".exe"
		}
		env := append([]string{"GOOS=" + system, "GOARCH=" + processor, "CGO_ENABLED=0"}, r.env...)
		if err := command(ctx, r.dir, env, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", filepath.Join(out, name),
			"./cmd/mcpgen"); err != nil {
			return err
		}
		files = append(files, name)
	}
	bill := strings.Join([]string{"mcpgen", r.version, "sbom.cdx.json"}, "_")
	if err := command(ctx, r.dir, nil, "go", "run", sbom, "app", "-json", "-main", "cmd/mcpgen", "-output",
		filepath.Join(out, bill), r.dir); err != nil {
		return err
	}
	return checksums(out, append(files, bill))
}

// checksums writes them as sha256sum does.
func checksums(dir string, files []string) error {
	var b strings.Builder
	for _, name := range files {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		sum := sha256.Sum256(text)
		fmt.Fprintf(&b, "%s  %s\n", hex.EncodeToString(sum[:]), name)
	}
	return os.WriteFile(filepath.Join(dir, "SHA256SUMS"), []byte(b.String()), 0o600)
}
