// Package certs reads the certificate of a server, and reads it again when its files have changed.
package certs

import (
	"crypto/tls"
	"log/slog"
	"os"
	"sync"
	"time"
)

// checkEvery is how often handshakes look at the files.
const checkEvery = time.Second

// Pair is the certificate of a server and its key, in two files of PEM. It is safe for concurrent use.
type Pair struct {
	cert, key string
	log       *slog.Logger

	mu      sync.Mutex
	loaded  *tls.Certificate
	stamp   stamp // of the files when they were read
	checked time.Time
}

// stamp tells one state of the two files from another.
type stamp [2]os.FileInfo

// is reports whether the files are the same. It does not rely on their times and sizes alone, because a tool that keeps
// times may replace a file by another one that has both.
func (s stamp) is(o stamp) bool {
	for i := range s {
		if !os.SameFile(s[i], o[i]) || !s[i].ModTime().Equal(o[i].ModTime()) || s[i].Size() != o[i].Size() {
			return false
		}
	}
	return true
}

// Open reads a pair from the files cert and key.
func Open(cert, key string, log *slog.Logger) (*Pair, error) {
	p := &Pair{cert: cert, key: key, log: log, checked: time.Now()}
	var err error
	if p.stamp, err = p.look(); err != nil {
		return nil, err
	}
	return p, p.read()
}

// Config returns the configuration of a server with this certificate, for HTTP/2 and HTTP/1.1.
func (p *Pair) Config() *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"},
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return p.current(), nil },
	}
}

// current returns the certificate for a handshake. If the files have changed but cannot be read, as in the middle of a
// change, it returns the old one and tries again a second later.
func (p *Pair) current() *tls.Certificate {
	c, changed, err := p.check()
	switch {
	case err != nil:
		p.log.Warn("mcphttp: the certificate has changed and cannot be read; the one before serves on", "err", err)
	case changed:
		p.log.Info("mcphttp: the certificate was read again", "file", p.cert, "until", c.Leaf.NotAfter)
	}
	return c
}

// check reads the files again if they have changed, and returns the certificate. It looks at them once in checkEvery.
// If that fails, it returns the old certificate and the error.
func (p *Pair) check() (c *tls.Certificate, changed bool, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if now.Sub(p.checked) < checkEvery {
		return p.loaded, false, nil
	}
	p.checked = now
	stamp, err := p.look()
	if err != nil || stamp.is(p.stamp) {
		return p.loaded, false, err
	}
	if err := p.read(); err != nil {
		return p.loaded, false, err
	}
	p.stamp = stamp
	return p.loaded, true, nil
}

func (p *Pair) look() (s stamp, err error) {
	for i, file := range []string{p.cert, p.key} {
		if s[i], err = os.Stat(file); err != nil {
			return s, err
		}
	}
	return s, nil
}

func (p *Pair) read() error {
	c, err := tls.LoadX509KeyPair(p.cert, p.key)
	if err != nil {
		return err
	}
	p.loaded = &c
	return nil
}
