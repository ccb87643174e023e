package fetch

import (
	"net/http"
	"regexp"
	"unicode/utf8"

	"github.com/batonflow/baton/routing/web"
)

// Sizes in characters. A page that says more than a notice does is an article about such things, and
// one that says less than a shell may is empty.
const (
	ofNotice = 1500
	ofShell  = 200
)

// sign names what an answer is in place of a page, by its status and by what it looks like; empty: it
// is the page. Where it looks like several things, the one that must stop a machine counts.
func (v visit) sign(resp *http.Response, p *Page, d document) web.Code {
	codes := seen(p, d)
	if resp.StatusCode >= 400 || resp.StatusCode < 200 || resp.StatusCode >= 300 {
		codes = append(codes, web.StatusCode(resp.StatusCode))
	}
	if len(codes) == 0 && d.shell() {
		codes = append(codes, "empty_shell")
	}
	if len(codes) == 0 {
		return ""
	}
	return web.Recover(web.Failure{Codes: codes}).Code
}

// look is one thing that a page may be: by names in its markup, or by words of a short notice.
type look struct {
	code  web.Code
	marks *regexp.Regexp
	words *regexp.Regexp
}

var looks = []look{
	{
		"captcha", regexp.MustCompile(`g-recaptcha|h-captcha|hcaptcha\.com|recaptcha/api|cf-turnstile|turnstile/v0|geetest|captcha`),
		regexp.MustCompile(`(?i)captcha|are you (a )?(human|robot)|not a robot|unusual traffic|验证码|人机验证|滑动验证|拖动滑块`),
	},
	{
		"security_block", regexp.MustCompile(`cf-challenge|cf-browser-verification|cf-error|challenge-platform|_incapsula_|px-captcha`),
		regexp.MustCompile(`(?i)attention required|checking your browser|just a moment|access denied|request (was )?blocked|you have been blocked|verify(ing)? you are human|安全验证|访问被拒绝|请求被拦截`),
	},
	{"paywall", regexp.MustCompile(`paywall|"isaccessibleforfree"\s*:\s*"?false|subscription-wall|regwall`), regexp.MustCompile(
		`(?i)subscribe to (continue|read|keep reading)|subscribers? only|for subscribers|to continue reading|付费(阅读|内容)|订阅后(继续|阅读)|开通会员.{0,6}(阅读|查看)`)},
}

// seen lists what a page looks like.
func seen(p *Page, d document) []web.Code {
	var codes []web.Code
	if !d.html {
		return nil
	}
	notice := utf8.RuneCountInString(d.words) < ofNotice
	for _, l := range looks {
		if notice && (l.marks.MatchString(d.marks) || l.words.MatchString(p.Title+" "+d.words)) {
			codes = append(codes, l.code)
		}
	}
	if notice && d.passwords > 0 {
		codes = append(codes, "login_required")
	}
	return codes
}

// needsScript is what pages say to those without scripts.
var needsScript = regexp.MustCompile(`(?i)(enable|activate|requires?|need|turn on) .{0,20}javascript|启用 ?javascript|javascript (is )?(required|disabled)`)

// shell says whether the page is only what scripts would fill.
func (d document) shell() bool {
	says := utf8.RuneCountInString(d.words)
	if !d.html {
		return says == 0
	}
	return says == 0 || says < ofShell && (needsScript.MatchString(d.noscript+" "+d.words) || d.scripts > 0 && d.roots > 0)
}
