// Package ask is a travel desk whose handlers ask back: the user by forms and web pages, the model and
// the folders of the client.
//
//mcp:server name=ask version=1.0.0 title="Travel desk"
package ask

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp"
)

//go:generate go run github.com/mcpgen/mcpgen/cmd/mcpgen

// Class is where a traveller sits.
//
//mcp:enum
type Class string

// The classes.
const (
	Second Class = "second" // Second class
	First  Class = "first"  // First class
)

// Meal is what a traveller eats.
//
//mcp:enum
type Meal string

// The meals.
const (
	Vegan Meal = "vegan"
	Fish  Meal = "fish"
	None  Meal = "none"
)

// Traveller is who travels.
//
//mcp:form
type Traveller struct {
	// Full name, as in the passport.
	Name string `json:"name" jsonschema:"title=Name,minLength=1"`
	// Where to send the ticket.
	Email string `json:"email,omitempty" jsonschema:"format=email"`
	Age   int    `json:"age,omitempty" jsonschema:"minimum=0,maximum=130,default=30"`
	Meal  Meal   `json:"meal,omitempty" jsonschema:"default=vegan"`
	Vip   bool   `json:"vip,omitempty" jsonschema:"default=false"`
	// Weight of the luggage in kilograms.
	Luggage float64 `json:"luggage,omitempty" jsonschema:"maximum=95.5"`
}

// Seats are the wishes about seats.
//
//mcp:form
type Seats struct {
	Class  Class   `json:"class" jsonschema:"default=second"`
	Backup Class   `json:"backup,omitempty" mcp:"enumnames"`
	Meals  []Meal  `json:"meals,omitempty" jsonschema:"minItems=1,maxItems=2"`
	Any    []Class `json:"any,omitempty"`
}

// Booking is what was booked.
type Booking struct {
	Name  string `json:"name"`
	Class Class  `json:"class"`
}

// TripIn is a trip.
type TripIn struct {
	// Where to go.
	To string `json:"to"`
}

// Book books a trip. It asks who travels, and then how.
//
//mcp:tool
func Book(ctx context.Context, client mcp.Peer, in TripIn, log *slog.Logger, progress mcp.Progress) (Booking, error) {
	progress.Report(1, 3, "asking")
	who, err := mcp.AskForm[Traveller](ctx, client, "traveller", "Who goes to "+in.To+"?")
	if err != nil {
		return Booking{}, err
	}
	progress.Report(2, 3, "asking again")
	seats, err := mcp.AskForm[Seats](ctx, client, "seats", "How does "+who.Name+" want to sit?")
	if errors.Is(err, mcp.ErrDeclined) {
		seats.Class = Second
	} else if err != nil {
		return Booking{}, err
	}
	log.Info("booked", "to", in.To, "class", seats.Class)
	progress.Report(3, 3, "booked")
	return Booking{Name: who.Name, Class: seats.Class}, nil
}

// Pay sends the user to the page of the bank, and tells the client when the bank says that it was paid.
//
//mcp:tool
func Pay(ctx context.Context, client mcp.Peer) error {
	visit := mcp.NewURLQuestion("bank", "Pay for your trip.", "https://bank.example.com/pay")
	if err := client.Ask(ctx, visit); err != nil {
		return err
	}
	if err := visit.Answer(); err != nil {
		return err
	}
	visit.Complete() // this bank says so at once
	return nil
}

// Advise asks the model, and looks where the client works, at once.
//
//mcp:tool readonly
func Advise(ctx context.Context, in TripIn, client mcp.Peer) (string, error) {
	if !client.Can(mcp.Sampling | mcp.Roots) {
		return "Ask somebody who has been there.", nil
	}
	advice := mcp.NewModelQuestion("advice", protocol.CreateMessageRequestParams{
		Messages: []protocol.SamplingMessage{mcp.UserMessage("One sentence about " + in.To + ".")}, MaxTokens: 100,
	})
	folders := mcp.NewRootsQuestion("folders")
	if err := client.Ask(ctx, advice, folders); err != nil {
		return "", err
	}
	text, err := advice.Answer()
	if err != nil {
		return "", err
	}
	roots, err := folders.Answer()
	return fmt.Sprintf("%s (%d folders)", mcp.MessageText(text), len(roots)), err
}

// Ticket is the ticket to a place. It asks whose.
//
//mcp:resource uri=ask:///tickets/{place} mime=text/plain
func Ticket(ctx context.Context, place string, client mcp.Peer) (string, error) {
	who, err := mcp.AskForm[Traveller](ctx, client, "traveller", "Whose ticket?")
	return "Ticket to " + place + " for " + who.Name, err
}

// Tickets lists the places that a caller has tickets to.
//
//mcp:list of=Ticket
func Tickets(_ context.Context, who mcp.Caller) iter.Seq2[TicketRef, error] {
	return func(yield func(TicketRef, error) bool) {
		if yield(TicketRef{Place: "Rome"}, nil) && who.Subject != "" {
			yield(TicketRef{Place: "Paris"}, nil)
		}
	}
}

// Plan is a prompt that plans a trip. It asks who travels.
//
//mcp:prompt
func Plan(ctx context.Context, to string, client mcp.Peer) (string, error) {
	who, err := mcp.AskForm[Traveller](ctx, client, "traveller", "Who travels?")
	return "Plan a trip to " + to + " for " + who.Name + ".", err
}
