package skills

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParametersAreRead(t *testing.T) {
	t.Parallel()
	for front, want := range map[string][]string{
		"parameters: [city, days]":                                 {"city", "days"},
		"arguments:\n- {name: city, type: string}\n- {name: days}": {"city", "days"},
		"inputs: {city: text, days: number}":                       {"city", "days"},
		"params: {type: object, properties: {city: {}, days: {}}}": {"city", "days"},
		"metadata: {parameters: [city]}":                           {"city"},
		"parameters: city":                                         nil,
		"parameters: [{type: string}, [], '']\ninputs: [days]":     {"days"},
		"license: MIT": nil,
	} {
		s, _ := Parse("/s/weather/SKILL.md", []byte("---\nname: weather\ndescription: Gives the weather.\n"+front+"\n---\n"))
		if diff := cmp.Diff(want, s.Parameters); diff != "" {
			t.Errorf("%s (-want +got):\n%s", front, diff)
		}
	}
}
