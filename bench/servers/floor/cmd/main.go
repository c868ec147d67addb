// Command cmd serves package floor on stdio.
package main

import (
	"bufio"
	"io"
	"log"
	"os"

	"github.com/mcpgen/mcpgen/bench/servers/floor"
)

func main() {
	s, in, out := floor.New(), bufio.NewReaderSize(os.Stdin, 64<<10), []byte(nil)
	for {
		line, err := in.ReadSlice('\n')
		if err == io.EOF {
			return
		}
		if err == nil {
			out = s.Answer(out[:0], line)
			_, err = os.Stdout.Write(out)
		}
		if err != nil {
			log.Fatal(err)
		}
	}
}
