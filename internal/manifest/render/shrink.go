package render

import "bytes"

// shrink takes the schemas out of CustomResourceDefinitions: no workload is made of them, some are megabytes long, and
// kustomize takes ten seconds for each of those. It reports whether there was one.
func shrink(raw []byte) ([]byte, bool) {
	const least = 4 << 10
	if len(raw) < least || !bytes.Contains(raw, []byte("kind: CustomResourceDefinition")) {
		return raw, false
	}
	out := make([]byte, 0, len(raw)/16)
	shrunk := false
	for rest := raw; len(rest) > 0; {
		doc := rest
		if i := bytes.Index(rest[1:], []byte("\n---")); i >= 0 {
			doc = rest[:i+2]
		}
		rest = rest[len(doc):]
		if small, ok := shrinkDocument(doc); ok {
			doc, shrunk = small, true
		}
		out = append(out, doc...)
	}
	return out, shrunk
}

// shrinkDocument leaves the parts of a CustomResourceDefinition before and behind its spec as they are.
func shrinkDocument(doc []byte) ([]byte, bool) {
	if !bytes.Contains(doc, []byte("\nkind: CustomResourceDefinition")) && !bytes.HasPrefix(doc, []byte("kind: CustomResourceDefinition")) {
		return nil, false
	}
	var out []byte
	in, found := false, false
	for rest := doc; len(rest) > 0; {
		line := rest
		if i := bytes.IndexByte(rest, '\n'); i >= 0 {
			line = rest[:i+1]
		}
		rest = rest[len(line):]
		if bytes.HasPrefix(line, []byte("spec:")) && len(bytes.TrimSpace(line)) == len("spec:") {
			out = append(out, "spec: {}\n"...)
			in, found = true, true
			continue
		}
		// What belongs to the spec is indented, a list of its own or empty.
		if in = in && bytes.IndexByte([]byte(" \t\r\n#-"), line[0]) >= 0 && !bytes.HasPrefix(line, []byte("---")); !in {
			out = append(out, line...)
		}
	}
	return out, found
}
