package labels_test

import (
	"maps"
	"regexp"
	"slices"
	"testing"

	"github.com/mcpgen/mcpgen/mcp/internal/labels"
)

var word = regexp.MustCompile(`^[a-z]+(_[a-z]+)*$`)

// named checks that the values of a label have texts, and different ones: who reads the numbers of a program divides
// them by these.
func named[L labels.Label](t *testing.T, n L) {
	t.Helper()
	texts := labels.Texts(n)
	if len(texts) != int(n) {
		t.Errorf("%T: %d texts of %d values", n, len(texts), uint8(n))
	}
	for i, text := range texts {
		if !word.MatchString(text) || slices.Index(texts, text) != i {
			t.Errorf("%T(%d) has the text %q", n, i, text)
		}
	}
}

func TestTexts(t *testing.T) {
	named(t, labels.NumRefusals)
	named(t, labels.NumQuestions)
	named(t, labels.NumPanics)
	named(t, labels.NumTaskEnds)
	named(t, labels.NumTransports)
	named(t, labels.NumCloses)
	named(t, labels.NumStreams)
	named(t, labels.NumStreamEnds)
	named(t, labels.NumPending)
	named(t, labels.NumDrops)
	named(t, labels.NumFrameDrops)
	named(t, labels.NumResyncs)
	named(t, labels.NumUnready)
}

// What has not happened is in no map, and no map is made for it.
func TestAdd(t *testing.T) {
	var m map[string]int64
	if labels.Add(&m, labels.StreamListen, 0); m != nil {
		t.Errorf("a map was made for nothing: %v", m)
	}
	labels.Add(&m, labels.StreamListen, 2)
	labels.Add(&m, labels.StreamListen, 3)
	labels.Add(&m, labels.StreamResponse, 1)
	labels.Add(&m, labels.StreamNotifications, 0)
	if want := map[string]int64{"listen": 5, "response": 1}; !maps.Equal(m, want) {
		t.Errorf("got %v, want %v", m, want)
	}
}
