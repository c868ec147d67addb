// Package failpoint plants bugs in the runtime and in the adapters, one at a time, to test the tests: a judge that
// never finds one may be unable to.
//
// A bug is one or two lines beside the code that it breaks, which ask [On]. Without the build tag planted, On is
// constantly false and the compiler leaves these lines out. With the tag, the environment variable MCPGEN_PLANTED names
// the one bug that is on; none is if it is empty, and a name that is not in [Table] ends the process.
//
// [Table] says which promise of the documents each bug breaks, and what finds it.
package failpoint
