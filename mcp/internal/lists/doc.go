// Package lists makes the pages of tools/list, prompts/list, resources/list and resources/templates/list.
//
//  1. The server makes [Lists] of the registry of its features. Each list has what is declared, encoded once for each
//     revision on first use (list.go), and so is its first page if all callers may see all of it.
//  2. A request calls ListTools, ListPrompts, ListTemplates or ListResources. A list with guards asks access rules and
//     policies what its caller may see, and joins the encoded entries of these.
//  3. resources/list with instances of templates asks the program for them (instances.go). Each instance is encoded as
//     it comes (pagewriter.go) and left out if nobody could read it; that is logged once (unlisted.go).
//  4. A cursor is sealed by package paging. It names the last entries of a page, so that replicas and later versions of
//     a program find the place.
//
// Forget drops what depends on a switch that was turned, and SetTools replaces the tools that were added at run time.
package lists
