#!/usr/bin/env node
/**
 * measure_http.mts [QUEUE [HOW_MANY]]: a worker in TypeScript over HTTP, with nothing but fetch.
 *
 * It takes calls from the queue and measures their words; after HOW_MANY calls it ends (0: never).
 *
 * It shows the token in BATON_HOME/outside-token, which opens four doors and no others: claim, beat, stream, close.
 * MEASURE_SECONDS is how long a word takes it, for who wants to watch; BEAT_SECONDS how often it says that it lives.
 *
 * All types can be erased, so Node from 22.18, Deno and Bun run it as it stands.
 */
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const beatEvery = 1000 * Number(process.env.BEAT_SECONDS ?? "2"); // a third of the server's lease, or less
const pace = 1000 * Number(process.env.MEASURE_SECONDS ?? "0");

/** What a call is given. */
interface Envelope {
  session: string;
  call_id: string;
  attempt: number;
  context_in: Record<string, unknown>;
}

/** A refusal as RFC 9457 tells it: a stable code, and what to do about it. */
interface Problem {
  code: string;
  detail: string;
  hint: string;
}

type Standing = "go on" | "cancelled" | "stale";

class Refused extends Error {
  readonly code: string;

  constructor(problem: Problem) {
    super(`${problem.code}: ${problem.detail}; ${problem.hint}`);
    this.code = problem.code;
  }
}

/** The attempt is cancelled or stale: stop, and drop what was found. */
class Unwanted extends Error {}

/** The four requests. Each names the attempt, which is the fence: a late one is told that it is stale. */
class Baton {
  readonly url: string;
  readonly token: string;

  constructor(url: string, token: string) {
    this.url = url;
    this.token = token;
  }

  async post<T>(path: string, body: object, requestId?: string, timeout = 40_000): Promise<T> {
    const headers: Record<string, string> = { Authorization: `Bearer ${this.token}`, "Content-Type": "application/json" };
    if (requestId !== undefined) headers["Idempotency-Key"] = requestId;
    const answer = await fetch(this.url + path, {
      method: "POST", headers, body: JSON.stringify(body), signal: AbortSignal.timeout(timeout),
    });
    if (answer.ok) return (await answer.json()) as T;
    if (answer.headers.get("Content-Type") === "application/problem+json") throw new Refused((await answer.json()) as Problem);
    throw new Error(`${path}: ${answer.status}`);
  }

  /** Asks until an answer comes: the server may be away for a while. The same request id means the same request. */
  async lasting<T>(path: string, body: object, requestId?: string): Promise<T> {
    for (;;) {
      try {
        return await this.post<T>(path, body, requestId);
      } catch (error) {
        const passing = ["server_full", "interrupted", "log_unreachable"];
        if (error instanceof Refused && !passing.includes(error.code)) throw error;
      }
      await sleep(500);
    }
  }
}

/** One attempt at a call. It says that it lives until it is over. */
class Attempt {
  readonly baton: Baton;
  readonly envelope: Envelope;
  readonly path: string;
  private unwanted?: Standing;
  private readonly timer: NodeJS.Timeout;

  constructor(baton: Baton, envelope: Envelope) {
    this.baton = baton;
    this.envelope = envelope;
    this.path = `/v1/sessions/${encodeURIComponent(envelope.session)}/calls/${encodeURIComponent(envelope.call_id)}/`;
    this.timer = setInterval(() => void this.beat(), beatEvery);
  }

  private async beat(): Promise<void> {
    try {
      const { answer } = await this.baton.post<{ answer: Standing }>(this.path + "beat", { attempt: this.envelope.attempt }, undefined, beatEvery);
      if (answer !== "go on") this.unwanted = answer;
    } catch {
      // The next beat may get through; whether it was in time is for the server to say.
    }
  }

  /** Tells how far it is, for `baton trace --follow`; who speaks is alive. */
  async say(text: string, data?: object): Promise<void> {
    const body = { attempt: this.envelope.attempt, text, data };
    const answer = this.unwanted ?? (await this.baton.lasting<{ answer: Standing }>(this.path + "stream", body)).answer;
    if (answer !== "go on") throw new Unwanted(answer);
  }

  async close(outputs: Record<string, unknown>): Promise<void> {
    await this.baton.lasting(this.path + "close", { attempt: this.envelope.attempt, status: "ok", outputs }, randomUUID());
  }

  over(): void {
    clearInterval(this.timer);
  }
}

/** The work itself. */
async function measure(attempt: Attempt): Promise<number[]> {
  const lengths: number[] = [];
  for (const word of String(attempt.envelope.context_in.words).split(/\s+/).filter(Boolean)) {
    await sleep(pace);
    lengths.push([...word].length);
    await attempt.say(`measured ${word}`, { done: lengths.length });
  }
  return lengths;
}

async function serve(baton: Baton, queue: string, calls: number): Promise<void> {
  let requestId = randomUUID();
  for (let taken = 0; calls === 0 || taken < calls; ) {
    let envelope: Envelope;
    try {
      envelope = await baton.lasting<Envelope>("/v1/claims", { queue, wait: 20, actor: "measure_http.mts" }, requestId);
    } catch (error) {
      if (error instanceof Refused && error.code === "queue_empty") continue;
      throw error;
    }
    taken += 1;
    requestId = randomUUID();
    console.log(`${envelope.call_id}: attempt ${envelope.attempt}`);
    const attempt = new Attempt(baton, envelope);
    try {
      const lengths = await measure(attempt);
      await attempt.close({ lengths });
      console.log(`${envelope.call_id}: ${JSON.stringify(lengths)}`);
    } catch (late) {
      if (!(late instanceof Unwanted || late instanceof Refused)) throw late;
      console.error(`attempt ${envelope.attempt} of ${envelope.call_id} does not count: ${late.message}`); // another attempt counts
    } finally {
      attempt.over();
    }
  }
}

const [queue = "lengths", calls = "0"] = process.argv.slice(2);
const home = process.env.BATON_HOME || join(homedir(), ".baton");
const read = (name: string): string => readFileSync(join(home, name), "utf8").trim();
const url: string = process.env.BATON_URL || JSON.parse(read("server.json")).http;
await serve(new Baton(url, process.env.BATON_OUTSIDE_TOKEN || read("outside-token")), queue, Number(calls));
