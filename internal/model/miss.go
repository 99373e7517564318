package model

// MissKind says in which way a probe reaches something else than what it asks for.
type MissKind string

// The kinds of miss.
const (
	// MissPath: no route of the server answers the path; with CatchAll set, only a catch-all does.
	MissPath MissKind = "path"
	// MissMethod: the path is registered under another method (405); Route is that one.
	MissMethod MissKind = "method"
	// MissPort: no server of the program listens on the probe's port; Server is the nearest that does listen.
	MissPort MissKind = "port"
	// MissLoopback: the server on the port listens on loopback only, where the kubelet does not reach it.
	MissLoopback MissKind = "loopback"
	// MissNoServer: the program opens no server at all.
	MissNoServer MissKind = "no-server"
	// MissNoProgram: the image is built from a Go main package that is not in the input. Program is nil; Built says where
	// that is written and Unresolved which package.
	MissNoProgram MissKind = "no-program"
	// MissScheme: the probe speaks HTTP to a TLS listener or the reverse. The endpoint may be linked all the same.
	MissScheme MissKind = "scheme"
	// MissProtocol: a gRPC server answers where the probe speaks HTTP.
	MissProtocol MissKind = "protocol"
	// MissRedirect: the router sends the request to another path first (Redirect). The endpoint is linked.
	MissRedirect MissKind = "redirect"
	// MissGRPC: the server registers no gRPC health service.
	MissGRPC MissKind = "grpc"
)

// Grade says how sure a miss is.
type Grade string

// MissProven: the program is known, and all registrations and values that matter were resolved. MissPossible: something
// that was not resolved could answer; Unresolved says what.
const (
	MissProven   Grade = "proven"
	MissPossible Grade = "possible"
)

// Miss is what the link found instead of what the probe asks for. It is set also where an endpoint was linked but is not
// the one that the manifest means (a catch-all, a redirect, the other scheme).
type Miss struct {
	Kind    MissKind
	Grade   Grade
	Program *Program
	Server  *Server
	// Address is the server's address in this container, AddressFrom which source won, AddressSpan where it was written.
	Address     string
	AddressFrom string
	AddressSpan Span
	// Assumed: the address is a default in code, and the image's own settings were not seen.
	Assumed bool
	Route   *Route
	// CatchAll is the route that answers whatever no other route answers.
	CatchAll *Route
	// CatchAllStatus is the only status of the catch-all, 0 where there are several or they are not known.
	CatchAllStatus int
	Redirect       string
	// Routes is the number of routes known on the server; Near is the route whose path is most like the one asked.
	Routes int
	Near   *Route
	// Built is where a build file names the main package that is missing (MissNoProgram).
	Built Span
	// Unresolved says in words what keeps the miss from being proven.
	Unresolved string
}
