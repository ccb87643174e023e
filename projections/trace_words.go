package projections

import "strings"

// words are the sentences of a trace in one language. Those with verbs are formats; what goes in is
// escaped before.
type words struct {
	session, goal, mode, status, started, counts string // labels of the heading

	updated                                                      string
	calls, open, switches, routes, runs, writes, lost, skipped   string
	threshold, reason, excluded, highRisk, warning, judge        string
	more, matched, suggestion                                    string
	reads, absent, promises, inputs, outputs, artifacts, missing string
	carries, staysOpen, leftBehind                               string
	attempt, attempts, on, after, tryAgain, lastTry              string
	run, waitsUntil, rang, void, redo, stale, by, revision, back string
	separator, colon                                             string
	asks, action, silence, agrees, denies, unanswered            string
	signal, awaits, apart, lists, done, joins                    string
	learned, serves, turnedDown                                  string

	states map[string]string
}

// in gives the state in this language; one without a word stays as it is.
func (w *words) in(state string) string {
	if word, ok := w.states[state]; ok {
		return word
	}
	return Escape(state)
}

// language picks the words: Chinese for zh and whatever begins with it, else English.
func language(lang string) *words {
	if strings.HasPrefix(strings.ToLower(lang), "zh") {
		return &chinese
	}
	return &english
}

var english = words{
	session: "session", goal: "goal   ", mode: "mode   ", status: "status ", started: "started", counts: "counts ",
	updated: "last change %s",
	calls:   "calls %d", open: "open %d", switches: "switches %d", routes: "routes %d", runs: "runs %d",
	writes: "context writes %d", lost: "lost attempts %d", skipped: "events of a newer version skipped %d",
	threshold: "threshold %s, margin %s", reason: "because: %s", excluded: "excluded: %s",
	highRisk: "high risk: %s", warning: "warning: %s", judge: "judge: %s",
	more: "and %d more", matched: "matched: %s", suggestion: "suggestion: %s",
	reads: "reads %s", absent: "not there: %s", promises: "writes %s", inputs: "inputs %s", outputs: "outputs %s",
	artifacts: "artifacts %s", missing: "promised and not written: %s",
	carries: "carries %s", staysOpen: "%s stays open", leftBehind: "leaves behind %s",
	attempt: "attempt %d", attempts: "attempts %d", on: "on %s", after: "%s s", tryAgain: "another attempt follows",
	lastTry: "no further attempt",
	run:     "run %s", waitsUntil: "waits until %s (%s)", rang: "the time has come", void: "no longer wanted",
	redo: "to be done again: %s", stale: "kept though their text changed: %s", by: "by %s", revision: "revision %d",
	back: "back to revision %d", separator: ", ", colon: ": ",
	asks: "%s asks: %s", action: "action %s", silence: "no answer until %s is a no",
	agrees: "%s: yes by %s", denies: "%s: no by %s", unanswered: "%s: nobody answered in time, which is a no",
	signal: "signal %s", apart: "its run stands in session %s", awaits: "waits for the signal %s",
	lists: "%s goes through %d items", done: "%d done · %d failed · %d open", joins: "%s joined: %d done, %d failed",
	learned: "learned (%s)", serves: "%s serves the task", turnedDown: "not %s",
	states: map[string]string{"opened": "opened again", "person": "by a person"},
}

var chinese = words{
	session: "会话", goal: "目标", mode: "模式", status: "状态", started: "开始", counts: "计数",
	updated: "最近变更 %s",
	calls:   "调用 %d", open: "未关闭 %d", switches: "切换 %d", routes: "路由 %d", runs: "运行 %d",
	writes: "上下文写入 %d", lost: "失联的尝试 %d", skipped: "跳过的新版事件 %d",
	threshold: "阈值 %s，领先 %s", reason: "依据：%s", excluded: "已排除：%s",
	highRisk: "高风险：%s", warning: "警告：%s", judge: "裁判：%s",
	more: "另有 %d 个", matched: "命中：%s", suggestion: "建议：%s",
	reads: "读取 %s", absent: "缺少：%s", promises: "写入 %s", inputs: "输入 %s", outputs: "输出 %s",
	artifacts: "产物 %s", missing: "承诺而未写：%s",
	carries: "携带 %s", staysOpen: "%s 保持打开", leftBehind: "留下 %s",
	attempt: "第 %d 次尝试", attempts: "尝试 %d 次", on: "在 %s", after: "%s 秒", tryAgain: "将再次尝试",
	lastTry: "不再尝试",
	run:     "运行 %s", waitsUntil: "等到 %s（%s）", rang: "时间已到", void: "不再需要",
	redo: "重做：%s", stale: "文本已改而保留：%s", by: "由 %s", revision: "修订 %d",
	back: "回到修订 %d", separator: "，", colon: "：",
	asks: "%s 请求批准：%s", action: "操作 %s", silence: "至 %s 未答复即为拒绝",
	agrees: "%s：由 %s 同意", denies: "%s：由 %s 拒绝", unanswered: "%s：无人及时答复，视为拒绝",
	signal: "信号 %s", apart: "其运行在会话 %s 中", awaits: "等待信号 %s",
	lists: "%s 逐项处理 %d 项", done: "完成 %d · 失败 %d · 未关闭 %d", joins: "%s 已汇合：完成 %d，失败 %d",
	learned: "学到（%s）", serves: "%s 胜任该任务", turnedDown: "不选 %s",
	states: map[string]string{
		"active": "进行中", "ended": "已结束",
		"open": "打开", "opened": "再次打开", "queued": "排队", "running": "执行中", "started": "开始执行",
		"backoff": "退避", "suspended": "挂起", "resumed": "恢复",
		"ok": "完成", "partial": "部分完成", "failed": "失败", "skipped": "跳过", "lost": "失联", "cancelled": "取消",
		"completed": "完成", "waiting": "等待", "wait": "等待", "expiry": "到期", "set": "已设", "fired": "时间已到", "voided": "不再需要", "downgraded": "降级", "advanced": "推进",
		"auto": "自动", "confirm": "待确认", "decompose": "拆分", "no_match": "无匹配", "blocked": "拦截",
		"handoff": "交接", "fallback": "降级", "escalate": "升级", "confirmed": "已确认", "overruled": "被改判", "closed": "已完成", "person": "人工", "imported": "导入", "retry": "重试", "rollback": "回退",
	},
}
