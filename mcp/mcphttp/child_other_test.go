//go:build !unix

package mcphttp_test

const socketOfChild = "MCPHTTP_TEST_SOCKET"

func serveStubbornly(string) {}
