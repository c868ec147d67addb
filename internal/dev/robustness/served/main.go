package served

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/internal/dev/robustness/attack"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
)

// Main serves as the command line says, and ends the process. Besides the flags of [mcphttp.AddFlags] there are -dir,
// the directory of the files, -audit, which writes audit records to stderr, and -set NAME=VALUE, which sets an option
// of [mcphttp.Options] or [mcp.Options] and may be repeated.
func Main() {
	if err := run(os.Args[1:]); err != nil && !errors.Is(err, http.ErrServerClosed) {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func run(args []string) error {
	fs := flag.NewFlagSet("served", flag.ContinueOnError)
	cmd := mcphttp.AddFlags(fs)
	var opts mcp.Options
	dir := fs.String("dir", ".", "directory of the files")
	secret := fs.Bool("secret", false, "write a hidden file into the directory, and links to it")
	audit := fs.Bool("audit", false, "write audit records to stderr")
	name := fs.String("serve", "", "the package below golden whose server is served; empty for that of this package")
	pace := fs.Duration("pace", 10*time.Millisecond, "how long golden/jobs works on a document")
	subjects := fs.Bool("subjects", false, "callers have the subject in their Authorization")
	addr := fs.String("tls", "", "serve HTTP/2 at this address, by an http.Server of this program")
	fs.Func("set", "an option and its value", func(s string) error { return set(s, &cmd.Options, &opts, &opts.Tasks) })
	if err := fs.Parse(args); err != nil {
		return err
	}
	if *audit {
		opts.Audit = slog.New(slog.NewJSONHandler(os.Stderr, nil))
	}
	if *secret {
		if err := hide(*dir); err != nil {
			return err
		}
	}
	root, err := os.OpenRoot(*dir)
	if err != nil {
		return err
	}
	if *subjects {
		cmd.Options.Authenticate = subject
	}
	srv, err := servers[*name](root, *pace, &opts)
	if err != nil {
		return err
	}
	numbers, err := mcphttp.Metrics(srv, &cmd.Options)
	if err != nil {
		return err
	}
	if err := attack.Control(numbers); err != nil {
		return err
	}
	if *addr != "" {
		file := func(name string) string { return fs.Lookup(name).Value.String() }
		return serveTLS(*addr, file("tls-cert"), file("tls-key"), srv, &cmd.Options)
	}
	return cmd.Run(context.Background(), srv)
}

// subject lets everybody in, as whom the Authorization says. To find out who "hang" is takes as long as it may.
func subject(r *http.Request) (mcp.Caller, error) {
	name, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if name == "hang" {
		<-r.Context().Done()
	}
	return mcp.Caller{Subject: name}, nil
}

// hide writes files whose names begin with a dot, and links to them.
func hide(dir string) error {
	var errs []error
	for _, d := range []string{"folder", ".dots"} {
		errs = append(errs, os.Mkdir(filepath.Join(dir, d), 0o700))
	}
	for _, f := range []string{".secret", ".dots/secret"} {
		errs = append(errs, os.WriteFile(filepath.Join(dir, f), []byte(attack.Secret), 0o600))
	}
	for name, to := range map[string]string{"link": ".secret", "folder/link": "../.secret", "folder/up": "..",
		"dots": ".dots"} {
		errs = append(errs, os.Symlink(to, filepath.Join(dir, name)))
	}
	return errors.Join(errs...)
}

// set sets a field of the first of some structs that has it.
func set(text string, structs ...any) error {
	name, value, _ := strings.Cut(text, "=")
	for _, s := range structs {
		f := reflect.ValueOf(s).Elem().FieldByName(name)
		if !f.IsValid() {
			continue
		}
		switch f.Interface().(type) {
		case time.Duration:
			d, err := time.ParseDuration(value)
			f.SetInt(int64(d))
			return err
		case int, int64:
			n, err := strconv.ParseInt(value, 10, 64)
			f.SetInt(n)
			return err
		case bool:
			b, err := strconv.ParseBool(value)
			f.SetBool(b)
			return err
		}
		return fmt.Errorf("-set %s: no number, duration or bool", text)
	}
	return fmt.Errorf("-set %s: there is no such option", text)
}
