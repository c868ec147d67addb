package main

// isNext selects the next release, which has one more tool and one more resource. The build tag fleet_next sets it.
var isNext = false
