package skilldir

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
)

// maxBlock is how many bytes of frontmatter are read.
const maxBlock = 64 << 10

// Block returns the frontmatter of a SKILL.md as it is written: the lines between its first line, which is ---, and
// the next line ---. Each ends with \n.
func Block(text string) (string, error) {
	text = strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n")
	first, rest, _ := strings.Cut(text, "\n")
	if !isFence(first) {
		return "", errors.New("the file does not begin with ---, the first line of its frontmatter")
	}
	size := 0
	for line := range strings.Lines(rest) {
		switch {
		case !isFence(strings.TrimSuffix(line, "\n")):
			size += len(line)
		case size > maxBlock:
			return "", fmt.Errorf("the frontmatter has %d bytes; %d are read", size, maxBlock)
		default:
			return rest[:size], nil
		}
	}
	return "", errors.New("the frontmatter has no last line ---")
}

func isFence(line string) bool { return strings.TrimRight(line, " \t") == "---" }

// BlockDigest returns the SHA-256 of a frontmatter, by which servers see that it is the one that was read when their
// code was generated.
func BlockDigest(block string) string {
	sum := sha256.Sum256([]byte(block))
	return hex.EncodeToString(sum[:])
}
