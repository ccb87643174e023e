package audit

import (
	"strings"
)

// lookalikes maps letters of other scripts, in lower case, to the Latin letters that they look like.
var lookalikes = pairs(
	"аa вb еe кk мm нh оo рp сc тt уy хx іi јj ѕs ԁd ԛq ԝw һh ӏl ѵv ѡw ьb",
	"αa βb γy εe ηn ιi κk μu νv οo ρp τt υu χx ωw",
	"ոn սu օo հh ցg ԉn ɑa ɡg ɩi ɪi ʏy ᴀa ʙb ᴄc ᴅd ᴇe ꜰf ɢg ʜh ᴊj ᴋk ʟl ᴍm ɴn ᴏo ᴘp ʀr ꜱs ᴛt ᴜu ᴠv ᴡw ᴢz ƨs ı i",
)

func pairs(lists ...string) map[rune]rune {
	table := map[rune]rune{}
	for _, list := range lists {
		for pair := range strings.FieldsSeq(list) {
			if r := []rune(pair); len(r) == 2 {
				table[r[0]] = r[1]
			}
		}
	}
	return table
}

var letters = lazily(`[\p{L}\p{M}]+`)

// latin puts Latin letters in place of those that only look like them, word by word: in words that
// mix scripts and in words that are made of look-alikes alone.
func latin(s string) string {
	return letters.ReplaceAllStringFunc(s, func(word string) string {
		if ascii(word) {
			return word
		}
		var b strings.Builder
		mixed, all := false, true
		for _, r := range word {
			to, ok := lookalikes[r]
			mixed = mixed || 'a' <= r && r <= 'z'
			all = all && (ok || 'a' <= r && r <= 'z')
			if ok {
				r = to
			}
			if !('\u0300' <= r && r <= '\u036f') { // accents of their own are ornament here
				b.WriteRune(r)
			}
		}
		if mixed || all {
			return b.String()
		}
		return word
	})
}

// mixesCyrillic finds a word of Latin and Cyrillic letters, which no language has.
var mixesCyrillic = lazily(`[A-Za-z]\p{Cyrillic}|\p{Cyrillic}[A-Za-z]`)
