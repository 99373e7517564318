// Package lsp is the language server: findings in manifests and in the Go code behind them while they are written, both
// sides of each, with fixes, hovers and the way from a probe to its handler and back.
//
// It speaks LSP 3.18 through go.lsp.dev/protocol. Every run judges a whole workspace folder, since a change on one side
// makes findings on the other; what makes that quick is that the Go side is kept between runs as long as no Go file changed
// (engine.Keep). Results are published for a state of the buffers only while that state is still the newest.
package lsp
