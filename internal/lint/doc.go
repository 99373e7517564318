package lint

import "strings"

// DocURL is where the page of a rule lives.
func DocURL(rule string) string {
	return "https://github.com/probelint/probelint/blob/main/docs/rules/" + rule + ".md"
}

// PoliciesURL is the page about team policies.
const PoliciesURL = "https://github.com/probelint/probelint/blob/main/docs/policies.md"

// DocsURL is the address at which the reader of a finding learns more.
func (f Finding) DocsURL() string {
	switch {
	case f.Docs == "":
		return DocURL(f.Rule)
	case strings.HasPrefix(f.Docs, "https://") || strings.HasPrefix(f.Docs, "http://"):
		return f.Docs
	}
	return PoliciesURL
}

// Summary is the first paragraph of the rule's doc.md on one line; headings before it are left out.
func (r *Rule) Summary() string {
	var words []string
	for _, line := range strings.Split(r.Doc, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			if len(words) > 0 {
				break
			}
			continue
		}
		words = append(words, strings.Fields(line)...)
	}
	return strings.Join(words, " ")
}
