// Package validator validates the messages of a server by the JSON schema of their revision.
//
// The schemas accept any extra property, and a result of revision 2026-07-28 is valid under several definitions. The
// validator therefore chooses the definition (by method for requests, notifications and results, by code for errors)
// and validates twice: by the published schema, and by a closed copy in which an object has only the properties of its
// definition. The second finds fields of other revisions.
//
// The official files are not part of this repository; Dir returns where they are looked for. If they are absent, the
// committed facts (schema/<revision>.json) replace them: the same schemas without prose.
package validator
