// The texts of a request or an answer that a hook judges, and what changes once it has.
import { Fault } from "../../core/faults/fault.ts";
import { asArray, asObject, type JsonObject } from "../../core/json/json.ts";
import type { KeptRequest } from "../../core/log/kept.ts";
import type { ChangeText, NativeTexts, TextPlace } from "../../core/text/texts.ts";
import type { Call } from "../../gateway/call.ts";
import type { ChangedCall } from "../../gateway/step.ts";
import type { Form } from "../../operations/form.ts";
import type { Operation } from "../../operations/operation.ts";
import { mapJsonText } from "../../operations/text-json.ts";
import { isName } from "../unseen.ts";

/** The texts that a hook has changed, each with its replacement. */
export type Changes = ReadonlyMap<string, string>;

/** Collects texts, each once. Blank ones say nothing. */
class TextSet {
  readonly #texts = new Set<string>();

  readonly add: ChangeText = (text) => {
    if (text.trim() !== "") this.#texts.add(text);
    return text;
  };

  has(text: string): boolean {
    return this.#texts.has(text);
  }

  list(): readonly string[] {
    return [...this.#texts];
  }
}

/** A request in all forms in which it is sent or stored. */
type TextSource<F extends Form> = Pick<Call<F>, "operation" | "ask" | "raw" | "kept" | "dropped">;

/** Every text of a request, in all forms in which it is sent or stored. */
export function collectAsked<F extends Form>({
  operation,
  ask,
  raw,
  kept,
}: TextSource<F>): readonly string[] {
  const found = new TextSet();
  operation.mapTexts(ask, found.add);
  raw?.texts.mapRequest(raw.body, found.add);
  kept?.texts.mapRequest(kept.body, found.add);
  return found.list();
}

/** Every text of a whole answer, and of the provider's own if that is shown. */
export function collectReply<F extends Form>(
  operation: Operation<F>,
  reply: F["reply"],
  native: NativeTexts | null,
): TextSet {
  const found = new TextSet();
  operation.mapReply(reply, found.add, native);
  return found;
}

/** Joins the pieces of each text of a stream, and collects the texts that come whole. */
export class JoinedTexts<F extends Form> {
  readonly #operation: Operation<F>;
  readonly #native: NativeTexts | null;
  readonly #joined = new Map<string, string>();
  readonly #whole = new TextSet();
  /** The characters of all pieces so far. */
  characters = 0;
  /** The piece that came last. */
  latest = "";

  constructor(operation: Operation<F>, native: NativeTexts | null) {
    this.#operation = operation;
    this.#native = native;
  }

  add(pieces: readonly F["piece"][]): void {
    this.#operation.mapPieces(pieces, this.#take, this.#native);
  }

  readonly #take: ChangeText = (text, { isPiece, kind, path }) => {
    this.characters += text.length;
    this.latest = text;
    if (!isPiece) return this.#whole.add(text, { isPiece, kind, path, isSealed: false });
    const name = `${kind} ${path}`;
    this.#joined.set(name, (this.#joined.get(name) ?? "") + text);
    return text;
  };

