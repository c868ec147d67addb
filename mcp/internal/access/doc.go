// Package access has what a feature asks of its callers: a [Guard] with access rules, limits and middleware.
//
// The server asks in this order: [Guard.Scopes] for what the caller has, [Guard.Policies] for what the program says,
// then the rate and the concurrency that [Usages] count; then [Guard.Around] runs the middleware and the handler.
// A caller that is refused gets a *[ForbiddenError]; [Refusal] makes it the response that hides the feature, unless
// everybody may know of it. The package knows no features: their tables point to guards.
package access
