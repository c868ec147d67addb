package main

// few are the planted bugs that make check looks for, one of each area.
var few = map[string]bool{}
