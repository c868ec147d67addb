package pack

import (
	"archive/tar"
	"bytes"
	"crypto/x509"
	"debug/elf"
	"io"
	"slices"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/validate"
)

// Another library reads the image and finds each digest right. It holds a static program and certificates, and nothing
// else.
func TestImage(t *testing.T) {
	dir := t.TempDir()
	run(t, packed(t), "tar", "xf", "notes.tar", "-C", dir)
	index, err := layout.ImageIndexFromPath(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := validate.Index(index); err != nil {
		t.Error(err)
	}
	manifest, err := index.IndexManifest()
	if err != nil || len(manifest.Manifests) != 1 {
		t.Fatalf("%v, %v", manifest, err)
	}
	image, err := index.Image(manifest.Manifests[0].Digest)
	if err != nil {
		t.Fatal(err)
	}
	checkConfig(t, image)
	files := contents(t, mutate.Extract(image))
	program, err := elf.NewFile(bytes.NewReader(files["bin/notes"]))
	if err != nil {
		t.Fatal(err)
	}
	if slices.ContainsFunc(program.Progs, func(p *elf.Prog) bool { return p.Type == elf.PT_INTERP }) {
		t.Error("the program is not static")
	}
	if !x509.NewCertPool().AppendCertsFromPEM(files["etc/ssl/certs/ca-certificates.crt"]) || len(files) != 2 {
		t.Errorf("files: %d", len(files))
	}
}

func checkConfig(t *testing.T, image v1.Image) {
	t.Helper()
	config, err := image.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	c := config.Config
	if config.OS != "linux" || !slices.Equal(c.Entrypoint, []string{"/bin/notes"}) || c.User != "65532:65532" ||
		c.Labels["io.modelcontextprotocol.server.name"] != "io.github.ada/notes" {
		t.Errorf("%s, %+v", config.OS, c)
	}
}

// contents returns the files of an archive.
func contents(t *testing.T, from io.ReadCloser) map[string][]byte {
	t.Helper()
	defer from.Close()
	files := map[string][]byte{}
	for r := tar.NewReader(from); ; {
		h, err := r.Next()
		if err == io.EOF {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		if files[h.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
		if program := h.Name == "bin/notes"; program != (h.Mode == 0o755) {
			t.Errorf("%s has mode %o", h.Name, h.Mode)
		}
	}
}
