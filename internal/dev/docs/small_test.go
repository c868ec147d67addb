package docs

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"math/big"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"
)

// small is the smallest deployment of the page: a process with a certificate and keys, and no proxy.
type small struct {
	t         *testing.T
	args      []string
	bin, dir  string
	url       string
	client    *http.Client
	session   string
	roots     *x509.CertPool
	process   *exec.Cmd
	lastProto string
}

// The smallest deployment goes on after its process was killed: a client of 2025-11-25 keeps its session and its
// subscription, over HTTP/2. Then it serves a new certificate without a restart.
func TestSmallestDeployment(t *testing.T) {
	if testing.Short() || runtime.GOOS == "windows" {
		t.Skip("builds and starts servers")
	}
	line := regexp.MustCompile(`(?m)^\$ notes (.*)$`).FindStringSubmatch(page(t, deployPage))
	if line == nil {
		t.Fatalf("%s has no smallest deployment", deployPage)
	}
	s := &small{t: t, dir: t.TempDir(), roots: x509.NewCertPool()}
	s.bin = program(t, "./golden/notes/cmd/notes")
	fill := strings.NewReplacer("/srv/notes", s.dir, "/var/lib/notes", s.dir, "/etc/notes", s.dir, ":443", "127.0.0.1:0")
	s.args = strings.Fields(fill.Replace(line[1]))
	s.certify(1)
	s.write("# Today\n")
	s.client = &http.Client{Transport: &http.Transport{
		ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{RootCAs: s.roots, ServerName: publicly},
	}}
	s.start()
	s.call(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},` +
		`"clientInfo":{"name":"docs","version":"1"}}}`)
	s.call(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	s.call(`{"jsonrpc":"2.0","id":2,"method":"resources/subscribe","params":{"uri":"notes:///today"}}`)
	if s.lastProto != "HTTP/2.0" {
		t.Errorf("the protocol is %s", s.lastProto)
	}
	s.kill()
	s.start()
	events := s.stream()
	if got := s.call(`{"jsonrpc":"2.0","id":3,"method":"resources/read","params":{"uri":"notes:///today"}}`); !strings.
		Contains(got, "# Today") {
		t.Errorf("after the restart: %s", got)
	}
	s.write("# Later\n")
	for events.Scan() && !strings.Contains(events.Text(), "notifications/resources/updated") {
	}
	if events.Err() != nil {
		t.Errorf("no update after the restart: %v", events.Err())
	}
	s.renews()
}

// start starts the process and waits until it serves.
func (s *small) start() {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), 2*patience)
	s.t.Cleanup(cancel)
	s.process = exec.CommandContext(ctx, s.bin, s.args...)
	stderr, err := s.process.StderrPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := s.process.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(s.kill)
	address := regexp.MustCompile(`msg="mcphttp: serving" address=(\S+)`)
	for lines := bufio.NewScanner(stderr); lines.Scan(); {
		if m := address.FindStringSubmatch(lines.Text()); m != nil {
			s.url = "https://" + m[1] + "/mcp"
			go func() { _, _ = io.Copy(io.Discard, stderr) }()
			return
		}
	}
	s.t.Fatal("the server does not serve")
}

func (s *small) kill() {
	_ = s.process.Process.Kill()
	_ = s.process.Wait()
}

// call sends a message in the session and returns the body of the response.
func (s *small) call(message string) string {
	s.t.Helper()
	response := s.send(http.MethodPost, message)
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode >= 300 {
		s.t.Fatalf("%s: %s: %s, %v", message, response.Status, text, err)
	}
	if id := response.Header.Get("Mcp-Session-Id"); id != "" {
		s.session = id
	}
	s.lastProto = response.Proto
	return string(text)
}

// stream opens the stream of the session.
func (s *small) stream() *bufio.Scanner {
	s.t.Helper()
	response := s.send(http.MethodGet, "")
	s.t.Cleanup(func() { _ = response.Body.Close() })
	if response.StatusCode != http.StatusOK {
		s.t.Fatalf("the stream of the session: %s", response.Status)
	}
	return bufio.NewScanner(response.Body)
}

func (s *small) send(method, message string) *http.Response {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), patience)
	s.t.Cleanup(cancel)
	r, err := http.NewRequestWithContext(ctx, method, s.url, strings.NewReader(message))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Host = publicly
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if method == http.MethodGet {
		r.Header.Set("Accept", "text/event-stream")
	}
	if s.session != "" {
		r.Header.Set("Mcp-Session-Id", s.session)
		r.Header.Set("Mcp-Protocol-Version", "2025-11-25")
	}
	response, err := s.client.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	return response
}

// renews expects that a new certificate is served, and that the one before serves while the new one is half written.
func (s *small) renews() {
	s.t.Helper()
	if got := s.serial(); got != 1 {
		s.t.Fatalf("the certificate is %d", got)
	}
	cert := filepath.Join(s.dir, "cert.pem")
	if err := os.WriteFile(cert, []byte("-----BEGIN"), 0o600); err != nil {
		s.t.Fatal(err)
	}
	time.Sleep(1100 * time.Millisecond) // the server looks once a second
	if got := s.serial(); got != 1 {
		s.t.Fatalf("the certificate is %d while the file is half written", got)
	}
	s.certify(2)
	for end := time.Now().Add(patience); s.serial() != 2; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			s.t.Fatal("the new certificate is not served")
		}
	}
}

// serial is the serial number of the certificate that a new connection gets.
func (s *small) serial() int64 {
	s.t.Helper()
	d := tls.Dialer{Config: &tls.Config{RootCAs: s.roots, ServerName: publicly}}
	c, err := d.DialContext(s.t.Context(), "tcp", strings.TrimSuffix(strings.TrimPrefix(s.url, "https://"), "/mcp"))
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	return c.(*tls.Conn).ConnectionState().PeerCertificates[0].SerialNumber.Int64()
}

// certify writes a new key and its certificate, which the client trusts.
func (s *small) certify(serial int64) {
	s.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		s.t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(serial), DNSNames: []string{publicly}, IsCA: true,
		BasicConstraintsValid: true, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour)}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		s.t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		s.t.Fatal(err)
	}
	for name, b := range map[string]*pem.Block{
		"cert.pem": {Type: "CERTIFICATE", Bytes: cert}, "key.pem": {Type: "PRIVATE KEY", Bytes: private},
	} {
		if err := os.WriteFile(filepath.Join(s.dir, name), pem.EncodeToMemory(b), 0o600); err != nil {
			s.t.Fatal(err)
		}
		if b.Type == "CERTIFICATE" && !s.roots.AppendCertsFromPEM(pem.EncodeToMemory(b)) {
			s.t.Fatal("no certificate")
		}
	}
}

// write replaces the note in one step.
func (s *small) write(text string) {
	s.t.Helper()
	file := filepath.Join(s.dir, "today")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
	if err := os.Rename(file, file+".md"); err != nil {
		s.t.Fatal(err)
	}
}
