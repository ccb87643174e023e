package words

import "strings"

// Nearest gives the allowed word with the fewest edits from word, if it is near at all; "" otherwise.
func Nearest(word string, allowed []string) string {
	const longest = 64
	got := []rune(strings.ToLower(word))
	if len(got) > longest {
		return ""
	}
	best, edits := "", 1+max(1, len(got)/3)
	for _, one := range allowed {
		want := []rune(strings.ToLower(one))
		if len(want) > longest {
			continue
		}
		if d := distance(got, want); d < edits || d == edits && best != "" && one < best {
			best, edits = one, d
		}
	}
	return best
}

// distance counts the insertions, deletions, replacements and swaps of neighbours between two words.
func distance(a, b []rune) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			change := rows[i-1][j-1]
			if a[i-1] != b[j-1] {
				change++
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}
