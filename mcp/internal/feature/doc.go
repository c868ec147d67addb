// Package feature says what a server offers: its [Features], which generated code fills.
//
// A feature is a [Resource], a [Tool] or a [Prompt]; [Kinds] has a row for each kind, through which joining, prefixes,
// tags and capabilities go. A template lists its instances by [Instances], which hands them to a [PageBuilder], or
// reads them from a [LiveValue], which tells its servers about changes as a [Publisher]. [DeclaredExtensions] are the
// extensions of the protocol that a program defines.
//
// The server begins with [Features.Check], [Features.LinkTools] and [Features.SelectTags]; [Join] makes one value of
// several, and [Features.AllCapabilities] what clients are told. A [Registry] finds the features of a running server,
// and knows which of them are switched off. The package knows no connection and no session: package server runs the
// functions of the features.
package feature
