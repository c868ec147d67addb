// Package feature says what a server offers: its [Features], which generated code fills.
//
// A feature is a [Resource], a [Tool] or a [Prompt]. [Kinds] has a row for each kind, with what joining, prefixes, tags
// and capabilities need. A template lists its instances by [Instances], which hands them to a [PageBuilder]. Or it
// reads them from a [LiveValue], which tells each server about changes through [Publisher]. [DeclaredExtensions] are
// the extensions of the protocol that a program defines.
//
// The server begins with [Features.Check], [Features.LinkTools] and [Features.SelectTags]; [Join] makes one Features of
// several, and [Features.AllCapabilities] is what clients are told. A [Registry] finds the features of a running
// server, and knows which of them are switched off. The package knows no connection and no session: package server runs
// the functions of the features.
package feature
