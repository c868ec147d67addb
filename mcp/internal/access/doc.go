// Package access has what a feature asks of its callers: a [Guard] with access rules, limits and middleware.
//
// The server checks in this order: [Guard.Scopes] compares what the caller has, [Guard.Policies] asks the program,
// [Usages] count the rate and the concurrency; then [Guard.Around] runs the middleware and the handler. A refused
// caller gets a *[ForbiddenError]; [Refusal] turns it into the response that hides the feature, unless everybody may
// know of it. The package knows no features: their tables point to guards.
package access
