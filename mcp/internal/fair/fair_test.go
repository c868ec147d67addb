package fair_test

import (
	"fmt"
	"testing"

	"github.com/mcpgen/mcpgen/mcp/internal/fair"
)

// greedy has clients take in turn as much as they get of a thing, of which some is reserved. It returns what is left.
func greedy(all, reserved int64, clients int) (left int64) {
	left = all
	for own := int64(1); ; own++ {
		for range clients {
			if left == 0 || fair.Scarce(own, left, reserved) {
				return left
			}
			left--
		}
	}
}

// Two clients that take all that they can leave more than a tenth for others, and one a fifth.
func TestFewLeaveSome(t *testing.T) {
	for _, all := range []int64{100, 512, 10_000, 200_000} {
		t.Run(fmt.Sprint(all), func(t *testing.T) {
			if left := greedy(all, 0, 1); left < all/5 {
				t.Errorf("one client leaves %d", left)
			}
			if left := greedy(all, 0, 2); left*10 <= all {
				t.Errorf("two clients leave %d", left)
			}
			if left := greedy(all, 0, 2); left*5 > all {
				t.Errorf("two clients get no more than %d", all-left)
			}
		})
	}
}

// However many clients have something, what is reserved is left for one that has nothing.
func TestReservedStays(t *testing.T) {
	const all = 1600
	for _, clients := range []int{1, 2, 50, 2000} {
		if left := greedy(all, all/fair.Newcomers, clients); left < all/fair.Newcomers {
			t.Errorf("%d clients leave %d", clients, left)
		}
	}
}
