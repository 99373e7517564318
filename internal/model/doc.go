// Package model is the plain data that every stage of probelint shares: what the manifests ask, what the Go code answers,
// and how the two were joined. It holds no parser types and no behaviour beyond small accessors.
//
// The json tags are a published contract (DESIGN.md, "JSON"): `probelint inspect -f json` marshals this model, and team
// policies read it under the same names. Unknown is absent, never null. Durations are seconds. Lines and columns are
// 1-based; byte offsets are 0-based with an exclusive end.
package model
