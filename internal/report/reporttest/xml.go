package reporttest

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Element is what a schema says of an element: its attributes, the elements inside, and whether text stands in it.
type Element struct {
	Required, Optional, Children []string
	Text                         bool
}

// XMLFaults returns what in a document is not as the elements say. A document that does not parse has one fault.
func XMLFaults(data []byte, root string, shape map[string]Element) []string {
	var faults, open []string
	fault := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	d := xml.NewDecoder(bytes.NewReader(data))
	for {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) {
			return faults
		}
		if err != nil {
			return append(faults, err.Error())
		}
		switch tok := tok.(type) {
		case xml.StartElement:
			name := tok.Name.Local
			e, ok := shape[name]
			switch {
			case !ok:
				fault("unknown element %s", name)
			case len(open) == 0 && name != root:
				fault("the root is %s", name)
			case len(open) > 0 && !slices.Contains(shape[open[len(open)-1]].Children, name):
				fault("%s in %s", name, open[len(open)-1])
			}
			var have []string
			for _, a := range tok.Attr {
				have = append(have, a.Name.Local)
				if !slices.Contains(append(slices.Clone(e.Required), e.Optional...), a.Name.Local) {
					fault("unknown attribute %s of %s", a.Name.Local, name)
				}
			}
			for _, r := range e.Required {
				if !slices.Contains(have, r) {
					fault("%s without %s", name, r)
				}
			}
			open = append(open, name)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			if len(open) > 0 && !shape[open[len(open)-1]].Text && strings.TrimSpace(string(tok)) != "" {
				fault("text in %s", open[len(open)-1])
			}
		}
	}
}
