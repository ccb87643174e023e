package acquire

import "github.com/batonflow/baton/sessions"

// Codes of what an acquisition may be refused with. They are stable.
const (
	CodeQuery        = "query_missing"
	CodeSlug         = "bad_slug"
	CodeVersion      = "bad_version"
	CodeNoVersion    = "version_missing"
	CodeMany         = "candidates_many"
	CodeNone         = "no_candidate"
	CodeSource       = "bad_source"
	CodeTrustFile    = "trust_unreadable"
	CodeTrustUnknown = "trust_not_found"
	CodeTrustEntry   = "bad_trust"
	CodeNoPin        = "pin_missing"
	CodeDigest       = "digest_mismatch"
	CodeUnsigned     = "signature_missing"
	CodeSignature    = "signature_wrong"
	CodeVerifier     = "verifier_missing"
	CodeGone         = "package_not_there"
	CodeUnreachable  = "source_unreachable"
	CodeLarge        = "package_too_large"
	CodeTampered     = "work_tampered"
	CodeApproval     = "approval_missing"
	CodeInstalled    = "already_installed"
	CodeNotInstalled = "skill_not_installed"
	CodeForeign      = "not_ours"
	CodeUnverified   = "installed_differs"
	CodeDisk         = "disk_failed"
)

// kinds says what sort of refusal a code is; a code of a package's contents is a [sessions.Refused].
var kinds = map[string]sessions.Kind{
	CodeQuery: sessions.Usage, CodeSlug: sessions.Usage, CodeVersion: sessions.Usage, CodeNoVersion: sessions.Usage, CodeMany: sessions.Usage,
	CodeSource: sessions.Usage, CodeTrustFile: sessions.Usage, CodeTrustEntry: sessions.Usage,
	CodeNone: sessions.NotFound, CodeTrustUnknown: sessions.NotFound, CodeNotInstalled: sessions.NotFound,
	CodeInstalled: sessions.Conflict, CodeForeign: sessions.Conflict,
	CodeApproval: sessions.Waits, CodeUnverified: sessions.Unverified,
	CodeGone: sessions.Failed, CodeUnreachable: sessions.Failed, CodeDisk: sessions.Failed,
	"denied": sessions.Refused, "approval_expired": sessions.Refused,
}

// KindOf gives the kind of a refusal by its code.
func KindOf(code string) sessions.Kind {
	if k, ok := kinds[code]; ok {
		return k
	}
	return sessions.Refused
}

func refuse(code, hint, format string, args ...any) *sessions.Refusal {
	return sessions.Refuse(KindOf(code), code, hint, format, args...)
}
