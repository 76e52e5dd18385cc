// Plays a random conversation through the gateway, and lists what isn't as it must be: a prefix that changed, thinking that a
// vendor would drop, an order of messages that it would refuse.
import { Dice } from "../../../sim/dice.ts";
import type { SurfaceKey } from "../../../surfaces/crossing/crossing.ts";
import { Generator, type Step } from "./generate.ts";
import { type Piece, takeOwnWords } from "./pieces.ts";
import { readAnswer } from "./read-answer.ts";
import type { Recorder } from "./recorder.ts";
import type { Said, Talk } from "./talk.ts";
import { writeRequest } from "./write-request.ts";

interface Gateway {
  readonly url: string;
  readonly secret: string;
}

const LOOPS_MAX = 3;

class Player {
  readonly #gateway: Gateway;
  readonly #recorder: Recorder;
  readonly #generator: Generator;
  readonly findings: string[] = [];
  #said: readonly Said[] = [];
  #expected: readonly Piece[] = [];
  #steps: string[] = [];

  constructor(seed: number, gateway: Gateway, recorder: Recorder) {
    this.#gateway = gateway;
    this.#recorder = recorder;
    this.#generator = new Generator(new Dice(seed));
  }

  async play(): Promise<void> {
    const { turns } = this.#generator;
    for (let turn = 1; turn <= turns && this.findings.length === 0; turn++) {
      const isLast = turn === turns;
      let step = this.#generator.begin(isLast);
      for (let loop = 0; loop < LOOPS_MAX; loop++) {
        await this.#ask(step);
        const { calls } = step.plan;
        if (this.findings.length > 0 || (calls.length === 0 && loop > 0) || (isLast && loop === 0)) break;
        if (calls.length === 0) break;
        step = this.#generator.goOn(calls);
        if (loop === LOOPS_MAX - 2) step = { ...step, plan: { ...step.plan, calls: [], text: "enough" } };
      }
    }
  }

  async #ask(step: Step): Promise<void> {
    const { talk, target } = this.#generator;
    this.#said = [...this.#said, ...step.said];
    this.#steps.push(`${step.surface} ${step.ask}${step.isStreamed ? " streamed" : ""}`);
    this.#recorder.plan = step.plan;
    this.#recorder.seen.length = 0;
    const asked: Talk = { ...talk, said: this.#said };
    const { status, text } = await this.#post(
      step,
      writeRequest(step.surface, asked, step.ask),
      target.model,
    );
    const [call, ...more] = this.#recorder.seen;
    if (status !== 200 || call === undefined) return this.#find(`${status}: ${text.slice(0, 500)}`);
    if (more.length > 0) this.#find("it was asked more than once");
    for (const problem of call.problems) this.#find(problem);
    if (call.removed.length > 0) this.#find(`${call.removed.length} thoughts were dropped`);
    const { others: pieces, at } = takeOwnWords(call.pieces);
    const newest = call.pieces.findLastIndex((piece) => piece.includes('"text":"ask '));
    if (at !== null && at < newest && target.own === "chat")
      this.#find(`the gateway speaks at ${at}, before the newest turn at ${newest}`);
    const changed = this.#expected.findIndex((piece, at) => piece !== pieces[at]);
    if (changed !== -1) this.#find(`${this.#expected[changed]} became ${pieces[changed] ?? "nothing"}`);
    this.#expected = [...pieces, ...call.answered];
    const answer = readAnswer(step.surface, text, step.isStreamed);
    this.#said = [...this.#said, answer];
    this.#generator.note(answer.parts.flatMap((part) => (part.kind === "thinking" ? [part.signed] : [])));
  }

  #find(finding: string): void {
    this.findings.push(`${this.#generator.target.model} (${this.#steps.join(", ")}): ${finding}`);
  }

  async #post({ surface, isStreamed }: Step, body: object, model: string) {
    const [path, about] = nameRequest(surface, model, isStreamed);
    const response = await fetch(this.#gateway.url + path, {
      method: "POST",
      headers: { authorization: `Bearer ${this.#gateway.secret}`, "content-type": "application/json" },
      body: JSON.stringify({ ...about, ...body }),
    });
    return { status: response.status, text: await response.text() };
  }
}

function nameRequest(surface: SurfaceKey, model: string, stream: boolean): readonly [string, object] {
  const about = { model, stream };
  switch (surface) {
    case "chat":
      return ["/v1/chat/completions", about];
    case "messages":
      return ["/v1/messages", about];
    case "responses":
      return ["/v1/responses", about];
    case "gemini": {
      const verb = stream ? "streamGenerateContent?alt=sse" : "generateContent";
      return [`/v1beta/models/${encodeURIComponent(model)}:${verb}`, {}];
    }
  }
}

/** Plays the conversation of a seed. Returns what isn't as it must be. */
export async function playSeed(
  seed: number,
  gateway: Gateway,
  recorder: Recorder,
): Promise<readonly string[]> {
  const player = new Player(seed, gateway, recorder);
  await player.play();
  return player.findings.map((finding) => `seed ${seed}: ${finding}`);
}
