package main

import (
	"cmp"
	"slices"
)

// What it costs that something runs upward: a call between files that do not call each other in a cycle more than any
// number of arrows, an arrow more than any number of references.
const (
	callCost  = 1 << 40
	arrowCost = 1 << 20
)

// order returns the files from top to bottom: a file stands above those that it calls, unless these call it too,
// directly or by way of others. Of the orders that this allows it returns one in which few arrows run upward.
func order(calls, refs [][]int) []int {
	n := len(calls)
	reach := make([][]bool, n)
	for i := range reach {
		reach[i] = reachable(calls, i)
	}
	cost := square(n) // of i standing below j
	for i := range n {
		for j := range n {
			cost[i][j] = refs[i][j] + arrowCost*bit(refs[i][j] > 0)
			cost[i][j] += callCost * bit(reach[i][j] && !reach[j][i])
		}
	}
	// Whoever calls a file reaches more files than it does.
	up := byReach(reach)
	down := slices.Clone(up)
	slices.Reverse(down)
	slices.SortStableFunc(down, func(a, b int) int { return cmp.Compare(size(reach[b]), size(reach[a])) })
	first, second := sift(cost, up), sift(cost, down)
	if total(cost, second) < total(cost, first) {
		return second
	}
	return first
}

// reachable reports for each file whether a path of edges leads to it. A file reaches itself.
func reachable(edges [][]int, from int) []bool {
	seen := make([]bool, len(edges))
	seen[from] = true
	for todo := []int{from}; len(todo) > 0; {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for j, w := range edges[i] {
			if w > 0 && !seen[j] {
				seen[j] = true
				todo = append(todo, j)
			}
		}
	}
	return seen
}

// byReach returns the files, those that reach most files first.
func byReach(reach [][]bool) []int {
	files := make([]int, len(reach))
	for i := range files {
		files[i] = i
	}
	slices.SortStableFunc(files, func(a, b int) int { return cmp.Compare(size(reach[b]), size(reach[a])) })
	return files
}

func size(set []bool) int {
	n := 0
	for _, ok := range set {
		n += bit(ok)
	}
	return n
}

// sift moves one file after another to the place where it costs least, until no move of one file gains anything.
func sift(cost [][]int, files []int) []int {
	files = slices.Clone(files)
	for moved := true; moved; {
		moved = false
		for f := range files {
			at := slices.Index(files, f)
			to := cheapest(cost, files, at)
			if to != at {
				files = slices.Insert(slices.Delete(files, at, at+1), to, f)
				moved = true
			}
		}
	}
	return files
}

// cheapest returns the place where the file at a place costs least among the others, its own if no other is better.
func cheapest(cost [][]int, files []int, at int) int {
	f := files[at]
	best, to := 0, at
	for _, step := range []int{1, -1} {
		gain := 0
		for i := at + step; i >= 0 && i < len(files); i += step {
			g := files[i]
			if step > 0 { // f goes below g
				gain += cost[g][f] - cost[f][g]
			} else {
				gain += cost[f][g] - cost[g][f]
			}
			if gain > best {
				best, to = gain, i
			}
		}
	}
	return to
}

// total is the cost of an order.
func total(cost [][]int, files []int) int {
	sum := 0
	for i, f := range files {
		for _, above := range files[:i] {
			sum += cost[f][above]
		}
	}
	return sum
}
