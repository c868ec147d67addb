package schemadiff

import "strings"

// What a change asks of the author of a server. There is one sentence for all changes of a kind.
const (
	meansNarrower = "narrower: a value that was valid may not be in the new revision, so check what you send"
	meansWider    = "wider: what is valid now may not be in older revisions; the encoder leaves out what does not fit them"
	meansOther    = "other values: write what both revisions allow, or look at the revision of the caller"
	meansNames    = "the same values by other names: handle a definition that is new, and do not expect one that is gone"
)

// meaning says what a change asks of the author of a server.
func meaning(c *Change) string {
	switch c.Kind {
	case KindDefinition:
		return definitionMeaning(c)
	case KindMember:
		return memberMeaning(c)
	case KindRequired:
		if c.What == "added" {
			return "required now: give it a value, even if it is empty; where clients send it, it is there"
		}
		return "optional now: clients of the new revision may leave it out and must not rely on it"
	case KindValue, KindUnion:
		if c.What == "added" {
			return "new: servers may send it, and clients of older revisions do not get it; where clients send it, handle it"
		}
		return "gone: clients of the new revision neither send nor get it; the Go name stays"
	case KindDiscriminator:
		return "told apart otherwise: codecs read and write what the revision of the message has"
	case KindMethod:
		return methodMeaning(c)
	case KindCode:
		return "errors of the new revision have other codes: compare with the constants, not with numbers"
	case KindDefault:
		return "another default: what the other side assumes when the value is left out; write the value if it matters"
	case KindHint:
		return "a hint: nothing is refused"
	default:
		return ruleMeaning(c)
	}
}

func definitionMeaning(c *Change) string {
	switch c.What {
	case "added":
		return "new: servers may use it where a member, a union or a method has it; clients of older revisions do not get it"
	case "removed":
		return "gone: clients of the new revision do not get it, others do; the Go name stays"
	default:
		return "another name in the schema only: the Go name stays"
	}
}

func memberMeaning(c *Change) string {
	switch {
	case c.What == "removed":
		return "gone: the encoder leaves it out for clients of the new revision, so do not rely on their seeing it"
	case strings.HasSuffix(c.New, ", required"):
		return "new and required: it is written for clients of the new revision even if it is empty, so give it a value"
	default:
		return "new and optional: nothing to do; clients of older revisions do not get it"
	}
}

func methodMeaning(c *Change) string {
	switch {
	case c.What == "added":
		return "new: it is answered with method not found, or ignored, until the runtime serves it"
	case c.What == "removed":
		return "gone: it is refused in the new revision and served in the older ones"
	case strings.HasPrefix(c.New, "member of "):
		return "moved into another message: the runtime asks it there for clients of the new revision"
	default:
		return "moved: another side sends it, so look for what takes its place"
	}
}

// ruleMeaning is about types, bounds, formats, patterns and members that are not declared.
func ruleMeaning(c *Change) string {
	switch c.What {
	case "narrowed", "added":
		return meansNarrower
	case "widened", "removed":
		return meansWider
	default:
		return meansOther
	}
}
