// Package values tests the codecs of the generated protocol types with random values of every type in every
// revision: what the encoder writes is valid under the official schema of the revision and decodes to the same value.
package values
