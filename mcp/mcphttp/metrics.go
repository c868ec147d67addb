package mcphttp

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/internal/safelog"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/web"
	"github.com/mcpgen/mcpgen/mcp/stats"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// MetricsPath is the path of the numbers of a [Command]; see [Options].MetricsAddr.
const MetricsPath = "/metrics"

// Metrics returns a handler that responds with the numbers of srv ([mcp.Server.Stats]) in the text format of
// Prometheus, version 0.0.4. docs/metrics.md lists them. The numbers say how busy the server is and whom it refuses, so
// strangers should not reach the handler. To prevent DNS rebinding, the handler responds with 403 unless the Host
// header is an IP address, localhost, or one of [Options].AllowedHosts; no web page of another origin can read the
// response. Nil opts means the defaults; an option out of range is an error.
func Metrics(srv Server, opts *Options) (http.Handler, error) {
	if err := opts.check(); err != nil {
		return nil, err
	}
	base := srv.Base()
	if base == nil {
		return nil, errNilServer
	}
	all := opts.withDefaults()
	return &metrics{srv: base, guard: guard{hosts: all.AllowedHosts}, timeout: all.AnswerTimeout}, nil
}

// metrics is the handler of [Metrics].
type metrics struct {
	srv     *mcp.Server
	guard   guard
	timeout time.Duration // for each piece of a response
}

// ServeHTTP implements http.Handler.
func (m *metrics) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	web.EndSoon(w, m.timeout)
	if !m.guard.allowsHost(r) && !isAddress(r.Host) {
		web.HangUp(w, r)
		web.Refuse(w, web.NewRefusal(http.StatusForbidden, "host "+safelog.Text(r.Host, maxEcho)+
			" is not allowed: set AllowedHosts in mcphttp.Options, or start the server with -allow-host"))
		return
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		web.HangUp(w, r)
		w.Header().Set("Allow", "GET, HEAD")
		web.Refuse(w, web.NewRefusal(http.StatusMethodNotAllowed, "the method must be GET"))
		return
	}
	s := m.srv.Stats()
	head := w.Header()
	head["Content-Type"] = []string{"text/plain; version=0.0.4; charset=utf-8"}
	head["Cache-Control"] = web.NoStore
	head["X-Content-Type-Options"] = web.NoSniff
	text := appendMetrics(nil, &s)
	_, _ = web.Progressing(w, m.timeout, len(text)).Write(text)
}

// isAddress reports whether a host, which may have a port, is an IP address. DNS rebinding needs a name, so a request
// to an IP address is safe from it.
func isAddress(host string) bool {
	name := host
	if n, port, err := net.SplitHostPort(host); err == nil && isPort(port) {
		name = n
	} else if strings.HasPrefix(host, "[") && strings.HasSuffix(host, "]") {
		name = host[1 : len(host)-1]
	}
	_, err := netip.ParseAddr(name)
	return err == nil
}

// appendMetrics appends the numbers of s in the text format of Prometheus.
func appendMetrics(b []byte, s *stats.Snapshot) []byte {
	for _, m := range stats.Metrics() {
		b = append(append(append(b, "# HELP "...), m.Name...), ' ')
		b = append(append(b, escapeHelp.Replace(m.Meaning)...), '\n')
		b = append(append(append(b, "# TYPE "...), m.Name...), ' ')
		b = append(append(b, m.Kind.String()...), '\n')
		m.Each(s, func(n float64, values ...string) {
			b = append(b, m.Name...)
			for i, l := range m.Labels {
				b = append(b, "{,"[min(i, 1)])
				b = append(append(b, l.Name...), `="`...)
				b = append(append(b, escapeLabel.Replace(values[i])...), '"')
			}
			if len(m.Labels) > 0 {
				b = append(b, '}')
			}
			b = append(strconv.AppendFloat(append(b, ' '), n, 'f', -1, 64), '\n')
		})
	}
	return b
}

var (
	escapeHelp  = strings.NewReplacer(`\`, `\\`, "\n", `\n`)
	escapeLabel = strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)
)

// Expvar returns the numbers of srv ([mcp.Server.Stats]) as an expvar.Var: its String method returns a JSON object with
// a member for each metric. The member of a metric without labels is a number. The member of a metric with labels is an
// object of numbers, whose names are the values of the labels with a space between them. The program must publish it:
//
//	expvar.Publish("mcp", mcphttp.Expvar(srv))
//
// Importing expvar adds a handler to http.DefaultServeMux; strangers should not reach it.
//
// Without a server it panics.
func Expvar(srv Server) fmt.Stringer {
	if srv == nil || srv.Base() == nil {
		panic(errNilServer)
	}
	return variable{srv.Base()}
}

// variable is what [Expvar] returns.
type variable struct{ srv *mcp.Server }

// String implements fmt.Stringer and expvar.Var.
func (v variable) String() string {
	s := v.srv.Stats()
	b := []byte{'{'}
	for i, m := range stats.Metrics() {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(wire.AppendString(b, m.Name), ':')
		if len(m.Labels) == 0 {
			m.Each(&s, func(n float64, _ ...string) { b = strconv.AppendFloat(b, n, 'f', -1, 64) })
			continue
		}
		b = append(b, '{')
		first := true
		m.Each(&s, func(n float64, values ...string) {
			if !first {
				b = append(b, ',')
			}
			first = false
			b = append(wire.AppendString(b, strings.Join(values, " ")), ':')
			b = strconv.AppendFloat(b, n, 'f', -1, 64)
		})
		b = append(b, '}')
	}
	return string(append(b, '}'))
}
