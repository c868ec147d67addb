package certs

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"log/slog"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// files are a certificate and its key in a folder.
type files struct {
	t         *testing.T
	cert, key string
}

// newPEM returns a new pair in PEM.
func newPEM(t *testing.T, serial int64) (cert, key []byte) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(serial), NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})
}

// write replaces a file in one step. The new one has the time of all others, as where tools set it.
func (f *files) write(file string, text []byte) {
	f.t.Helper()
	if err := os.WriteFile(file+".new", text, 0o600); err != nil {
		f.t.Fatal(err)
	}
	always := time.Unix(1, 0)
	if err := errors.Join(os.Chtimes(file+".new", always, always), os.Rename(file+".new", file)); err != nil {
		f.t.Fatal(err)
	}
}

// serial is the serial number of the certificate that a handshake gets.
func serial(t *testing.T, p *Pair) int64 {
	t.Helper()
	c, err := p.Config().GetCertificate(nil)
	if err != nil || c == nil {
		t.Fatalf("no certificate: %v", err)
	}
	return c.Leaf.SerialNumber.Int64()
}

// A new pair is served a second after its files are there, and the one before in the meantime: while one of them is
// new, half written, or gone. The log says what is wrong, once in a second at most.
func TestRenewal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		f := &files{t, filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")}
		cert1, key1 := newPEM(t, 1)
		cert2, key2 := newPEM(t, 2)
		cert3, key3 := newPEM(t, 3)
		f.write(f.cert, cert1)
		f.write(f.key, key1)
		var log bytes.Buffer
		p, err := Open(f.cert, f.key, slog.New(slog.NewTextHandler(&log, nil)))
		if err != nil {
			t.Fatal(err)
		}
		if c := p.Config(); !slices.Equal(c.NextProtos, []string{"h2", "http/1.1"}) || c.MinVersion < 0x303 {
			t.Errorf("protocols %q from TLS %#x on", c.NextProtos, c.MinVersion)
		}
		for i, step := range []struct {
			change func()
			wait   time.Duration
			serial int64
			warns  int // in all
		}{
			{func() {}, time.Second, 1, 0},
			{func() { f.write(f.cert, cert2) }, 0, 1, 0},
			{func() {}, time.Second, 1, 1},
			{func() {}, 0, 1, 1},
			{func() { f.write(f.key, key2[:len(key2)/2]) }, time.Second, 1, 2},
			{func() { f.write(f.key, key2) }, time.Second, 2, 2},
			{func() { _ = os.Rename(f.key, f.key+".old") }, time.Second, 2, 3}, // or the next file may be like this one
			{func() { f.write(f.key, key3) }, time.Second, 2, 4},
			{func() { f.write(f.cert, cert3) }, 999 * time.Millisecond, 2, 4},
			{func() {}, time.Millisecond, 3, 4},
			{func() {}, time.Minute, 3, 4},
		} {
			step.change()
			time.Sleep(step.wait)
			if got := serial(t, p); got != step.serial {
				t.Errorf("step %d: certificate %d, want %d", i, got, step.serial)
			}
			if n := strings.Count(log.String(), "level=WARN"); n != step.warns {
				t.Errorf("step %d: %d warnings, want %d: %s", i, n, step.warns, &log)
			}
		}
		if strings.Contains(log.String(), "PRIVATE") {
			t.Errorf("the log has a key: %s", &log)
		}
	})
}

// At the start a pair that cannot be read is an error.
func TestOpen(t *testing.T) {
	dir := t.TempDir()
	f := &files{t, filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")}
	cert, key := newPEM(t, 1)
	_, other := newPEM(t, 2)
	for name, x := range map[string]struct {
		cert, key []byte
		ok        bool
	}{
		"pair": {cert, key, true}, "key of another": {cert, other, false}, "half a key": {cert, key[:60], false},
		"empty": {nil, nil, false}, "both in one file": {slices.Concat(cert, key), slices.Concat(cert, key), true},
	} {
		f.write(f.cert, x.cert)
		f.write(f.key, x.key)
		if _, err := Open(f.cert, f.key, slog.New(slog.DiscardHandler)); (err == nil) != x.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Open(f.cert, filepath.Join(dir, "none"), slog.New(slog.DiscardHandler)); err == nil {
		t.Error("no error without a key")
	}
}
