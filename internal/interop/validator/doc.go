// Package validator checks what a server writes against the JSON schema of the revision that it speaks.
//
// The schemas leave nearly everything open: they accept any extra property, and a result of revision
// 2026-07-28 is valid as several definitions at once. So the validator chooses the one definition that fits (by
// method for requests, notifications and results, by code for errors) and validates twice: against the schema as
// published, and against a closed copy in which an object has no properties but those its definition names. The
// second finds fields that leak from one revision into another.
//
// The official files are not part of this repository; Dir says where they are looked for. Where they are absent, the
// committed facts (schema/<revision>.json) are the validator: the same schemas without prose, which decides nothing.
package validator
