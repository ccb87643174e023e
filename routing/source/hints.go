package source

// mostHints bounds how many texts are suggested for one source.
const mostHints = 5

// hints suggests what to search a source for: as many texts as there are searches, up to five.
func hints(in input, s Source, searches int) []string {
	var out []string
	switch s {
	case Web:
		out = webHints(in)
	case Counter:
		doubts := doubtsEnglish
		if chinese(in.Subject) {
			doubts = doubtsChinese
		}
		out = with(in.Subject, doubts)
	case LocalFile:
		out = []string{"memory/*" + in.Subject + "*", "outbox/*" + in.Subject + "*", "*" + in.Subject + "*"}
	case Vector:
		out = append([]string{in.Subject}, with(in.Subject, in.Gaps)...)
	case Graph:
		out = with(in.Subject, []string{"1-hop relations", "2-hop relations"})
		if chinese(in.Subject) {
			out = with(in.Subject, []string{"1度关系", "2度关系"})
		}
	}
	return out[:min(len(out), mostHints, searches)]
}

// webHints asks for the gaps where they are known, and last for the domains that are preferred.
func webHints(in input) []string {
	out := with(in.Subject, in.Gaps)
	if len(out) == 0 {
		out = []string{in.Subject}
		if in.Freshness == high && chinese(in.Subject) {
			out[0] += " 最新"
		} else if in.Freshness == high {
			out[0] += " latest"
		}
	}
	for _, domain := range in.Domains {
		out = append(out, in.Subject+" site:"+domain)
	}
	return out
}

func with(subject string, words []string) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = subject + " " + w
	}
	return out
}
