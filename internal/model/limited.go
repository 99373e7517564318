package model

import "net/http"

// Limited reports a status with which a limiter in front of the handler refuses whoever asks too often: no state of the process
// leads there.
func (e *Endpoint) Limited(status int) bool {
	if status != http.StatusTooManyRequests {
		return false
	}
	for _, w := range e.Wrappers {
		if w.Kind == "limiter" {
			return true
		}
	}
	return false
}

// CanFail reports whether the handler can: Answer.CanFail without what a limiter answers.
func (e *Endpoint) CanFail() bool {
	a := e.Answer
	a.Statuses = nil
	for _, s := range e.Answer.Statuses {
		if !e.Limited(s) {
			a.Statuses = append(a.Statuses, s)
		}
	}
	return a.CanFail()
}
