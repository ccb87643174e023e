package page

// chinese gives the Chinese for each text of the page. What is missing here stays English.
var chinese = map[string]string{
	"Skip to content": "跳到内容", "Main": "主导航", "Runs": "运行", "Sessions": "会话", "Inbox": "待办", "System": "系统",
	"Language and theme": "语言与外观", "Language": "语言", "Theme": "外观", "As the system": "跟随系统", "Light": "浅色", "Dark": "深色",
	"Keyboard": "键盘", "Close": "关闭", "Back": "返回", "Cancel": "取消", "Retry": "重试", "Resume": "继续运行", "Show": "显示", "Search": "搜索",
	"next and previous line": "下一行、上一行", "open it": "打开", "close what is open": "关闭打开的内容", "search": "搜索",
	"follow the newest": "跟随最新", "one commit back and forth": "后退、前进一次提交",
	"timeline, graph, events, context, decisions": "时间线、图、事件、上下文、决策", "zoom in, out, all": "放大、缩小、全部",
	"go to runs, sessions, inbox, system": "前往运行、会话、待办、系统",

	"all": "全部", "running": "运行中", "waiting": "等待中", "failed": "失败", "completed": "已完成", "cancelled": "已取消", "queued": "排队中",
	"ok": "完成", "partial": "部分完成", "skipped": "已跳过", "pending": "未开始", "backoff": "稍后重试", "active": "进行中", "ended": "已结束",
	"dead": "死信", "lost": "失联", "open": "未关闭", "suspended": "已挂起", "paused": "已暂停", "approved": "已批准", "denied": "已拒绝",

	"bar.work": "工作", "bar.queue": "排队", "bar.limit": "等待限额", "bar.approval": "等待批准", "bar.timer": "等待时间", "bar.signal": "等待信号",
	"bar.backoff": "下次尝试前的间隔", "bar.child": "等待子运行", "bar.outside": "等待智能体领取", "bar.suspended": "挂起",

	"That did not work": "没有成功", "Nothing has run yet": "还没有运行过", "Start a workflow in a terminal, and watch it here.": "在终端里启动一个工作流，就能在这里看它运行。",
	"chosen": "已选", "choose all": "全选", "Cancel the chosen runs?": "取消所选的运行？", "Cancel this run?": "取消这次运行？",
	"State": "状态", "Run": "运行", "Skills": "技能", "Skill": "技能", "Cost": "费用", "Took": "用时", "Started": "开始于", "fork": "分支", "Goal": "目标",
	"Calls": "调用", "calls": "次调用", "Last event": "最近事件", "%s ago": "%s 前", "Newer": "较新", "Older": "较旧", "Pages": "翻页", "Time": "时间", "Order": "排序",
	"any time": "任何时间", "1h": "1 小时内", "24h": "24 小时内", "7d": "7 天内", "30d": "30 天内", "done": "完成",
	"sort.newest": "最新在前", "sort.oldest": "最旧在前", "sort.longest": "用时最长在前", "sort.name": "按名称", "sort.cost": "费用最高在前",
	"No run is like that.": "没有这样的运行。", "No session is like that.": "没有这样的会话。", "Show all": "显示全部",
	"There is no session yet": "还没有会话", "A session is one goal and everything that is done for it.": "会话就是一个目标，以及为它所做的一切。",

	"Nothing waits for you": "没有事情等你处理", "Questions that a run asks and steps that failed for good are gathered here.": "运行提出的问题和彻底失败的步骤会汇集在这里。",
	"Approvals": "批准", "Dead letters": "死信", "attempt %d": "第 %d 次尝试", "attempt %d of %d": "第 %d 次尝试，共 %d 次", "Note": "备注", "Try again": "再试一次", "Skip": "跳过",
	"Leave failed": "保持失败", "waits for an answer": "等待答复", "expires in": "剩余", "The exact action": "确切的操作", "approved by": "批准人", "denied by": "拒绝人",
	"Your name": "你的名字", "Reason": "理由", "Approve": "批准", "Deny": "拒绝",

	"Workers": "工人", "Queued": "排队", "In hand": "处理中", "Timers": "定时器", "Up for": "已运行", "Durability": "持久性", "Commits that cannot be read": "无法读取的提交",
	"Queues": "队列", "Queue": "队列", "Waiting": "等待", "Running": "运行", "Depth": "深度", "Oldest": "最久", "served": "有工人", "for agents outside": "由外部智能体领取", "nobody serves it": "无人服务",
	"%d for agents": "%d 个待智能体领取", "No queue is served here.": "这里没有服务任何队列。", "Attempts under way": "进行中的尝试", "Limits": "限额", "Schedules": "日程", "Store": "存储",
	"Home": "主目录", "Installation": "安装", "Process": "进程", "expiry": "到期", "wait": "等待", "timeout": "超时",

	"Side by side": "并排对比", "they part at": "分开于", "Step": "步骤", "shared": "共有", "not there": "没有", "what differs": "差异", "%d of %d steps are shown": "显示了 %d / %d 个步骤",
	"Selected call": "所选调用", "fork of": "分支自", "for a call of": "为其调用：", "Its run has a session of its own": "它的运行有自己的会话", "Permalink": "固定链接", "Compare": "对比", "The same run in": "同一运行在", "Export": "导出", "The session as a file": "把会话存为文件", "Events": "事件", "Trace": "轨迹",
	"Steps": "步骤", "At once": "并行", "Most at once": "最多并行", "Tokens": "令牌", "Why it ended": "为何结束", "Why it is not done": "为何还没完成", "and %d more": "还有 %d 条",
	"As it was": "当时的状态", "after commit %d of %d": "第 %d 次提交之后，共 %d 次", "Back to now": "回到现在",
	"view.timeline": "时间线", "view.graph": "图", "view.events": "事件", "view.context": "上下文", "view.decisions": "决策",
	"Following": "跟随中", "Follow": "跟随", "Legend": "图例", "Find a step": "查找步骤", "No step is like that.": "没有这样的步骤。", "Nothing has happened yet.": "还什么都没有发生。",
	"This page draws its rows with a script of its own; it needs JavaScript.": "本页用自己的脚本绘制各行，需要 JavaScript。",
	"rows": "行", "%d at once": "最多 %d 个并行", "%d of %d": "%d / %d", "fold": "折叠", "unfold": "展开", "Raw events": "原始事件", "Graph of steps": "步骤图",
	"%d more steps are not drawn": "还有 %d 个步骤未画出", "A graph belongs to a run; choose one.": "图属于某次运行；请选择一次。",
	"Text in the data": "数据中的文字", "Type": "类型", "Earlier": "更早", "Later": "更晚", "sequence": "序号", "caused by": "起因", "No event is like that.": "没有这样的事件。",
	"Find a key": "查找键", "rev": "版本", "Nothing is in the context.": "上下文里什么都没有。", "%d of %d keys are shown": "显示了 %d / %d 个键",
	"No router had to decide.": "没有需要路由决定的事。", "Hand-overs": "交接", "blocked": "已阻止", "Threshold": "阈值", "Margin": "差距", "Lacking for auto": "自动执行还缺", "Excluded": "已排除",
	"High risk": "高风险", "Warnings": "警告", "Judge": "评判", "Skill index": "技能索引", "Rules": "规则", "Feedback that bore on it": "影响它的反馈",
	"auto": "自动", "confirm": "需确认", "decompose": "拆分", "no_match": "无匹配", "handoff": "交接", "fallback": "退路", "escalate": "升级", "retry": "重试", "rollback": "回退",
	"one commit back": "后退一次提交", "one commit forth": "前进一次提交", "Commit": "提交", "at.now": "现在",

	"Width": "宽度", "Error": "错误", "tab.call": "调用", "tab.context": "上下文", "tab.decision": "决策", "tab.attempts": "尝试", "tab.events": "事件", "tab.fork": "分支",
	"No router had to decide: the step names what it does.": "无需路由决定：步骤已写明做什么。", "It says": "它在说", "Worker": "工人", "Attempt": "尝试", "Opened": "打开于", "Closed": "关闭于", "Call": "调用", "Effect key": "效果键",
	"Inputs": "输入", "Outputs": "输出", "Value": "值", "Files": "文件", "Used": "用量", "A step that goes through a list; its items have calls of their own.": "遍历列表的步骤；每一项有自己的调用。",
	"Open this run": "打开这次运行", "It has not begun.": "还没有开始。", "Envelope": "封套", "everything the call was given": "调用得到的一切", "Read": "读取", "was not there": "当时没有", "It read nothing.": "没有读取任何内容。",
	"Written, and what that changed": "写入及其改变", "deleted": "已删除", "It wrote nothing.": "没有写入任何内容。", "until": "直到", "waited %s": "等待了 %s",
	"A new session begins with everything up to this call, and goes on from here with what you change. This session stays as it is.": "新会话从到这次调用为止的一切开始，带着你的修改继续。本会话保持不变。",
	"Inputs of the step, as YAML (empty: unchanged)": "步骤的输入，YAML（空：不变）", "Context": "上下文", "Another context key": "另一个上下文键", "Its value: JSON, or text": "它的值：JSON 或文字", "Fork from here": "从这里分支",
	"A fork begins at a call; this row has none.": "分支从一次调用开始；这一行没有调用。", "paused-follow": "已停住",
}
