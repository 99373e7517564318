// Package execprobe says what the command of an exec probe asks: which tool, of whom, and whether its outcome reaches the
// kubelet. It reads the argument list as the container runtime does (no shell), and a script given to a shell with -c as
// that shell does. What it cannot resolve it leaves out.
package execprobe
