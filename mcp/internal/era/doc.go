// Package era says which revision of the protocol does what. Nothing else in the runtime compares revisions with dates.
//
// Revisions before 2026-07-28 are legacy: they begin with a handshake, which makes a session. Later ones are modern:
// each request carries all its context. [Table] finds the revision of a message by these rules, and [IsModern] tells
// the two apart where code differs. Each other constant names the first revision with a certain property.
//
// A new revision is offered once [NewestServed] names it; see "A new revision arrives" in CONTRIBUTING.md.
package era
