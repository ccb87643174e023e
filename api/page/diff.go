package page

import "strings"

// diffLine is a line that stayed (" "), went ("-") or came ("+").
type diffLine struct {
	Sign, Text string
}

// mostDiffed bounds how many lines are compared one with another; longer texts are shown one after the
// other.
const mostDiffed = 400

// diff says line by line what became of a text.
func diff(before, after string) []diffLine {
	a, b := lines(before), lines(after)
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	var out []diffLine
	add := func(sign string, texts []string) {
		for _, text := range texts {
			out = append(out, diffLine{sign, text})
		}
	}
	add(" ", a[:head])
	midA, midB := a[head:len(a)-tail], b[head:len(b)-tail]
	if len(midA) > mostDiffed || len(midB) > mostDiffed {
		add("-", midA)
		add("+", midB)
	} else {
		out = append(out, common(midA, midB)...)
	}
	add(" ", a[len(a)-tail:])
	return out
}

func lines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

// common finds the longest sequence of lines that both have, and tells the rest by it.
func common(a, b []string) []diffLine {
	length := make([][]int, len(a)+1)
	for i := range length {
		length[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				length[i][j] = length[i+1][j+1] + 1
			} else {
				length[i][j] = max(length[i+1][j], length[i][j+1])
			}
		}
	}
	var out []diffLine
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			out = append(out, diffLine{" ", a[i]})
			i, j = i+1, j+1
		case j == len(b) || i < len(a) && length[i+1][j] >= length[i][j+1]:
			out = append(out, diffLine{"-", a[i]})
			i++
		default:
			out = append(out, diffLine{"+", b[j]})
			j++
		}
	}
	return out
}
