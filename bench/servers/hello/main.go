// Command hello prints a line: the least that a process can do.
package main

import "os"

func main() {
	_, _ = os.Stdout.WriteString("hello, world\n")
}
