// Package ir is the intermediate representation between the generator's inputs and its
// emitters. It is plain data: every list is a slice in its final order, every choice is
// made, every Go name is computed. It knows neither jennifer nor go/types nor JSON.
package ir
