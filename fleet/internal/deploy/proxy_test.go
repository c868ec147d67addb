package deploy

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/fleet/internal/client"
	"github.com/mcpgen/mcpgen/fleet/internal/verdict"
	"github.com/mcpgen/mcpgen/internal/dev/freeport"
	"github.com/mcpgen/mcpgen/internal/dev/proc"
)

// proxy is a program in front of the replicas.
type proxy struct {
	name string
	// language is that of its blocks in the page.
	language string
	// write writes a configuration and returns arguments to check it, and to serve.
	write func(t *testing.T, config, dir string) (check, serve []string)
}

var proxies = []proxy{
	{"nginx", "nginx", func(t *testing.T, config, dir string) (check, serve []string) {
		t.Helper()
		var temp strings.Builder
		for _, kind := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
			fmt.Fprintf(&temp, "%s_temp_path %s;\n", kind, filepath.Join(dir, kind))
		}
		file := filepath.Join(dir, "nginx.conf")
		put(t, file, fmt.Sprintf("daemon off;\nmaster_process off;\npid %s;\nerror_log stderr;\nevents {}\n"+
			"http {\naccess_log off;\n%s\n%s}\n",
			filepath.Join(dir, "pid"), temp.String(), config))
		common := []string{"-p", dir, "-c", file, "-e", "stderr"}
		return append([]string{"-t"}, common...), common
	}},
	{"caddy", "caddyfile", func(t *testing.T, config, dir string) (check, serve []string) {
		t.Helper()
		file := filepath.Join(dir, "Caddyfile")
		put(t, file, "{\nadmin off\n}\n"+config)
		common := []string{"--config", file, "--adapter", "caddyfile"}
		return append([]string{"validate"}, common...), append([]string{"run"}, common...)
	}},
}

func put(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Behind each proxy of the page, clients of an old and of the newest revision hear of what was written through the
// proxy, also when a replica has been killed.
func TestProxies(t *testing.T) {
	r := start(t)
	for i, p := range proxies {
		t.Run(p.name, func(t *testing.T) {
			front := p.serve(t, r, t.TempDir(), "replicas")
			drive(t, "http://"+front+"/mcp", fmt.Sprint(p.name, i), func() {
				if i == len(proxies)-1 {
					r.process[0].Kill()
				}
			})
		})
	}
}

// serve starts the proxy with the block of the page that has a mark, and returns its address.
func (p *proxy) serve(t *testing.T, r *replicas, dir, mark string) string {
	t.Helper()
	bin, err := exec.LookPath(p.name)
	if err != nil {
		if bin, err = exec.LookPath("/usr/sbin/" + p.name); err != nil {
			t.Skipf("%s is not installed (make setup installs it where apt-get is)", p.name)
		}
	}
	front, err := freeport.Find(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	config := r.replace(blockAbout(t, p.language, mark), front[strings.LastIndex(front, ":")+1:])
	config = strings.ReplaceAll(config, "/var/log/"+p.name, dir)
	check, serve := p.write(t, config, dir)
	home := []string{"HOME=" + dir, "XDG_DATA_HOME=" + dir, "XDG_CONFIG_HOME=" + dir}
	cmd := exec.CommandContext(t.Context(), bin, check...)
	cmd.Env = append(os.Environ(), home...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, out)
	}
	process, err := proc.Start(filepath.Join(dir, "log"), home, bin, serve...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(process.Kill)
	if err := proc.AwaitPort(t.Context(), process, front, patience); err != nil {
		log, _ := os.ReadFile(filepath.Join(dir, "log"))
		t.Fatalf("%v\n%s", err, log)
	}
	return front
}

// drive subscribes and edits through a proxy.
func drive(t *testing.T, url, name string, then func()) {
	t.Helper()
	checker := verdict.New(time.Now)
	var watchers []<-chan string
	for _, revision := range []string{"2025-11-25", client.Modern} {
		c := client.NewConn(url, revision, checker.Client(revision))
		watchers = append(watchers, client.Watch(t.Context(), c, "crm:///accounts/emea/1"))
	}
	writer := client.NewConn(url, client.Modern, checker.Client("writer"))
	for n := range 4 {
		owner := fmt.Sprintf("%s-%d@example.com", name, n)
		write(t, writer, owner)
		for i, w := range watchers {
			await(t, w, owner, i)
		}
		if n == 1 {
			then()
		}
	}
	if list, _ := checker.Violations(); len(list) > 0 {
		t.Error(list)
	}
}

// write repeats an edit until it is done: a replica may have been killed.
func write(t *testing.T, c *client.Conn, owner string) {
	t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(100 * time.Millisecond) {
		_, err := c.Tool(t.Context(), "", "edit", map[string]any{"kind": "account", "number": 1, "value": owner})
		if err == nil || strings.Contains(err.Error(), "has this owner already") {
			return
		}
		if time.Now().After(end) {
			t.Fatal(err)
		}
	}
}

func await(t *testing.T, texts <-chan string, owner string, i int) {
	t.Helper()
	late := time.After(patience)
	for {
		select {
		case text := <-texts:
			if strings.Contains(text, owner) {
				return
			}
		case <-late:
			t.Fatalf("client %d does not know %s", i, owner)
		}
	}
}
