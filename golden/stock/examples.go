package stock

// Examples are two items.
func Examples() []Item {
	return []Item{
		{
			Listed: Listed{Name: "Lamp", About: "It shines."}, Shelf: 1, SKU: "L-1", Price: Money{1999, "EUR"},
			Sale: &Money{1499, "EUR"}, Parts: []*Part{{Name: "foot", Parts: []*Part{{Name: "screw"}}}},
			Tags: []string{"light"}, Cost: Money{700, "EUR"},
		},
		{Listed: Listed{Name: "Bulb"}, Shelf: 2, SKU: "B/2", Price: Money{299, "EUR"}, Cost: Money{50, "EUR"}},
	}
}
