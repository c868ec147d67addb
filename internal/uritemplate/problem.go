package uritemplate

import (
	"fmt"
	"strconv"
)

// Mistake is what kind of mistake a Problem is.
type Mistake uint8

// The kinds of mistakes.
const (
	NoURI      Mistake = iota + 1 // the text around the expressions is not that of a URI
	Unbalanced                    // a brace lacks the other one
	Unmatched                     // nothing says where a variable ends, or in which order parameters come
	Spanning                      // a variable that spans segments does not stand alone, or is not the only one
	Expression                    // an expression is malformed, or cannot be taken out of a URI again
)

// Problem is a mistake in a URI or a template. Start and End are byte offsets in its text.
type Problem struct {
	Mistake    Mistake
	Start, End int
	// Edit, if not nil, is the cure for machines.
	Edit *Edit

	// The text is put together when it is asked for, so that programs that only read templates do not contain that.
	message, fix string // formats of args
	args         []string
}

// Message says what is wrong.
func (p *Problem) Message() string { return p.text(p.message) }

// Fix says to people what to write instead.
func (p *Problem) Fix() string { return p.text(p.fix) }

// text fills a format, which uses some of the arguments.
func (p *Problem) text(format string) string {
	args := make([]any, 0, len(p.args)+1)
	for _, a := range p.args {
		args = append(args, a)
	}
	format += "%[" + strconv.Itoa(len(args)+1) + "]s"
	return fmt.Sprintf(format, append(args, "")...)
}

// Edit puts New in the place of the bytes from Start to End.
type Edit struct {
	Start, End int
	New        string
}
