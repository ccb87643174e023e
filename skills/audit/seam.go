package audit

import (
	"strings"
)

// seam is how much of the end of one document and of the beginning of the next are read together.
const seam = 200

// seams reads documents on into the next one, so that a sentence that was cut between two files is
// one sentence again.
func (a *auditor) seams() {
	var before *reading
	for _, r := range a.read {
		if r.class == script {
			continue
		}
		if before != nil {
			a.seam(before, r)
		}
		before = r
	}
}

func (a *auditor) seam(one, two *reading) {
	tail := strings.TrimSpace(one.prose.s)
	tail = strings.ToValidUTF8(tail[max(0, len(tail)-seam):], "")
	head := strings.ToValidUTF8(two.prose.s[:min(seam, len(two.prose.s))], "")
	_, body, ok := strings.Cut(strings.TrimSpace(two.prose.s), "--- ")
	if ok && strings.HasPrefix(strings.TrimSpace(two.prose.s), "---") {
		head = body[:min(seam, len(body))]
	}
	both := text{s: tail + " " + head}
	for i := range a.rules {
		rule := &a.rules[i]
		if rule.In != inProse || rule.Level != High {
			continue
		}
		for _, at := range rule.find(both) {
			if at[0] < len(tail) && at[1] > len(tail) {
				a.found(rule, one, max(len(one.lines), 1), rule.Level, "goes on in "+two.path+": "+rule.Note)
			}
		}
	}
}

// installers are addresses from which well-known programs tell their users to install them.
var installers = lazily(`https://(?:sh\.rustup\.rs|get\.docker\.com|bun\.(?:sh|com)/install|deno\.land/(?:x/)?install|astral\.sh/uv|install\.python-poetry\.org|sdk\.cloud\.google\.com|get\.k3s\.io|ollama\.com/install\.sh|nixos\.org/nix/install|get\.pnpm\.io|fnm\.vercel\.app|mise\.run|starship\.rs|get\.sdkman\.io|claude\.ai/install\.sh|cli\.github\.com|deb\.nodesource\.com|raw\.githubusercontent\.com/(?:homebrew/install|nvm-sh/nvm|ohmyzsh/ohmyzsh|helm/helm|pyenv/pyenv-installer)/|fly\.io/install\.sh|cursor\.com/install|tailscale\.com/install\.sh)`)

// installer says whether a command names such an address and no other.
func installer(command string) bool {
	return len(addresses.FindAllString(command, -1)) == 1 && installers.MatchString(command)
}
