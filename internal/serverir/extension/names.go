package extension

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/goname"
)

var (
	// idPattern is the form of ids: labels of a prefix, a slash and a name.
	idPattern = regexp.MustCompile(`^[A-Za-z]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z]([A-Za-z0-9-]*[A-Za-z0-9])?)*` +
		`/[A-Za-z0-9]([A-Za-z0-9_.-]*[A-Za-z0-9])?$`)
	// methodPattern is the form of methods, and capabilityName that of experimental capabilities.
	methodPattern  = regexp.MustCompile(`^[A-Za-z0-9_.-]+(/[A-Za-z0-9_.-]+)*$`)
	capabilityName = regexp.MustCompile(`^[A-Za-z0-9_./-]{1,128}$`)
)

// maxName is the most characters of the name of an extension or of a method.
const maxName = 128

// reservedLabels make a prefix one of the protocol if they are its second label.
var reservedLabels = []string{"modelcontextprotocol", "mcp"}

// badID says what is wrong with the id of an extension, and what to write instead; empty if nothing is.
func badID(id, pkg string) (why, better string) {
	prefix, name, slash := strings.Cut(id, "/")
	labels := strings.Split(strings.ToLower(prefix), ".")
	switch {
	case !slash && id != "":
		return fmt.Sprintf("`%s` has no vendor prefix", id), "id=com.example/" + id + ", with a domain that you own"
	case !idPattern.MatchString(id) || len(id) > maxName:
		return fmt.Sprintf("`%s` is not the id of an extension: a domain in reverse, a slash and a name of letters, "+
			"digits and _ . -, %d characters at most", id, maxName), "id=" + idLike(prefix, name, pkg)
	case len(labels) > 1 && slices.Contains(reservedLabels, labels[1]):
		return fmt.Sprintf("the prefix `%s` is reserved for extensions of the protocol itself", prefix),
			"id=com.example/" + name + ", with a domain that you own"
	}
	return "", ""
}

// notInID matches what the parts of an id cannot have.
var notInID = regexp.MustCompile(`[^A-Za-z0-9_.-]+`)

// idLike makes an id of what is none.
func idLike(prefix, name, pkg string) string {
	name = strings.Trim(notInID.ReplaceAllString(name, "-"), "-._")
	if name == "" || len(name) > maxName/2 {
		name = strings.ToLower(pkg)
	}
	if id := prefix + "/" + name; idPattern.MatchString(id) && len(id) <= maxName {
		return id
	}
	return "com.example/" + name
}

// namespaces begin the methods of the protocol and of its extensions, and what later revisions may add.
var namespaces = []string{
	"completion", "elicitation", "events", "initialize", "logging", "messages", "ping", "prompts", "resources", "roots",
	"sampling", "server", "skills", "subscriptions", "tasks", "tools", "ui",
}

// badMethod says what is wrong with the name of a method; empty if nothing is.
func badMethod(name string, notification bool) string {
	rest, notifies := strings.CutPrefix(name, "notifications/")
	first, _, _ := strings.Cut(rest, "/")
	labels := strings.Split(strings.ToLower(first), ".")
	switch {
	case !methodPattern.MatchString(name) || len(name) > 2*maxName:
		return fmt.Sprintf("`%s` is not a name for a method: words of A-Z a-z 0-9 _ . - with slashes between them", name)
	case notifies != notification:
		if notifies {
			return fmt.Sprintf("`%s` is the name of a notification", name)
		}
		return fmt.Sprintf("`%s` does not begin with `notifications/`", name)
	case slices.Contains(namespaces, strings.ToLower(first)), notifies && !strings.Contains(rest, "/"):
		return fmt.Sprintf("`%s` is reserved: it is in a namespace of the protocol", name)
	case len(labels) > 1 && slices.Contains(reservedLabels, labels[1]), labels[0] == "rpc":
		return fmt.Sprintf("the prefix `%s` is reserved", first)
	}
	return ""
}

// methodOf is the default name of a method.
func methodOf(id, goName string, notification bool) string {
	name := id + "/" + goname.Unexported(goname.UpperFirst(goName))
	if notification {
		return "notifications/" + name
	}
	return name
}
