package endpoint

import (
	"net/url"

	"github.com/probelint/probelint/analyzer/summary"
	"github.com/probelint/probelint/internal/model"
)

// redirect finds an answer that sends the request elsewhere.
func (b *builder) redirect() {
	ans := &b.ep.Answer
	reach, only := map[int]bool{}, len(ans.Statuses) > 0 && !ans.Unknown
	for _, s := range ans.Statuses {
		if s >= 300 && s < 400 && s != 304 {
			reach[s] = true
		} else {
			only = false
		}
	}
	for _, w := range b.res.Response.Writes {
		code, ok := summary.Int(w.Status)
		if w.To == nil || !ok || !reach[code] {
			continue
		}
		r := &model.Redirect{Status: code, Span: b.span(w.Pos, w.End), Only: only}
		if c, _, ok := w.To.Resolve(b.vals); ok {
			r.To = summary.Text(c)
			if u, err := url.Parse(r.To); err == nil {
				r.Host = u.Hostname()
			}
		}
		ans.Redirect = r
		return
	}
}
