// Package ir is the intermediate representation between the inputs of the generator and its emitters. It is plain data:
// every list is a slice in its final order, every decision is made, and every Go name is computed. It does not depend
// on jennifer, go/types or JSON.
package ir
