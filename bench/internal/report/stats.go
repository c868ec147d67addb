// Package report turns samples into a table and judges it.
package report

import "slices"

// Median returns the middle of list; 0 for none.
func Median(list []float64) float64 {
	if len(list) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(list))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// Ratio returns the median of theirs/ours over the rounds, each of which has measured both; 0 if
// one of them is missing.
func Ratio(ours, theirs []float64) float64 {
	n := min(len(ours), len(theirs))
	list := make([]float64, 0, n)
	for i := range n {
		if ours[i] > 0 {
			list = append(list, theirs[i]/ours[i])
		}
	}
	return Median(list)
}

// Spread returns the distance between the quartiles as a part of the median: how noisy the run was.
func Spread(list []float64) float64 {
	if len(list) < 4 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(list))
	n := len(sorted)
	return (sorted[n*3/4] - sorted[n/4]) / Median(list)
}
