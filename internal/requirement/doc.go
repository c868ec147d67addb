// Package requirement has the table of what the specification, the extensions that are served and the founding
// documents ask of a server, and what becomes of each row.
//
// The folder table has a file for each subject. The page and the subject at the top of a file hold for its rows:
//
//	page A-D basic/utilities/cancellation
//	page E basic/patterns/cancellation
//	subject requests
//
// A row begins with its id and the rules: a level and the revisions that have it, by letters. Below it stand what is
// asked, what becomes of it, and what gives it to authors:
//
//	cancel-stop SHOULD A-E
//	  A request that is cancelled stops, and is not answered.
//	  met The context of its handler ends at once.
//
// A row is met by every server, answered by the author of one (which names the directive, option or diagnostic),
// superseded by another row, outside of what a server is, or open.
//
// A test that fails if the behaviour went away names the id:
//
//	t.Attr("requirements", "cancel-stop cancel-reason")
//
// A file of golden/errors or golden/outputs does so by a line at its head, and a table of tests by the first text of an
// entry, if its subtest has that text as its attribute. Package internal/dev/requirements finds them for
// docs/requirements.md. Rows that are met or answered by authors need a test, and tests name only what is a row.
//
// The file table/pages.txt records the pages of each revision. A page without rows has a reason.
package requirement
