// Package shoptest runs the whole program on the two example repositories, as the README tells a newcomer to. It has no
// code of its own.
package shoptest
