package main

import (
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/fleet/internal/fleet"
	"github.com/mcpgen/mcpgen/fleet/internal/verdict"
)

// The replica of the Go SDK takes the flags with which replicas are started, and answers what is measured.
func TestSDKReplica(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles a program")
	}
	dir := t.TempDir()
	sdk, err := fleet.Build(t.Context(), dir, sdkReplica, fleet.Variant{Name: "sdkreplica"})
	if err != nil {
		t.Fatal(err)
	}
	f, err := fleet.Start(t.Context(), fleet.Config{Program: sdk, Engine: fleet.None, Replicas: 1, Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	cell, err := modern(t.Context(), &measured{Fleet: f, checker: verdict.New(time.Now)})
	if err != nil || strings.HasPrefix(cell, "0 ") {
		t.Error(cell, err)
	}
}
