package frontmatter

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
)

// plain reads a text without quotes, which may go on in further lines.
func (p *parser) plain(first string, indent int) any {
	text := comment(first)
	p.checkPlain(text)
	p.at++
	for gap := 0; p.at < len(p.lines); p.at++ {
		line := p.lines[p.at]
		trimmed := strings.TrimLeft(line, " ")
		switch {
		case strings.TrimSpace(line) == "":
			gap++
			continue
		case len(line)-len(trimmed) <= indent || trimmed[0] == '#':
			return scalar(text)
		case colon(trimmed) >= 0:
			p.failf("a text without quotes has a colon: quote it")
		}
		if gap > 0 {
			text += strings.Repeat("\n", gap)
		} else {
			text += " "
		}
		gap = 0
		text += comment(strings.TrimSpace(line))
	}
	return scalar(text)
}

// checkPlain refuses what is no text without quotes.
func (p *parser) checkPlain(text string) {
	if colon(text) >= 0 {
		p.failf("a text without quotes has a colon: quote it")
	}
	if isItem(text) {
		p.failf("a list begins in the line of its name")
	}
}

// Not by package regexp, which a server with skills would be linked with.

const decimals = "0123456789"

// consists reports whether text has characters, all of them of set.
func consists(text, set string) bool { return text != "" && strings.Trim(text, set) == "" }

func unsigned(text string) string {
	if text != "" && (text[0] == '-' || text[0] == '+') {
		return text[1:]
	}
	return text
}

func isInt(text string) bool { return consists(unsigned(text), decimals) }

// isBase reports whether text is an octal or hexadecimal number.
func isBase(text string) bool {
	octal, isOctal := strings.CutPrefix(text, "0o")
	hex, isHex := strings.CutPrefix(text, "0x")
	return isOctal && consists(octal, "01234567") || isHex && consists(hex, decimals+"abcdefABCDEF")
}

func isFloat(text string) bool {
	text = unsigned(text)
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		if !isInt(text[i+1:]) {
			return false
		}
		text = text[:i]
	}
	whole, part, _ := strings.Cut(text, ".")
	return consists(whole, decimals) && (part == "" || consists(part, decimals)) ||
		whole == "" && consists(part, decimals)
}

// exactDigits is how long a whole number may be that every int64 has room for.
const exactDigits = 18

// scalar is the value of a text without quotes, by the core schema of YAML 1.2.
func scalar(text string) any {
	switch text {
	case "", "~", "null", "Null", "NULL":
		return nil
	case "true", "True", "TRUE":
		return true
	case "false", "False", "FALSE":
		return false
	}
	switch {
	case isBase(text):
		if n, err := strconv.ParseUint(text, 0, 53); err == nil {
			return json.Number(strconv.FormatUint(n, 10))
		}
	case len(text) <= exactDigits && isInt(text):
		n, err := strconv.ParseInt(text, 10, 64)
		if err == nil {
			return json.Number(strconv.FormatInt(n, 10))
		}
	case isInt(text), isFloat(text):
		f, err := strconv.ParseFloat(strings.TrimSuffix(text, "."), 64)
		if err != nil || math.IsInf(f, 0) {
			return text
		}
		b, err := json.Marshal(f)
		if err == nil {
			return json.Number(b)
		}
	}
	return text
}

// blockText reads a text of the form | or >, whose lines are indented further.
func (p *parser) blockText(head string, indent int) string {
	folded, keep := head[0] == '>', byte(0)
	for _, c := range []byte(comment(head[1:])) {
		if c != '-' && c != '+' || keep != 0 {
			p.failf("`%s` cannot be read: | or >, perhaps with - or +", head)
		}
		keep = c
	}
	p.at++
	var lines []string
	own := 0
	for ; p.at < len(p.lines); p.at++ {
		line := p.lines[p.at]
		n := len(line) - len(strings.TrimLeft(line, " "))
		if n == len(line) && (own == 0 || n <= own) {
			lines = append(lines, "")
			continue
		}
		if own == 0 {
			own = n
		}
		if n <= indent {
			break
		}
		if n < own {
			p.failf("the line is indented less than the first line of the text")
		}
		lines = append(lines, line[own:])
	}
	end := len(lines)
	for end > 0 && lines[end-1] == "" {
		end--
	}
	text := strings.Join(lines[:end], "\n")
	if folded {
		text = fold(lines[:end])
	}
	switch {
	case keep == '-' || text == "" && keep != '+':
		return text
	case keep == '+':
		return text + strings.Repeat("\n", len(lines)-end+1)
	}
	return text + "\n"
}

// fold joins lines by spaces, except around empty and indented ones.
func fold(lines []string) string {
	var b strings.Builder
	for i, line := range lines {
		if i > 0 {
			prev := lines[i-1]
			indented := strings.HasPrefix(line, " ") || strings.HasPrefix(prev, " ")
			switch {
			case line == "":
				b.WriteByte('\n')
				continue
			case prev == "" && !indented:
			case prev == "" || indented:
				b.WriteByte('\n')
			default:
				b.WriteByte(' ')
			}
		}
		b.WriteString(line)
	}
	return b.String()
}
