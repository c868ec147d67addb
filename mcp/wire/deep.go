package wire

// idOfDeep returns the id of a message that is nested too deep to be read; zero if there is no usable one, or several,
// or if the text is cut off. It counts brackets without checking that they match: the message is refused anyway, and
// only its id is used.
func idOfDeep(text []byte) (id ID) {
	depth, found := 0, 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				if found != 1 || skipSpace(text, i+1) != len(text) {
					return ID{}
				}
				return id
			}
		case '"':
			end, _, why := scanString(text, i+1)
			if why != "" {
				return ID{}
			}
			if depth == 1 && isText(text[i:end+1], "id") {
				if at := skipSpace(text, end+1); at < len(text) && text[at] == ':' {
					found++
					id = idAt(text, skipSpace(text, at+1))
				}
			}
			i = end
		}
	}
	return ID{}
}

// idAt returns the id that begins at i; zero if what begins there is none.
func idAt(text []byte, i int) (id ID) {
	if i >= len(text) {
		return ID{}
	}
	var end int
	if text[i] == '"' {
		stop, _, why := scanString(text, i+1)
		if why != "" {
			return ID{}
		}
		end = stop + 1
	} else if end = scanNumber(text, i); end < 0 {
		return ID{}
	}
	if next := skipSpace(text, end); next >= len(text) || text[next] != ',' && text[next] != '}' {
		return ID{}
	}
	id, _ = ParseID(text[i:end])
	return id
}
