package projections

// Conventions is the schema whose names the spans use: version 1.41.0 of the OpenTelemetry semantic
// conventions, the last one that holds those of generative AI. Operation "plan" is of the repository
// that they have moved to since, semantic-conventions-genai.
const Conventions = "https://opentelemetry.io/schemas/1.41.0"

// Names of OpenTelemetry's conventions for generative AI.
const (
	attrOperation    = "gen_ai.operation.name"
	attrConversation = "gen_ai.conversation.id"
	attrWorkflow     = "gen_ai.workflow.name"
	attrAgent        = "gen_ai.agent.name"
	attrTool         = "gen_ai.tool.name"
	attrToolCall     = "gen_ai.tool.call.id"
	attrToolType     = "gen_ai.tool.type"
	attrArguments    = "gen_ai.tool.call.arguments"
	attrResult       = "gen_ai.tool.call.result"
	attrError        = "error.type"
)

// Operations, which begin a span's name too. The last one is ours: the conventions know no choice of a
// skill.
const (
	opWorkflow = "invoke_workflow"
	opAgent    = "invoke_agent"
	opTool     = "execute_tool"
	opPlan     = "plan"
	opRoute    = "skill.route"
)

// Names of OpenInference, which Phoenix reads.
const (
	attrKind       = "openinference.span.kind"
	attrSession    = "session.id"
	attrInput      = "input.value"
	attrInputType  = "input.mime_type"
	attrOutput     = "output.value"
	attrOutputType = "output.mime_type"
	attrTokens     = "llm.token_count.total"
	attrCost       = "llm.cost.total"
)

// Names of Langfuse.
const (
	attrObservation   = "langfuse.observation.type"
	attrTraceName     = "langfuse.trace.name"
	attrLevel         = "langfuse.observation.level"
	attrStatusMessage = "langfuse.observation.status_message"
)

// Our own names.
const (
	attrBaton    = "baton."
	attrRun      = attrBaton + "run"
	attrTemplate = attrBaton + "template.sha256"
	attrTaking   = attrBaton + "run.taking"
	attrRunState = attrBaton + "run.status"
	attrCall     = attrBaton + "call"
	attrStep     = attrBaton + "step"
	attrPurpose  = attrBaton + "purpose"
	attrAttempt  = attrBaton + "attempt"
	attrState    = attrBaton + "status"
	attrQueue    = attrBaton + "queue"
	attrWorker   = attrBaton + "worker"
	attrWaited   = attrBaton + "waited_seconds"
	attrExecutor = attrBaton + "executor"
	attrReason   = attrBaton + "reason"

	attrRouteID    = attrBaton + "route"
	attrRouter     = attrBaton + "router"
	attrDecision   = attrBaton + "decision"
	attrChosen     = attrBaton + "chosen"
	attrCandidates = attrBaton + "candidates"
	attrScore      = attrBaton + "score"
)

// look is how a kind of operation is shown by those who do not go by its name.
type look struct {
	openInference string
	langfuse      string
}

var looks = map[string]look{
	opWorkflow: {"CHAIN", "chain"},
	opAgent:    {"AGENT", "agent"},
	opTool:     {"TOOL", "tool"},
	opPlan:     {"CHAIN", "chain"},
	opRoute:    {"RETRIEVER", "retriever"},
}
