package suppressionwithoutreason_test

import (
	"testing"

	"github.com/probelint/probelint/internal/linttest"
	"github.com/probelint/probelint/rules"
	suppressionwithoutreason "github.com/probelint/probelint/rules/suppression-without-reason"
)

func TestRule(t *testing.T) { linttest.Run(t, suppressionwithoutreason.Rule, rules.All()...) }
