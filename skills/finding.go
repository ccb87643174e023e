package skills

// Level says how bad a [Finding] is.
type Level string

const (
	// LevelError breaks the Agent Skills rules. The skill may still be usable.
	LevelError Level = "error"
	// LevelWarn was read in the one way that makes sense.
	LevelWarn Level = "warn"
)

// Finding is one thing that is wrong with a SKILL.md, with a stable code.
type Finding struct {
	Code    string `json:"code"`
	Level   Level  `json:"level"`
	Message string `json:"message"`
	Line    int    `json:"line,omitempty"` // from 1; 0 when it is about the whole file
}

// Codes of findings. The E codes are errors of the file, the W codes were repaired or ignored.
const (
	CodeEmptyFile         = "E_EMPTY_FILE"
	CodeTooLarge          = "E_TOO_LARGE"
	CodeNUL               = "E_NUL"
	CodeEncoding          = "E_ENCODING"
	CodeNoFrontMatter     = "E_FRONTMATTER_MISSING"
	CodeUnterminated      = "E_FRONTMATTER_UNTERMINATED"
	CodeYAML              = "E_FRONTMATTER_YAML"
	CodeNotMapping        = "E_FRONTMATTER_NOT_MAPPING"
	CodeAlias             = "E_FRONTMATTER_ALIAS"
	CodeDepth             = "E_FRONTMATTER_DEPTH"
	CodeNameMissing       = "E_NAME_MISSING"
	CodeNameType          = "E_NAME_TYPE"
	CodeNameFormat        = "E_NAME_FORMAT"
	CodeNameLength        = "E_NAME_LENGTH"
	CodeDescMissing       = "E_DESCRIPTION_MISSING"
	CodeDescType          = "E_DESCRIPTION_TYPE"
	CodeDescLength        = "E_DESCRIPTION_LENGTH"
	CodeEntrypointType    = "E_ENTRYPOINT_TYPE"
	CodeEntrypointCmd     = "E_ENTRYPOINT_CMD"
	CodeEntrypointUntyped = "W_ENTRYPOINT_UNTYPED"
	CodeBOM               = "W_BOM"
	CodeFenceSpace        = "W_FENCE_SPACE"
	CodeFenceLate         = "W_FENCE_LATE"
	CodeSwallowedHeading  = "W_FRONTMATTER_SWALLOWED_HEADING"
	CodeMultiDoc          = "W_MULTI_DOC"
	CodeDuplicateKey      = "W_DUPLICATE_KEY"
	CodeUnquotedColon     = "W_UNQUOTED_COLON"
	CodeReservedFirst     = "W_RESERVED_FIRST_CHAR"
	CodeJSONEscape        = "W_JSON_ESCAPE"
	CodeScalarContinued   = "W_SCALAR_CONTINUED"
	CodeVersionNumber     = "W_VERSION_NUMBER"
	CodeZeroWidth         = "W_ZERO_WIDTH"
	CodeNameFolder        = "W_NAME_FOLDER"
	CodeNameLookalike     = "W_NAME_LOOKALIKE"
	CodeBodyEmpty         = "W_BODY_EMPTY"
	CodeInjection         = "W_INJECTION"
	CodeStandardField     = "E_STANDARD_FIELD"
	CodeStandardName      = "E_STANDARD_NAME"
	CodeStandardValue     = "E_STANDARD_VALUE"
	CodeBodyLong          = "W_BODY_LONG"
	CodeUnreadable        = "E_UNREADABLE"
)

// Unreadable is the finding about a file that could not even be read.
func Unreadable(reason string) Finding { return fault(CodeUnreadable, 0, reason) }

func fault(code string, line int, message string) Finding {
	return Finding{Code: code, Level: LevelError, Message: message, Line: line}
}

func warning(code string, line int, message string) Finding {
	return Finding{Code: code, Level: LevelWarn, Message: message, Line: line}
}
