package pack

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"io"
	"maps"
	"slices"
	"strings"

	"golang.org/x/crypto/x509roots/fallback/bundle"

	"github.com/mcpgen/mcpgen/internal/output"
)

// Media types of the OCI image format.
const (
	mediaIndex    = "application/vnd.oci.image.index.v1+json"
	mediaManifest = "application/vnd.oci.image.manifest.v1+json"
	mediaConfig   = "application/vnd.oci.image.config.v1+json"
	mediaLayer    = "application/vnd.oci.image.layer.v1.tar+gzip"
)

// nobody is the user that the program runs as.
const nobody = "65532:65532"

// ownerLabel is how the registry of MCP recognizes whose image it is.
const ownerLabel = "io.modelcontextprotocol.server.name"

// blobs are the contents of a layout, by their digests.
type blobs map[string][]byte

// descriptor points to a blob.
type descriptor struct {
	MediaType   string            `json:"mediaType"`
	Digest      string            `json:"digest"`
	Size        int               `json:"size"`
	Platform    *platform         `json:"platform,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

type platform struct {
	Architecture string `json:"architecture"`
	OS           string `json:"os"`
}

// imageManifest is the manifest of an image, or an index of several: one of Config and Manifests is set.
type imageManifest struct {
	SchemaVersion int               `json:"schemaVersion"`
	MediaType     string            `json:"mediaType"`
	Config        *descriptor       `json:"config,omitempty"`
	Layers        []descriptor      `json:"layers,omitempty"`
	Manifests     []descriptor      `json:"manifests,omitempty"`
	Annotations   map[string]string `json:"annotations,omitempty"`
}

// imageConfig is what a container starts.
type imageConfig struct {
	platform

	Config struct {
		User       string            `json:"User"`
		Entrypoint []string          `json:"Entrypoint"`
		Cmd        []string          `json:"Cmd,omitempty"`
		WorkingDir string            `json:"WorkingDir"`
		Labels     map[string]string `json:"Labels"`
	} `json:"config"`
	RootFS struct {
		Type    string   `json:"type"`
		DiffIDs []string `json:"diff_ids"`
	} `json:"rootfs"`
}

// add keeps data and returns what points to it.
func (b blobs) add(mediaType string, data []byte) descriptor {
	sum := sha256.Sum256(data)
	name := hex.EncodeToString(sum[:])
	b[name] = data
	return descriptor{MediaType: mediaType, Digest: "sha256:" + name, Size: len(data)}
}

func (b blobs) addJSON(mediaType string, v any) (descriptor, error) {
	data, err := json.Marshal(v)
	return b.add(mediaType, data), err
}

// imageArchive makes an OCI image layout in a tar: for each program for Linux an image of it and of the certificates of
// public authorities, with nothing below them.
func (o *options) imageArchive(f *facts, programs []program, _ []output.File) ([]byte, error) {
	b := blobs{}
	index := imageManifest{SchemaVersion: 2, MediaType: mediaIndex}
	for _, p := range programs {
		if p.system != "linux" {
			continue
		}
		d, err := o.imageOf(b, f, p)
		if err != nil {
			return nil, err
		}
		index.Manifests = append(index.Manifests, d)
	}
	if len(index.Manifests) > 1 {
		d, err := b.addJSON(mediaIndex, index)
		if err != nil {
			return nil, err
		}
		index.Manifests = []descriptor{d}
	}
	index.Manifests[0].Annotations = map[string]string{"org.opencontainers.image.ref.name": f.version}
	top, err := json.Marshal(index)
	if err != nil {
		return nil, err
	}
	return b.archive(top)
}

// imageOf adds the image of a program.
func (o *options) imageOf(b blobs, f *facts, p program) (descriptor, error) {
	m := imageManifest{SchemaVersion: 2, MediaType: mediaManifest, Annotations: o.labels(f)}
	c := imageConfig{platform: platform{p.processor, p.system}}
	c.Config.User, c.Config.WorkingDir, c.Config.Labels = nobody, "/", m.Annotations
	c.Config.Entrypoint, c.Config.Cmd = []string{"/bin/" + p.file}, o.args
	c.RootFS.Type = "layers"
	for _, l := range [][]entry{
		{{"etc/ssl/certs/ca-certificates.crt", certificates(), 0o644}}, {{"bin/" + p.file, p.data, 0o755}},
	} {
		plain, err := tarred(l)
		if err != nil {
			return descriptor{}, err
		}
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		if _, err := z.Write(plain); err != nil {
			return descriptor{}, err
		}
		if err := z.Close(); err != nil {
			return descriptor{}, err
		}
		m.Layers = append(m.Layers, b.add(mediaLayer, packed.Bytes()))
		c.RootFS.DiffIDs = append(c.RootFS.DiffIDs, blobs{}.add("", plain).Digest)
	}
	config, err := b.addJSON(mediaConfig, c)
	if err != nil {
		return descriptor{}, err
	}
	m.Config = &config
	d, err := b.addJSON(mediaManifest, m)
	d.Platform = &c.platform
	return d, err
}

// labels are what the image says about itself.
func (o *options) labels(f *facts) map[string]string {
	labels := map[string]string{"org.opencontainers.image.title": f.name, "org.opencontainers.image.version": f.version,
		"org.opencontainers.image.description": f.description}
	if o.name != "" {
		labels[ownerLabel] = o.name
	}
	return labels
}

// certificates are those of the authorities that Mozilla trusts without conditions, in the form and at the place where
// programs on Linux look for them.
func certificates() []byte {
	var b bytes.Buffer
	for root := range bundle.Roots() {
		if root.Constraint == nil { // a file of certificates cannot tell a condition
			b.Write(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}))
		}
	}
	return b.Bytes()
}

// archive writes the layout.
func (b blobs) archive(index []byte) ([]byte, error) {
	files := []entry{{"oci-layout", []byte(`{"imageLayoutVersion":"1.0.0"}`), 0o644}, {"index.json", index, 0o644}}
	for _, name := range sorted(b) {
		files = append(files, entry{"blobs/sha256/" + name, b[name], 0o644})
	}
	return tarred(files)
}

// entry is a file of an archive.
type entry struct {
	name string
	data []byte
	mode int64
}

// tarred makes an archive of files and the folders that they are in. The same contents give the same bytes.
func tarred(files []entry) ([]byte, error) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	made := map[string]bool{}
	for _, f := range files {
		for i, c := range f.name {
			if dir := f.name[:i]; c == '/' && !made[dir] {
				made[dir] = true
				if err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: dir + "/", Mode: 0o755}); err != nil {
					return nil, err
				}
			}
		}
		h := &tar.Header{Typeflag: tar.TypeReg, Name: f.name, Mode: f.mode, Size: int64(len(f.data))}
		if err := w.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := io.Copy(w, bytes.NewReader(f.data)); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return b.Bytes(), err
}

func sorted[V any](m map[string]V) []string { return slices.SortedFunc(maps.Keys(m), strings.Compare) }
