//go:build fleet_next

package main

func init() { isNext = true }
