// Command echo answers every line with the line that the file it is started with holds: the least that a server on
// stdio can do which writes as much as a real one.
package main

import (
	"bufio"
	"io"
	"log"
	"os"

	"github.com/mcpgen/mcpgen/bench/internal/work"
)

func main() {
	answer, err := work.ReadAnswer(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	in := bufio.NewReaderSize(os.Stdin, 64<<10)
	for {
		_, err := in.ReadSlice('\n')
		if err == io.EOF {
			return
		}
		if err == nil {
			_, err = os.Stdout.Write(answer.Body)
		}
		if err != nil {
			log.Fatal(err)
		}
	}
}
