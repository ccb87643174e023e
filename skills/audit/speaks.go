package audit

// Speaks gives the phrases with which a text addresses the model that reads it instead of saying what
// a skill does. A skill whose name or description does so is not to be chosen by a router.
func Speaks(s string) []string {
	list, err := rules()
	if err != nil {
		return nil // the tests of this package rule it out
	}
	read := plain(s)
	if !suspect(list, read.s) {
		return nil
	}
	forms := map[string]text{inProse: prose(read), inCode: read}
	var out []string
	for i := range list {
		rule := &list[i]
		if !rule.Speaks {
			continue
		}
		t := forms[rule.In]
		if at := rule.find(t); len(at) > 0 && !mentioned(t.s, at[0][0], at[0][1]) {
			out = append(out, shorten(t.s[at[0][0]:at[0][1]]))
		}
	}
	return out
}

// suspect says whether a text has a word that such a phrase cannot do without, or spells words out. It
// spares most texts the rest.
func suspect(list []rule, folded string) bool {
	for i := range list {
		if list[i].Speaks && contains(folded, list[i].Hints) {
			return true
		}
	}
	for _, re := range spelled {
		if re.MatchString(folded) {
			return true
		}
	}
	return false
}
