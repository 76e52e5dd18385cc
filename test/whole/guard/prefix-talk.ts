// A conversation with a value in each text, result and argument, as a client holds it: each request repeats all of the one before.
import { asArray, asObject, asString, type JsonObject, parseJson } from "../../../src/core/json/json.ts";

type List = readonly JsonObject[];
interface Called {
  readonly id: string;
  readonly given: string;
}

/** A surface, in the words of its requests and answers. */
interface Form {
  readonly path: string;
  /** The field of the conversation in the client's request. */
  readonly list: "messages" | "input";
  readonly more: JsonObject;
  say(text: string): JsonObject;
  /** Returns what the next request has of an answer. */
  repeat(answer: JsonObject): List;
  listCalls(said: List): readonly Called[];
  /** Returns the turn with the results of calls. */
  giveBack(calls: readonly Called[], text: string): List;
}

const DESCRIPTION = "Finds a person. Ask admin@corp-x.de if it fails.";
const PARAMETERS = { type: "object", properties: { mail: { type: "string" } } };
const FUNCTION = { name: "find", description: DESCRIPTION, parameters: PARAMETERS };

const CHAT: Form = {
  path: "/v1/chat/completions",
  list: "messages",
  more: { tools: [{ type: "function", function: FUNCTION }] },
  say: (content) => ({ role: "user", content }),
  repeat: (answer) => [asObject(asObject(asArray(answer.choices)[0]).message)],
  listCalls: (said) =>
    said.flatMap(({ tool_calls: calls }) =>
      asArray(calls).map((call) => {
        const { id, function: called } = asObject(call);
        return { id: String(id), given: String(asObject(called).arguments) };
      }),
    ),
  giveBack: (calls, content) => calls.map(({ id }) => ({ role: "tool", tool_call_id: id, content })),
};

const MESSAGES: Form = {
  path: "/v1/messages",
  list: "messages",
  more: {
    max_tokens: 2000,
    system: "You serve boss@corp-x.de.",
    tools: [{ name: "find", description: DESCRIPTION, input_schema: PARAMETERS }],
  },
  say: (content) => ({ role: "user", content }),
  repeat: ({ content }) => [{ role: "assistant", content }],
  listCalls: (said) =>
    said
      .flatMap(({ content }) => asArray(content).map(asObject))
      .filter(({ type }) => type === "tool_use")
      .map(({ id, input }) => ({ id: String(id), given: JSON.stringify(input) })),
  giveBack: (calls, text) => [
    {
      role: "user",
      content: calls.map(({ id }) => ({ type: "tool_result", tool_use_id: id, content: text })),
    },
  ],
};

const RESPONSES: Form = {
  path: "/v1/responses",
  list: "input",
  more: {
    store: false,
    instructions: "You serve boss@corp-x.de.",
    tools: [{ type: "function", ...FUNCTION }],
  },
  say: (content) => ({ type: "message", role: "user", content }),
  repeat: ({ output }) => asArray(output).map(asObject),
  listCalls: (said) =>
    said
      .filter(({ type }) => type === "function_call")
      .map(({ call_id: id, arguments: given }) => ({ id: String(id), given: String(given) })),
  giveBack: (calls, output) => calls.map(({ id }) => ({ type: "function_call_output", call_id: id, output })),
};

/** Surfaces with models of their own dialect and of another. */
export const TALKS: readonly (readonly [string, string, Form])[] = [
  ["chat on Local", "Local#sim", CHAT],
  ["chat on Anthropic", "Anthropic#sim", CHAT],
  ["Messages on Anthropic", "Anthropic#sim", MESSAGES],
  ["Messages on Local", "Local#sim", MESSAGES],
  ["Responses on Responses", "Responses#sim", RESPONSES],
  ["Responses on Anthropic", "Anthropic#sim", RESPONSES],
];

/** Sends a request, and returns its answer and the body that the provider got. */
export type SendTurn = (
  path: string,
  body: JsonObject,
) => Promise<{ readonly answer: JsonObject; readonly sent: JsonObject }>;

export class Talk {
  readonly #form: Form;
  readonly #model: string;
  readonly #history: JsonObject[] = [];
  #turn = 0;
  /** The body that the provider got with each request. */
  readonly sent: JsonObject[] = [];
  /** The values that the client has not got back. */
  readonly lost: string[] = [];

  constructor(model: string, form: Form) {
    this.#model = model;
    this.#form = form;
  }

  /** A question that makes the model call a tool, and the result of the call. */
  async turn(send: SendTurn): Promise<void> {
    const at = ++this.#turn;
    const mail = `person${at}@corp-x.de`;
    this.#history.push(
      this.#form.say(`I am bsn 111222333. Turn ${at}, of ${mail}: call find({"mail":"${mail}"})`),
    );
    const calls = this.#form.listCalls(await this.#ask(send));
    if (!calls.some(({ given }) => given.includes(mail))) this.lost.push(`${mail} in arguments`);
    // The number counts again without its word, and the card is an integer of the client's own JSON.
    const owner = `owner${at}@corp-y.de`;
    const result = JSON.stringify({ owner, number: 111222333, card: 4532015112830366 });
    this.#history.push(...this.#form.giveBack(calls, result));
    if (!JSON.stringify(await this.#ask(send)).includes(owner)) this.lost.push(`${owner} in a text`);
  }

  async #ask(send: SendTurn): Promise<List> {
    const { path, list, more, repeat } = this.#form;
    const { answer, sent } = await send(path, { model: this.#model, ...more, [list]: [...this.#history] });
    this.sent.push(sent);
    const said = repeat(answer);
    this.#history.push(...said);
    return said;
  }
}

/** Returns the requests that aren't continued by the next one to the letter. */
export function listRewritten(sent: readonly JsonObject[]): readonly number[] {
  const whole = sent.map((body) => {
    const { messages, input, ...rest } = asObject(parseJson(dropMarks(JSON.stringify(body))));
    return [JSON.stringify(rest), JSON.stringify(messages ?? input).slice(0, -1)] as const;
  });
  return whole.flatMap(([rest, list], at) => {
    const [nextRest, nextList] = whole[at + 1] ?? [rest, list];
    return nextRest === rest && nextList.startsWith(list) ? [] : [at];
  });
}

/** Marks for a cache move from turn to turn. */
export function dropMarks(text: string): string {
  return text.replaceAll(/,?"cache_control":\{[^}]*\}/g, "");
}

export const VALUES = /(person\d+|owner\d+|boss|admin)@|111222333|4532015112830366/;

export function readAnswer(text: string): JsonObject {
  const answer = asObject(parseJson(text));
  if (answer.error) throw new Error(asString(asObject(answer.error).message) ?? text);
  return answer;
}
