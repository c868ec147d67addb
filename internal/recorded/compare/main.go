// Command compare reads and writes the recorded messages of every revision with the codecs of generated/protocol, and
// fails if what comes out is not what was recorded. mcpgen protocol runs it in the root of the checkout, with an
// overlay that has the codecs to judge and the table of their names. With -accept it records what comes out now.
// Revisions that the codecs do not know are left out.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/internal/recorded"
)

func main() {
	dir := flag.String("dir", "schema/messages", "the `folder` of the messages")
	accept := flag.Bool("accept", false, "record what the codecs do now")
	flag.Parse()
	if err := run(os.Stdout, *dir, *accept); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// most bounds how many differences are printed.
const most = 10

func run(out io.Writer, dir string, accept bool) error {
	if len(codecs) == 0 {
		return errors.New("there is no table of codecs; mcpgen protocol runs this with one")
	}
	files, err := recorded.Files(dir)
	if err != nil {
		return err
	}
	different, all := 0, 0
	for _, file := range files {
		rev, ok := protocol.ParseRevision(recorded.RevisionOf(file))
		if !ok {
			continue
		}
		list, err := recorded.Read(file)
		if err != nil {
			return err
		}
		changed, read := 0, len(list)
		if accept {
			list = slices.DeleteFunc(list, func(m recorded.Message) bool { return typeOf(&m, rev) == "" })
		}
		for i := range list {
			m := &list[i]
			got, reason := written(m, rev)
			if got == m.Written {
				continue
			}
			if changed++; !accept && different+changed <= most {
				report(out, fmt.Sprintf("%s:%d", file, i+1), m, got, reason)
			}
			m.Written = got
		}
		different, all = different+changed, all+len(list)
		if accept && (changed > 0 || len(list) < read) {
			if err := recorded.Write(file, list); err != nil {
				return err
			}
		}
		if accept {
			count(out, file, list, changed)
		}
	}
	switch {
	case all == 0:
		return errors.New("no message was compared")
	case different > 0 && !accept:
		return fmt.Errorf("%d of %d recorded messages are read or written differently; "+
			"if that is right, run mcpgen protocol -accept", different, all)
	}
	return nil
}

func report(out io.Writer, at string, m *recorded.Message, got, reason string) {
	fmt.Fprintf(out, "%s: %s of %s: %s\n", at, m.Kind, m.From, m.Text)
	for _, line := range []struct{ when, what, why string }{{"was", m.Written, ""}, {"is", got, reason}} {
		text := line.what
		switch text {
		case recorded.Same:
			text = "written as it was"
		case recorded.Refused:
			text = "refused"
		case recorded.Unknown:
			text = "not recorded"
		case recorded.Typeless:
			text = "without a type"
		}
		if line.why != "" {
			text += ": " + line.why
		}
		fmt.Fprintf(out, "\t%-3s %s\n", line.when, text)
	}
}

// count says what a file holds.
func count(out io.Writer, file string, list []recorded.Message, changed int) {
	same, refused := 0, 0
	for _, m := range list {
		switch m.Written {
		case recorded.Same:
			same++
		case recorded.Refused:
			refused++
		}
	}
	fmt.Fprintf(out, "%s: %d messages, %d written as they were, %d refused, %d otherwise; %d have changed\n", file,
		len(list), same, refused, len(list)-same-refused, changed)
}
