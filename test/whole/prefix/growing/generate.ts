// Random conversations by seeds: turns with tools, forced calls, formats, late system messages, pictures, thinking and tools that
// come and go, by one surface and another. The client only adds.

import type { Dice } from "../../../sim/dice.ts";
import type { SurfaceKey } from "../../../surfaces/crossing/crossing.ts";
import { SURFACE_KEYS } from "../../../surfaces/crossing/crossing.ts";
import { isLeftOut } from "./left-out.ts";
import {
  type AnswerPlan,
  type Ask,
  type Call,
  LEAVING,
  NOTED,
  type Said,
  type Signed,
  type Talk,
  type Tool,
} from "./talk.ts";
import { CARRIED } from "./write-request.ts";

export interface Target {
  readonly model: string;
  /** The surface in the vendor's own form, by which tools may change in the conversation. */
  readonly own: SurfaceKey;
  /** True if the gateway may have to say in words what these ask. */
  readonly isTold: boolean;
  /** True if `allowed_tools` leaves the list of tools whole. */
  readonly keepsTools: boolean;
}

export const TARGETS: readonly Target[] = [
  { model: "Anthropic#claude-opus-5-5", own: "messages", isTold: true, keepsTools: true },
  { model: "Anthropic#claude-sonnet-5-5", own: "messages", isTold: true, keepsTools: true },
  { model: "Anthropic#claude-haiku-5-5", own: "messages", isTold: true, keepsTools: true },
  { model: "Marked#claude-opus-5-5", own: "messages", isTold: true, keepsTools: true },
  { model: "Anthropic#claude-opus-4-7", own: "messages", isTold: true, keepsTools: false },
  { model: "OpenAI#gpt-6.1-sol", own: "responses", isTold: false, keepsTools: true },
  { model: "OpenAI#gpt-6.2-sol", own: "responses", isTold: false, keepsTools: true },
  { model: "Local#some-model", own: "chat", isTold: false, keepsTools: false },
];

/** A request to be made: what is new in the conversation, how it is asked, and how it will be answered. */
export interface Step {
  readonly said: readonly Said[];
  readonly ask: Ask;
  readonly surface: SurfaceKey;
  readonly isStreamed: boolean;
  readonly plan: AnswerPlan;
}

const makeTool = (name: string): Tool => ({
  name,
  description: `Does ${name}.`,
  schema: {
    type: "object",
    properties: { path: { type: "string" } },
    required: ["path"],
    additionalProperties: false,
  },
});

/** The kinds of a conversation that aren't the same for each of its turns. */
type Changes = "none" | "tools" | "added tools";
/** The surfaces that have a form for tools that a conversation adds. */
const ADDING: readonly SurfaceKey[] = ["messages", "responses"];

export class Generator {
  readonly target: Target;
  readonly talk: Talk;
  readonly turns: number;
  readonly #dice: Dice;
  readonly #changes: Changes;
  readonly #signed = new Set<Signed>();
  #tools: readonly string[];
  #hasLate = false;
  #hasEarlyLate = false;
  #isChanged = false;
  #isRemoved = false;
  /** True once the gateway has spoken before thinking. */
  #isTold = false;
  #count = 0;

