package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/internal/output"
	"github.com/mcpgen/mcpgen/schema"
)

// importTask is the command mcpgen schema import.
type importTask struct {
	revision  string
	extension string
	out       string
	sources   []string
}

func importCommand(s *streams) *cobra.Command {
	var i importTask
	cmd := &cobra.Command{
		Use: "import FILE|URL...", Short: "reduce official schemas to facts, without prose",
		RunE: func(_ *cobra.Command, args []string) error {
			i.sources = args
			if err := i.check(); err != nil {
				return usageError{err}
			}
			return i.run(s)
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&i.revision, "revision", "",
		"the `date` of the revision, YYYY-MM-DD (default: the name of the file or its folder)")
	fs.StringVar(&i.extension, "extension", "", "the `identifier` of the extension whose schema it is (default: the core)")
	fs.StringVarP(&i.out, "output", "o", "",
		"the `file` to write, - for standard output (default: schema/REV.json, schema/ext/NAME/REV.json)")
	return exits(cmd, "0; 1 if a schema has mistakes; 2 for wrong usage and trouble with files.")
}

// check finds flags that contradict the files.
func (i *importTask) check() error {
	switch {
	case len(i.sources) == 0:
		return errors.New("schema import needs a file or URL")
	case len(i.sources) > 1 && i.revision != "":
		return fmt.Errorf("-revision names one revision, but there are %d files", len(i.sources))
	case len(i.sources) > 1 && i.out != "" && i.out != "-":
		return fmt.Errorf("-o names one file, but there are %d to import", len(i.sources))
	case i.revision != "" && !schema.IsRevision(i.revision):
		return fmt.Errorf("-revision %q is not a date of the form YYYY-MM-DD", i.revision)
	case i.extension == "":
		return nil
	}
	if err := schema.CheckIdentifier(i.extension); err != nil {
		return fmt.Errorf("-extension %w", err)
	}
	return nil
}

func (i *importTask) run(s *streams) error {
	var files []output.File
	for _, src := range i.sources {
		rev := i.revision
		if rev == "" {
			var err error
			if rev, err = schema.RevisionOf(src); err != nil {
				return fmt.Errorf("%w; write -revision YYYY-MM-DD", err)
			}
		}
		data, err := readSource(src)
		if err != nil {
			return err
		}
		facts, err := schema.ImportExtension(src, i.extension, data)
		if err != nil {
			return err
		}
		if i.out == "-" {
			if _, err := s.stdout.Write(facts); err != nil {
				return err
			}
			continue
		}
		path := i.out
		if path == "" {
			path = i.path(rev)
		}
		files = append(files, output.File{Path: path, Data: facts, Plain: true})
	}
	_, err := output.Write(output.Disk{}, files, "")
	if err == nil && i.out == "" && i.extension == "" {
		sayNext(s, files)
	}
	return err
}

// path is where the facts of a revision belong.
func (i *importTask) path(rev string) string {
	if i.extension != "" {
		return filepath.Join("schema", "ext", schema.ShortOf(i.extension), rev+".json")
	}
	return filepath.Join("schema", rev+".json")
}

// sayNext names what to run after facts have come beside those of an older revision.
func sayNext(s *streams, files []output.File) {
	for _, f := range files {
		rev := strings.TrimSuffix(filepath.Base(f.Path), ".json")
		older := ""
		names, _ := filepath.Glob(filepath.Join(filepath.Dir(f.Path), "????-??-??.json")) // the pattern is right
		for _, name := range names {
			if date := strings.TrimSuffix(filepath.Base(name), ".json"); date < rev {
				older = date
			}
		}
		if older != "" {
			fmt.Fprintf(s.stderr,
				"%s is written. See what the revision changes: mcpgen schema diff %s %s; then: mcpgen protocol -v\n",
				f.Path, older, rev)
		}
	}
}

// maxSource bounds a download; official schemas have about 200 kB.
const maxSource = 32 << 20

// readSource reads a file or fetches a URL.
func readSource(src string) ([]byte, error) {
	if !strings.HasPrefix(src, "https://") && !strings.HasPrefix(src, "http://") {
		return os.ReadFile(src)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, src, nil)
	if err != nil {
		return nil, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %s", src, resp.Status)
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxSource+1))
	if err == nil && len(data) > maxSource {
		err = fmt.Errorf("%s: larger than %d MiB", src, maxSource>>20)
	}
	return data, err
}
