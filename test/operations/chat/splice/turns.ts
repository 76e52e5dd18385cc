// Streams of chat as models send them: thinking, text, calls and citations, each in many pieces, with what may come between.
import type { Dice } from "./streams.ts";

const WORDS = [
  "a",
  " the",
  "Hello",
  " ünï",
  "日本語",
  "😀",
  "\n",
  '"',
  "\\",
  "}]}",
  "\u2028",
  "delta",
  "0",
  " x: ",
] as const;
const KEYS = ["city", "when", "a", "text"] as const;

interface Choice {
  readonly index: number;
  readonly delta: object;
  readonly finish_reason: string | null;
  readonly logprobs?: object | null;
}

/** Chunks that a server's own fields surround, in the order in which they come. */
class Turn {
  readonly #dice: Dice;
  readonly #isPadded: boolean;
  readonly #logprobs: "each" | "same" | "null" | "none";
  text = "";

  constructor(dice: Dice) {
    this.#dice = dice;
    this.#isPadded = dice.chance(0.2);
    this.#logprobs = dice.among(["none", "none", "none", "null", "each", "same"]);
  }

  add(delta: object, reason: string | null = null, more: object = {}): void {
    const said = { index: 0, delta, finish_reason: reason };
    const choice: Choice =
      this.#logprobs === "none" ? said : { ...said, logprobs: this.#makeLogprobs(delta) };
    const padding = this.#isPadded ? { obfuscation: "aB3x9Qw".slice(0, this.#dice.below(7)) } : {};
    this.#write({ id: "chatcmpl-1", created: 1, model: "m", choices: [choice], ...more, ...padding });
    if (this.#dice.chance(0.02)) this.text += ": still here\n\n";
  }

  end(reason: string): void {
    this.add({}, reason);
    const usage = { prompt_tokens: 3, completion_tokens: 9, total_tokens: 12 };
    this.#write({ id: "chatcmpl-1", choices: [], usage });
    this.text += "data: [DONE]\n\n";
  }

  #makeLogprobs(delta: object): object | null {
    if (this.#logprobs === "null" || !("content" in delta)) return null;
    const token = this.#logprobs === "same" ? "same" : `${String(delta.content)}.`;
    return { content: [{ token, logprob: -0.5, bytes: null, top_logprobs: [] }] };
  }

  #write(chunk: object): void {
    this.text += `data: ${JSON.stringify(chunk)}\n\n`;
  }
}

function word(dice: Dice): string {
  return Array.from({ length: 1 + dice.below(3) }, () => dice.among(WORDS)).join("");
}

/** Some answers are longer than what is copied at once. */
function countPieces(dice: Dice): number {
  return dice.chance(0.03) ? 900 : 1 + dice.below(20);
}

function think(turn: Turn, dice: Dice): void {
  const field = dice.among(["reasoning_content", "reasoning"]);
  for (let left = countPieces(dice); left > 0; left--) turn.add({ [field]: word(dice) });
  if (dice.chance(0.3))
    turn.add({ reasoning_details: [{ type: "reasoning.text", text: "", signature: "s1", index: 0 }] });
}

function say(turn: Turn, dice: Dice): void {
  const isSame = dice.chance(0.1);
  for (let left = countPieces(dice); left > 0; left--) {
    turn.add({ content: isSame ? "again" : word(dice) });
    if (dice.chance(0.03)) turn.add({ content: "" });
    if (dice.chance(0.03)) turn.add({ content: word(dice), role: "assistant" });
    if (dice.chance(0.03)) turn.add({ content: word(dice), reasoning_content: word(dice) });
    if (dice.chance(0.03)) cite(turn, dice);
    if (dice.chance(0.02)) turn.add({ refusal: "no" });
  }
}

function cite(turn: Turn, dice: Dice): void {
  const end = dice.below(40);
  const source = { url: "https://a.example/", title: "A", start_index: 0, end_index: end };
  turn.add({ annotations: [{ type: "url_citation", url_citation: source }] });
}

/** One or two calls, whose pieces may be mixed with each other and with text. */
function call(turn: Turn, dice: Dice, name: string, first: number): number {
  const count = 1 + dice.below(2);
  const left = Array.from({ length: count }, (_, at) => {
    const index = first + at;
    const begun = { index, id: `call_${index}`, type: "function", function: { name, arguments: "" } };
    const json = JSON.stringify({
      [dice.among(KEYS)]: word(dice),
      list: Array.from({ length: dice.below(12) }, () => word(dice)),
    });
    const size = 1 + dice.below(9);
    const pieces = json.match(new RegExp(`.{1,${size}}`, "gsu")) ?? [];
    return [begun, ...pieces.map((text) => ({ index, function: { arguments: text } }))];
  });
  const isMixed = dice.chance(0.3);
  const isCut = dice.chance(0.1);
  while (left.some((pieces) => pieces.length > (isCut ? 1 : 0))) {
    const own = isMixed ? left[dice.below(count)] : left.find((pieces) => pieces.length > 0);
    const piece = own?.shift();
    if (piece) turn.add({ tool_calls: [piece] });
    if (isMixed && dice.chance(0.1)) turn.add({ content: word(dice) });
  }
  return count;
}

/** The calls are of these tools. */
export function makeTurn(dice: Dice, names: readonly [string, ...string[]]): string {
  const turn = new Turn(dice);
  turn.add({ role: "assistant", content: "" });
  let calls = 0;
  for (let left = 1 + dice.below(4); left > 0; left--) {
    const kind = dice.below(5);
    if (kind === 0) think(turn, dice);
    else if (kind < 3) say(turn, dice);
    else calls += call(turn, dice, dice.among(names), calls);
  }
  if (dice.chance(0.1)) turn.text += 'data: {"error":{"message":"no"}}\n\n';
  // Without an end, the answer has failed.
  if (dice.chance(0.9)) turn.end(calls > 0 ? "tool_calls" : dice.among(["stop", "length"]));
  return turn.text;
}