  constructor(dice: Dice) {
    this.#dice = dice;
    this.target = dice.pick(TARGETS);
    this.turns = dice.int(3, 8);
    this.#changes = this.target.keepsTools ? dice.weighted({ none: 5, tools: 2, "added tools": 2 }) : "none";
    const names = ["read_file", "write_file", ...(this.#changes === "tools" ? [`${LEAVING}one`] : [])];
    this.#tools = names;
    this.talk = {
      system: `${NOTED}0 Be brief.`,
      tools: names.map(makeTool),
      effort: dice.chance(0.6) ? "high" : null,
      said: [],
    };
  }

  /** Takes the signatures of an answer, which not every surface can carry. */
  note(signed: readonly Signed[]): void {
    for (const one of signed) this.#signed.add(one);
  }

  /** Makes the first request of a turn. */
  begin(isLast: boolean): Step {
    const dice = this.#dice;
    const said: Said[] = [];
    if (this.#changes === "none" && this.#count > 0 && dice.chance(0.1) && this.#canNoteEarly()) {
      said.push(this.#noteLate());
      this.#hasEarlyLate = true;
    }
    said.push({ kind: "user", text: `ask ${++this.#count}`, hasPicture: dice.chance(0.15) });
    if (this.#changes === "tools" && dice.chance(0.4)) said.push(...this.#changeTools());
    if (this.#changes === "added tools" && dice.chance(0.5)) said.push(this.#addTool("added_"));
    if (dice.chance(0.15)) said.push(this.#noteLate());
    const ask = this.#changes === "tools" ? "plain" : this.#pickAsk(this.#changes === "added tools");
    return this.#makeStep(said, ask, isLast);
  }

  /** Makes the request with the results of calls. */
  goOn(calls: readonly Call[]): Step {
    const said: Said[] = calls.map((call) => ({ kind: "result", call, text: `result ${++this.#count}` }));
    if (this.#dice.chance(0.08)) said.push(this.#noteLate());
    return this.#makeStep(said, "plain", false);
  }

  #noteLate(): Said {
    this.#hasLate = true;
    return { kind: "late", text: `${NOTED}${++this.#count}` };
  }

  #canNoteEarly(): boolean {
    return SURFACE_KEYS.some((one) => !["messages", "gemini"].includes(one) && this.#canAsk(one, "plain"));
  }

  #changeTools(): readonly Said[] {
    const leaving = this.#tools.find((name) => name.startsWith(LEAVING));
    this.#isChanged = true;
    if (leaving !== undefined && this.target.own === "messages" && this.#dice.chance(0.5)) {
      this.#isRemoved = true;
      this.#tools = this.#tools.filter((name) => name !== leaving);
      return [{ kind: "removed", name: leaving }];
    }
    return [this.#addTool(LEAVING)];
  }

  #addTool(beginning: string): Said {
    const name = `${beginning}${++this.#count}`;
    this.#isChanged = true;
    this.#tools = [...this.#tools, name];
    return { kind: "added", tool: makeTool(name) };
  }

  #pickAsk(isAdding: boolean): Ask {
    const ask = this.#dice.weighted(
      isAdding
        ? { plain: 10, allowed: 8, required: 1, named: 0, json: 0 }
        : { plain: 10, required: 3, named: 2, allowed: 2, json: 3 },
    );
    if (ask === "allowed" && !this.target.keepsTools) return "plain";
    return SURFACE_KEYS.some((surface) => this.#canAsk(surface, ask)) ? ask : "plain";
  }

  #makeStep(said: readonly Said[], ask: Ask, isLast: boolean): Step {
    const dice = this.#dice;
    const surfaces = SURFACE_KEYS.filter((surface) => this.#canAsk(surface, ask));
    const surface = surfaces.length === 0 ? this.target.own : dice.pick(surfaces);
    const isTold = ask !== "plain" && this.target.isTold;
    const isRepeated = surface !== this.target.own || !isLeftOut("words before Claude's own API");
    const thinks = dice.chance(0.8) && (isLast || !isTold || isRepeated) && this.target.own !== "chat";
    this.#isTold ||= isTold && thinks;
    const isCalling = ask === "required" || ask === "named" || (ask !== "json" && dice.chance(0.4));
    const calls = isCalling ? this.#makeCalls(ask) : [];
    const text = calls.length === 0 || dice.chance(0.5) ? `answer ${++this.#count}` : "";
    const plan = { thinks, interleaves: dice.chance(0.6), text, calls };
    return { said, ask, surface, isStreamed: dice.chance(0.5), plan };
  }

  #makeCalls(ask: Ask): readonly Call[] {
    const names = ask === "plain" || ask === "required" ? this.#tools : this.#tools.slice(0, 1);
    return Array.from({ length: this.#dice.int(1, 2) }, () => ({
      id: `call_${++this.#count}`,
      name: this.#dice.pick(names),
      input: { path: `/tmp/${this.#count}`, deep: { list: [1, 2.5, null, true] } },
    }));
  }

  /** True if the surface has a form for the whole conversation and for what is asked. */
  #canAsk(surface: SurfaceKey, ask: Ask): boolean {
    if (this.#changes === "added tools" && !ADDING.includes(surface)) return false;
    if (this.#isChanged && surface !== "messages" && (surface !== "responses" || this.#isRemoved))
      return false;
    if (surface === "messages" && this.#isTold && isLeftOut("words before Claude's own API")) return false;
    if (surface === "gemini" && this.#hasLate) return false;
    // Claude takes no system message before a turn of the user's, and its own API's clients send none.
    if (surface === "messages" && this.#hasEarlyLate) return false;
    if (surface === "messages" && (ask === "allowed" || ask === "json")) return false;
    if (surface === "gemini" && ask === "allowed") return false;
    return [...this.#signed].every((one) => CARRIED[surface].includes(one));
  }
}
