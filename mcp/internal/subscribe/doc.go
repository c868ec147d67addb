// Package subscribe handles resources/subscribe, resources/unsubscribe and subscriptions/listen.
//
//  1. A request finds the resource in the registry, and its caller must have the scopes. If the resource has no watcher
//     and no policy, updates begin at once (subscribe.go).
//  2. A listen asks for many topics. A few goroutines check policies, and whether there is anything to watch
//     (precheck.go). Then the watchers begin, and the acknowledgement says what was granted (listen.go).
//  3. Package pubsub has the subscriptions, and delivers updates. Before an update of a guarded resource it asks
//     deliveryAuthorizer whether the client may still have it (authorizer.go), and then encoder makes the text.
//  4. A session that several processes serve has a session.Keeper. Keep and Join change its subscriptions here to those
//     that the client and another process have agreed on (restore.go).
//  5. Extensions, tasks among them, add members to the filter of a listen: session.Filter reads the value and returns
//     topics. What an extension publishes on a topic goes to the Listener of each listen (published.go).
package subscribe
