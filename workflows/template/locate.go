package template

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// locateBytes bounds how much text is read again to find where a fault begins.
const locateBytes = 8 << 20

// whereYAML finds where the text stops being YAML. The reader gives only a line, and often not the
// right one, so the place is the first character after the longest beginning that can still be read.
func whereYAML(text []byte, err error) (line, column int) {
	said := 1
	if m := yamlLine.FindStringSubmatch(err.Error()); m != nil && m[1] != "" {
		said, _ = strconv.Atoi(m[1]) // digits by the expression; too many of them give the largest int
	}
	budget := locateBytes
	ends := lineEnds(text)
	good, found := lastGood(text, ends[:min(said+3, len(ends))], &budget)
	if !found || good == len(ends) {
		return min(said, len(ends)), 1
	}
	start := 0
	if good > 0 {
		start = ends[good-1]
	}
	bad := text[start:ends[good]]
	indent := len(bad) - len(bytes.TrimLeft(bad, " \t"))
	if tab := bytes.IndexByte(bad[:indent], '\t'); tab >= 0 && tabbed(err) {
		return good + 1, tab + 1
	}
	cuts := make([]int, 0, len(bad))
	for i := range string(bad) {
		if i > 0 {
			cuts = append(cuts, start+i)
		}
	}
	inLine, found := lastGood(text, cuts, &budget)
	if !found || inLine == 0 {
		return good + 1, 1 + utf8.RuneCount(bad[:indent])
	}
	return good + 1, 1 + max(inLine, utf8.RuneCount(bad[:indent]))
}

func tabbed(err error) bool {
	return strings.Contains(err.Error(), "tab") || strings.Contains(err.Error(), "cannot start any token")
}

// lastGood gives how many of the cuts lead to the longest beginning of the text that is YAML: 0 when
// only the empty one is. It is not found when the budget of bytes is used up first.
func lastGood(text []byte, cuts []int, budget *int) (n int, found bool) {
	for n = len(cuts); n > 0; n-- {
		if *budget -= cuts[n-1]; *budget < 0 {
			return 0, false
		}
		if readable(text[:cuts[n-1]]) {
			break
		}
	}
	return n, true
}

// readable says whether a text is YAML, second documents included.
func readable(text []byte) bool {
	dec := yaml.NewDecoder(bytes.NewReader(text))
	for {
		var doc yaml.Node
		if err := dec.Decode(&doc); err != nil {
			return errors.Is(err, io.EOF)
		}
	}
}

// lineEnds gives the offset after each line.
func lineEnds(text []byte) []int {
	var ends []int
	for i, c := range text {
		if c == '\n' {
			ends = append(ends, i+1)
		}
	}
	if len(ends) == 0 || ends[len(ends)-1] < len(text) {
		ends = append(ends, len(text))
	}
	return ends
}
