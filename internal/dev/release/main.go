// Command release makes a release of all modules that users import, in a clone of HEAD: each requires the version
// instead of replacing it, and a commit has a tag for each. A proxy of its own then serves them, and the release is
// used from there as its users will: go install, mcpgen init, go get -tool, and each adapter. Below -o it leaves the
// programs of five platforms, their checksums, and a bill of materials.
//
// Without -tag nothing else remains. With it, the commit and the tags are in this repository too, and are to be pushed.
// Run it from the root of the repository: make release VERSION=v0.1.0.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/semver"

	"github.com/mcpgen/mcpgen/internal/scratch"
	"github.com/mcpgen/mcpgen/internal/version"
)

// published are the folders of the modules that users import; the root, which the others require, comes first.
var published = []string{".", "auth", "bus/nats", "bus/redis", "otel", "pack", "events/sqlite", "tasks/sqlite"}

func main() {
	tag := flag.Bool("tag", false, "leave the commit and the tags in this repository")
	out := flag.String("o", "dist", "the `folder` for programs, checksums and the bill of materials")
	flag.Parse()
	scratch.Main("release", func(temp string) error {
		ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
		defer cancel()
		return run(ctx, temp, flag.Arg(0), *out, *tag)
	})
}

func run(ctx context.Context, temp, v, out string, tag bool) error {
	if semver.Canonical(v) != v || v == "" || semver.Build(v) != "" {
		return fmt.Errorf("%q is not a version such as v0.1.0", v)
	}
	root, err := os.Getwd()
	if err != nil {
		return err
	}
	licence := licensed(root)
	if tag && licence != nil {
		return licence
	}
	r, err := newRelease(ctx, root, temp, v)
	if err != nil {
		return err
	}
	for _, step := range []func(context.Context) error{r.clone, r.rewrite, r.serve, r.commit, r.try,
		func(ctx context.Context) error { return r.build(ctx, out) }} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	if !tag {
		fmt.Printf("release: %s works from a proxy; nothing was tagged (make release VERSION=%s TAG=1)\n", v, v)
		if licence != nil {
			fmt.Println("release: and nothing could be:", licence)
		}
		return nil
	}
	return r.tag(ctx)
}

// licensed returns an error if the repository has no licence.
func licensed(root string) error {
	for _, name := range []string{"LICENSE", "LICENSE.md", "LICENSE.txt", "COPYING"} {
		if _, err := os.Stat(filepath.Join(root, name)); err == nil {
			return nil
		}
	}
	return errors.New("there is no LICENSE; nobody may use what has none, and which one it is, the owner says")
}

// release is a release that is made in a temporary folder.
type release struct {
	root, tmp, dir string // this repository, the temporary folder, the clone
	version        string
	env            []string // of commands that get modules from the proxy
}

func newRelease(ctx context.Context, root, tmp, v string) (*release, error) {
	settings, err := output(ctx, root, nil, "go", "env", "GOPROXY", "GOMODCACHE")
	if err != nil {
		return nil, err
	}
	proxies, cache, _ := strings.Cut(strings.TrimSpace(settings), "\n")
	r := &release{root: root, tmp: tmp, dir: filepath.Join(tmp, "mcpgen"), version: v}
	// What other modules this machine has is not fetched again. The cache is a new one, because the next run may have
	// other contents under the same version.
	local := "file://" + r.proxy() + ",file://" + filepath.Join(cache, "cache", "download")
	r.env = []string{"GOPROXY=" + local + "," + proxies,
		"GONOSUMDB=" + version.Module + ",*", "GOMODCACHE=" + filepath.Join(tmp, "cache"), "GOFLAGS=-modcacherw",
		"GOBIN=" + filepath.Join(tmp, "bin"), "GOWORK=off"}
	return r, nil
}

func (r *release) proxy() string { return filepath.Join(r.tmp, "proxy") }

// clone takes what is committed.
func (r *release) clone(ctx context.Context) error {
	changed, err := output(ctx, r.root, nil, "git", "status", "--porcelain")
	if err != nil {
		return err
	}
	if changed != "" {
		fmt.Println("release: what is not committed is left out")
	}
	return command(ctx, r.tmp, nil, "git", "clone", "-q", r.root, r.dir)
}

// rewrite puts the version into the sources and into what is generated, and takes replace lines away.
func (r *release) rewrite(ctx context.Context) error {
	file := filepath.Join(r.dir, "internal", "version", "version.go")
	source, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	text := strings.Replace(string(source), `"`+version.Version+`"`, `"`+r.version+`"`, 1)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return err
	}
	mcpgen := filepath.Join(r.tmp, "mcpgen.exe")
	for _, args := range [][]string{
		{"go", "build", "-o", mcpgen, "./cmd/mcpgen"}, {mcpgen, "protocol"}, {mcpgen, "./..."},
	} {
		if err := command(ctx, r.dir, nil, args...); err != nil {
			return err
		}
	}
	for _, folder := range published[1:] {
		if err := command(ctx, filepath.Join(r.dir, folder), nil, "go", "mod", "edit", "-dropreplace="+version.Module,
			"-require="+version.Module+"@"+r.version); err != nil {
			return err
		}
	}
	return nil
}

// commit commits all, and tags each module.
func (r *release) commit(ctx context.Context) error {
	if err := command(ctx, r.dir, nil, "git", "commit", "-qam", "release "+r.version); err != nil {
		return err
	}
	for _, tag := range r.tags() {
		if err := command(ctx, r.dir, nil, "git", "tag", tag); err != nil {
			return err
		}
	}
	return nil
}

func (r *release) tags() (tags []string) {
	for _, folder := range published {
		tags = append(tags, strings.TrimPrefix(folder+"/"+r.version, "./"))
	}
	return tags
}

// tag brings the commit and the tags into this repository.
func (r *release) tag(ctx context.Context) error {
	args := []string{"git", "fetch", "-q", r.dir}
	for _, tag := range r.tags() {
		args = append(args, "refs/tags/"+tag+":refs/tags/"+tag)
	}
	if err := command(ctx, r.root, nil, args...); err != nil {
		return err
	}
	fmt.Println("release: push with: git push origin", strings.Join(slices.Sorted(slices.Values(r.tags())), " "))
	return nil
}
