package serve

import (
	"path/filepath"
	"testing"
	"time"
)

// A checkpoint is lost if a run begins before it, or if two runs have saved it.
func TestForgotten(t *testing.T) {
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), "state.sqlite"), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	do := func(errs ...error) {
		t.Helper()
		for _, err := range errs {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	ctx := t.Context()
	do(s.began(ctx, "good", "", 0), s.saved(ctx, "good", 1), s.saved(ctx, "good", 2), s.began(ctx, "good", "", 2),
		s.saved(ctx, "good", 3), s.began(ctx, "ahead", "", 4))
	do(s.began(ctx, "behind", "", 0), s.saved(ctx, "behind", 1), s.began(ctx, "behind", "", 0))
	do(s.began(ctx, "both", "", 0), s.began(ctx, "both", "", 0), s.saved(ctx, "both", 1), s.saved(ctx, "both", 1))
	got, err := s.Forgotten(ctx)
	if err != nil || len(got) != 2 || got["behind"] == "" || got["both"] == "" {
		t.Error(got, err)
	}
}
