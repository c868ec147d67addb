// Command board serves a board with a card, a file and a person over MCP, on stdio or with -http.
package main

import (
	"context"
	"errors"
	"flag"
	"log"
	"time"

	"github.com/mcpgen/mcpgen/golden/board"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
)

func main() {
	serve := mcphttp.AddFlags(flag.CommandLine)
	flag.Parse()
	if err := run(serve); err != nil {
		log.Fatal(err)
	}
}

func run(serve *mcphttp.Command) error {
	cards, files, people := board.NewCardStore(), board.NewAttachmentStore(), new(board.Directory)
	people.Put(board.Person{Team: "ops", ID: 1, Name: "Ada"})
	err := errors.Join(
		cards.Put(board.Card{Column: board.Todo, No: 1, Title: "Water the plants", Body: "Twice a *week*.",
			Changed: time.Now()}),
		files.Put(board.Attachment{Meta: board.Meta{Name: "plan.txt", Type: "text/plain"}, Data: []byte("Mo, Th\n"),
			Original: 7}))
	if err != nil {
		return err
	}
	srv, err := board.NewBoardServer(board.BoardImpl{
		Card: cards, Attachment: files, Person: people,
		Slot: board.NewSlotStore(), Day: board.NewDayStore(), Machine: board.NewMachineStore(),
		Desk: &board.Desk{Cards: cards, Now: time.Now},
	}, nil)
	if err != nil {
		return err
	}
	return serve.Run(context.Background(), srv)
}
