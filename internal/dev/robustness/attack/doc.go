// Package attack has the attacks of clients on the availability of a server as data, and makes them on a process.
//
// A [Row] says what hostile clients send, on which transports, and what must hold meanwhile and afterwards. [Run]
// starts a [Program], makes the attack of one row over one transport, has honest clients ask all along, and returns
// what it has counted. [Result.Problems] compares that with what the row wants. Tests of package robustness make every
// attack on the server of package served, in its small size and with short deadlines; the module of bench makes those
// in which they can take part on servers of other libraries, in their full size.
package attack
