// Package subscribe handles resources/subscribe, resources/unsubscribe and subscriptions/listen.
//
//  1. A request finds the resource in the registry, and its caller must have the scopes. If no watcher and no policy is
//     to be asked, updates begin at once (subscribe.go).
//  2. A listen asks for many topics. Policies, and whether there is anything to watch, are checked by a few goroutines
//     at once (precheck.go); then the watchers begin, and the acknowledgement says what was granted (listen.go).
//  3. Package pubsub has the subscriptions, and delivers updates. Before each one of a guarded resource it asks
//     deliveryAuthorizer whether the client may still have it (authorizer.go), and then encoder makes the text.
//  4. A session that several processes serve has a session.Keeper; Keep and Join make its subscriptions those that
//     another process has confirmed (restore.go).
package subscribe
