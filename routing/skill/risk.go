package skill

import (
	"strings"

	"github.com/batonflow/baton/routing/words"
)

// risks are the actions that cannot be taken back, each by its words.
var risks = []struct {
	name  string
	words []string
}{
	{"delete", []string{"删除", "删掉", "清空", "抹掉", "销毁", "delete", "erase", "wipe"}},
	{"pay", []string{"支付", "付款", "转账", "汇款", "购买", "退款", "pay", "purchase", "transfer money", "refund"}},
	{"publish", []string{"发布", "发表", "推送", "上线", "发一篇", "发篇", "发头条", "发微头条", "publish", "go live"}},
	{"send", []string{"发送", "外发", "群发", "发邮件", "寄出", "send"}},
}

// HighRisk gives the kind of thing that cannot be taken back which a text asks for: delete, pay, publish
// or send; "" for none.
func HighRisk(text string) string {
	text = words.Fold(text)
	stems := stemmed(text)
	for _, r := range risks {
		for _, w := range r.words {
			if says(text, stems, w) {
				return r.name
			}
		}
	}
	return ""
}

// risk gives the word of a request that asks for something that cannot be taken back, and whether
// the skill's own text says that it does such a thing.
func risk(q query, own string) (word string, covered bool) {
	roles := q.roles
	stems := stemmed(q.text)
	for _, r := range risks {
		for _, w := range r.words {
			at := strings.Index(q.text, w)
			if !says(q.text, stems, w) || at >= 0 && roles[at] == 0 {
				continue
			}
			ownStems := stemmed(own)
			for _, other := range r.words {
				covered = covered || says(own, ownStems, other)
			}
			return w, covered
		}
	}
	return "", false
}

func says(text, stems, word string) bool {
	if strings.ContainsFunc(word, words.CJK) {
		return strings.Contains(text, word)
	}
	return strings.Contains(stems, stemmed(word))
}

// stemmed is the English of a text as stems with a blank around each.
func stemmed(text string) string {
	var b strings.Builder
	b.WriteByte(' ')
	for run := range words.Runs(text) {
		if run.CJK {
			continue
		}
		for _, part := range words.Split(run.Text) {
			b.WriteString(words.Stem(part))
			b.WriteByte(' ')
		}
	}
	return b.String()
}
