package board

import (
	"net/netip"
	"time"
)

// Slot is a desk for a day, told apart by keys of every kind that Go does not order by itself.
//
//mcp:resource uri=slots:///{day}/{desk}/{quiet}{?floor} list=none
//mcp:var day layout=2006-01-02
//mcp:var floor default=1
type Slot struct {
	Day   time.Time  `json:"day" mcp:"key"`
	Desk  netip.Addr `json:"desk" mcp:"key"`
	Quiet bool       `json:"quiet" mcp:"key"`
	Floor int8       `json:"floor" mcp:"key"`
	Owner string     `json:"owner"`
}

// Day is what happens on a day.
//
//mcp:resource uri=days:///{when}
//mcp:var when layout=2006-01-02
type Day struct {
	When time.Time `json:"-" mcp:"key"`
	Note string    `json:"note"`
}

// Machine is a computer of the office.
//
//mcp:resource uri=machines:///{address}
type Machine struct {
	Address netip.Addr `json:"address" mcp:"key"`
}
