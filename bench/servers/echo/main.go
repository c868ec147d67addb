// Command echo sends back every line it reads: the least that a server on stdio can do.
package main

import (
	"bufio"
	"io"
	"log"
	"os"
)

func main() {
	in := bufio.NewReaderSize(os.Stdin, 64<<10)
	for {
		line, err := in.ReadSlice('\n')
		if err == io.EOF {
			return
		}
		if err == nil {
			_, err = os.Stdout.Write(line)
		}
		if err != nil {
			log.Fatal(err)
		}
	}
}
