// Package lists makes the pages of tools/list, prompts/list, resources/list and resources/templates/list.
//
//  1. The server makes [Lists] of the registry of its features. The entries of a list are encoded once for each
//     revision, on first use (list.go). So is its first page if all callers may see all of it.
//  2. A request calls ListTools, ListPrompts, ListTemplates or ListResources. For a list with guards, access rules and
//     policies decide which entries its caller may see; the page has the encoded entries of those.
//  3. resources/list asks the program for the instances of templates (instances.go). Each instance is encoded as it
//     comes (pagewriter.go). One that nobody could read is left out; that is logged once (unlisted.go).
//  4. Package paging seals the cursor. It names the last entries of a page, so that other replicas and later versions
//     of a program find the place.
//
// Forget drops the pages that depend on a switch, and SetTools replaces the tools that were added at run time.
package lists
