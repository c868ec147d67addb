// Package report turns samples into a table and judges it.
package report

import (
	"math"
	"slices"
)

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
func Ratio(ours, theirs []float64) float64 { return Median(ratios(ours, theirs)) }

// ratios returns theirs/ours of each round that has measured both.
func ratios(ours, theirs []float64) []float64 {
	n := min(len(ours), len(theirs))
	list := make([]float64, 0, n)
	for i := range n {
		if ours[i] > 0 {
			list = append(list, theirs[i]/ours[i])
		}
	}
	return list
}

// RatioError returns the standard error of [Ratio] as a part of it: how far another run would be off. It is that of the
// median of a normal distribution, by the distance between the quartiles. It is 0 for fewer than 4 rounds.
func RatioError(ours, theirs []float64) float64 {
	list := ratios(ours, theirs)
	if len(list) < 4 {
		return 0
	}
	return 0.93 * Spread(list) / math.Sqrt(float64(len(list)))
}

// slack returns how far [Ratio] may be off by chance, as a part of it: two standard errors, and a fifth at most, so
// that a row cannot be too noisy to be judged.
func slack(ours, theirs []float64) float64 { return min(2*RatioError(ours, theirs), 0.2) }

// Spread returns the distance between the quartiles as a part of the median: how noisy the run was.
func Spread(list []float64) float64 {
	if len(list) < 4 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(list))
	n := len(sorted)
	return (sorted[n*3/4] - sorted[n/4]) / Median(list)
}
