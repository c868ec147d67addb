// Package signin has tests only: clients of other projects sign in at golden/diary through an authorization server of
// another project, npm oidc-provider, with registration, PKCE and a resource indicator. They read, step up, write, and
// go on when their token has expired.
package signin