  /** All texts so far, each once. */
  list(): readonly string[] {
    const all = new Set(this.#whole.list());
    for (const text of this.#joined.values()) if (text.trim() !== "") all.add(text);
    return [...all];
  }

  /** All texts but those that another set has, as they are or, of JSON, as its own texts. */
  listBeside(others: TextSet): readonly string[] {
    const rest = new TextSet();
    const add = (text: string) => (others.has(text) ? text : rest.add(text, WITHIN_JSON));
    for (const text of this.list()) if (!others.has(text)) mapJsonText(text, { text: add, key: add });
    return rest.list();
  }
}

const WITHIN_JSON: TextPlace = { kind: "text", isSealed: false, isPiece: false, path: "" };

/** The names of tools, as providers take them. */
const NAME = /^[\w.:-]{1,128}$/;
const TURN = /^(messages|contents|input)\[(\d+)\]/;
/** Named among the fields that were left out. */
const THINKING = "thinking";

/** Returns the request with its texts changed. Throws the Fault `content_blocked` for one that can't be. */
export function changeAsked<F extends Form>(call: TextSource<F>, changes: Changes): ChangedCall<F> {
  const { operation, ask, raw, kept, dropped } = call;
  const thoughts = new Set<string>();
  const makeChange =
    (body: object): ChangeText =>
    (text, place) => {
      const now = changes.get(text);
      if (now === undefined) return text;
      if (place.isSealed && isRunning(body, place))
        throw unchangeable("a signed text of the running tool loop");
      if (place.kind === "thinking") {
        thoughts.add(text);
        return text;
      }
      if (isName(place) && !NAME.test(now)) throw unchangeable("a name");
      return now;
    };
  const mapForm = <Body extends KeptRequest>(form: Body | null): Body | null =>
    form && { ...form, body: form.texts.mapRequest(form.body, makeChange(form.body)) };
  const mapped = { ask: operation.mapTexts(ask, makeChange(ask)), raw: mapForm(raw), kept: mapForm(kept) };
  if (thoughts.size === 0) return { kind: "changed", ...mapped };
  const isDropped = (text: string) => thoughts.has(text);
  const dropFrom = <Body extends KeptRequest>(form: Body | null): Body | null =>
    form && { ...form, body: form.texts.dropThoughts(form.body, isDropped) };
  return {
    kind: "changed",
    ask: operation.thoughts?.drop(mapped.ask, isDropped) ?? mapped.ask,
    raw: dropFrom(mapped.raw),
    kept: dropFrom(mapped.kept),
    dropped: [...new Set([...dropped, THINKING])],
  };
}

function unchangeable(place: string): Fault {
  const reason = `A hook would change ${place}, which can't be changed.`;
  return new Fault("content_blocked", reason, { hookReason: reason });
}

/** True if the text stands after the last turn of a person: the model is still at work on it. */
function isRunning(body: object, { path }: TextPlace): boolean {
  const [, field = "", index = ""] = TURN.exec(path) ?? [];
  const turns = asArray(Reflect.get(body, field));
  return field !== "" && Number(index) > turns.findLastIndex(isPerson);
}

/** A turn with only results of tools belongs to the loop. */
function isPerson(turn: unknown): boolean {
  const { role, content, parts } = asObject(turn);
  const blocks = asArray(content ?? parts).map(asObject);
  const isResult = ({ type, functionResponse, function_response: other }: JsonObject) =>
    type === "tool_result" || functionResponse !== undefined || other !== undefined;
  return role === "user" && !(blocks.length > 0 && blocks.every(isResult));
}

/**
 * Returns the answer with its texts changed, in the operation's own form alone: the provider's may say more than that. A
 * thought that its maker signed goes instead, as it would be refused in the next turn.
 */
export function changeReply<F extends Form>(
  operation: Operation<F>,
  reply: F["reply"],
  changes: Changes,
): F["reply"] {
  const sealed = new Set<string>();
  const mapped = operation.mapReply(
    reply,
    (text, { isSealed, kind }) => {
      const now = changes.get(text);
      if (now === undefined) return text;
      if (!isSealed || kind !== "thinking") return now;
      sealed.add(text);
      return text;
    },
    null,
  );
  const isDropped = (text: string) => sealed.has(text);
  const shown = sealed.size === 0 ? mapped : (operation.thoughts?.dropFromReply(mapped, isDropped) ?? mapped);
  return "verbatim" in shown ? Object.assign({ ...shown }, { verbatim: undefined }) : shown;
}

/** Returns an answer's calls of tools with JSON arguments, in order. */
export function listCalls(reply: object): readonly JsonObject[] {
  const choices = "choices" in reply ? asArray(reply.choices) : [];
  const calls = choices.flatMap((choice) => asArray(asObject(asObject(choice).message).tool_calls));
  return calls.map(asObject).filter(hasArguments);
}

function hasArguments({ function: called }: JsonObject): boolean {
  return typeof asObject(called).arguments === "string";
}

/** Replaces the arguments of the answer's calls, by their place. */
export function changeCalls<Reply extends object>(reply: Reply, calls: ReadonlyMap<number, string>): Reply {
  if (calls.size === 0 || !("choices" in reply)) return reply;
  let at = 0;
  const change = (call: unknown): unknown => {
    const now = hasArguments(asObject(call)) ? calls.get(at++) : undefined;
    if (now === undefined) return call;
    const { function: called } = asObject(call);
    return { ...asObject(call), function: { ...asObject(called), arguments: now } };
  };
  const choices = asArray(reply.choices).map((choice) => {
    const { message } = asObject(choice);
    const { tool_calls: given } = asObject(message);
    if (!Array.isArray(given)) return choice;
    return { ...asObject(choice), message: { ...asObject(message), tool_calls: given.map(change) } };
  });
  return Object.assign({ ...reply }, { choices });
}
