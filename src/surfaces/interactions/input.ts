// The steps of a conversation as chat messages, one message for each turn of the model.
import { Fault } from "../../core/faults/fault.ts";
import { asArray, asObject, asString, isObject, type JsonObject } from "../../core/json/json.ts";
import { missingParameter } from "../../core/json/schema-fault.ts";
import type { Sealer } from "../../core/world/world.ts";
import type { ChatMessage, Content, ToolCall, ToolMessage } from "../../operations/chat/form.ts";
import { TurnBuilder } from "../../operations/chat/turn.ts";
import { readSignature } from "../gemini/signature.ts";
import { placeAt } from "../places.ts";
import { GEMINI_FORMAT, isOurSignature, openSignature, openThinking } from "../signature.ts";
import {
  hasAnnotations,
  listContents,
  type PlacedContent,
  readContent,
  readType,
  refuseType,
  requireText,
} from "./contents.ts";
import { findReading } from "./known.ts";
import { EARLIER, type PlacedStep } from "./steps.ts";
import { tellStep } from "./told.ts";

interface ReadSteps {
  readonly messages: readonly ChatMessage[];
  /** The places of what no message holds. */
  readonly lost: readonly string[];
}

/** Returns the messages. Throws a Fault for a call without a result, and for a result without a call. */
export function readSteps(steps: readonly PlacedStep[], seal: Sealer): ReadSteps {
  const reader = new StepReader(seal);
  for (const placed of steps) reader.read(placed);
  return reader.end();
}

class StepReader {
  readonly #seal: Sealer;
  readonly #messages: ChatMessage[] = [];
  readonly #lost: string[] = [];
  #turn: TurnBuilder | null = null;
  /** A provider's signature that belongs to the call, or else the text, beside it. */
  #signature: string | null = null;
  /** The calls that have no result yet. */
  readonly #calls = new Set<string>();
  /** The queries of searches, by the id of their calls. */
  readonly #queries = new Map<string, readonly unknown[]>();

  constructor(seal: Sealer) {
    this.#seal = seal;
  }

  end(): ReadSteps {
    this.#flush();
    const [open] = this.#calls;
    if (open === undefined) return { messages: this.#messages, lost: this.#lost };
    const names = [...this.#calls].map((id) => `'${id.slice(0, 100)}'`).slice(0, 10);
    const message = `'input' has no 'function_result' for ${names.join(", ")}: each call needs one, with its id as 'call_id'.`;
    throw new Fault("invalid_value", message, { param: "input" });
  }

  read(placed: PlacedStep): void {
    const { step, path } = placed;
    switch (findReading(readType(step, path))) {
      case "user":
        this.#readUser(placed);
        break;
      case "model":
        this.#readModel(placed);
        break;
      case "thought":
        this.#think(step, path);
        break;
      case "call":
        this.#call(step, path);
        break;
      case "result":
        this.#addResult(step, path);
        break;
      case "told":
        this.#tell(step);
        break;
      default:
        this.#lost.push(path);
    }
  }

  #open(): TurnBuilder {
    this.#turn ??= new TurnBuilder("");
    return this.#turn;
  }

  #flush(): void {
    this.#sign();
    if (this.#turn?.saysAnything) this.#messages.push(this.#turn.message());
    this.#turn = null;
  }

  /** Ends the wait for a call: the signature is that of a text. */
  #sign(): void {
    const signature = this.#signature;
    if (signature === null) return;
    this.#signature = null;
    this.#open().think("", [{ type: "reasoning.text", signature, format: GEMINI_FORMAT, is_foreign: true }]);
  }

  #readUser({ step, contentPath }: PlacedStep): void {
    this.#flush();
    // A text alone is one in the chat form too, so that it counts the same.
    if (typeof step.content === "string") {
      this.#messages.push({ role: "user", content: step.content });
      return;
    }
    const contents = listContents(step.content, contentPath);
    if (contents.length === 0) throw refuseEmpty(contentPath);
    const isResult = ({ content }: PlacedContent) => content.type === "function_result";
    for (const { content, path } of contents.filter(isResult)) this.#addResult(content, path);
    const own = contents.filter((one) => !isResult(one));
    if (own.length > 0) this.#messages.push({ role: "user", content: this.#readParts(own) });
  }

  #readParts(contents: readonly PlacedContent[]): Content {
    return contents.flatMap((one) => placeAt(one.path, [readContent(one)]));
  }

  /** The model's own pictures and sounds have no place in its messages. */
  #readModel({ step, contentPath }: PlacedStep): void {
    for (const one of listContents(step.content ?? [], contentPath)) {
      const part = readContent(one);
      if (part.type !== "text") {
        this.#lost.push(one.path);
        continue;
      }
      if (hasAnnotations(one.content) && !one.path.startsWith(EARLIER))
        this.#lost.push(`${one.path}.annotations`);
      this.#sign();
      this.#open().say({ type: "text", text: part.text });
    }
  }

  #think(step: JsonObject, path: string): void {
    this.#sign();
    const text = asArray(step.summary)
      .map((one) => asString(asObject(one).text) ?? "")
      .join("");
    const signature = readSignature(step.signature);
    if (isOurSignature(signature)) this.#thinkAgain(signature, text);
    else if (signature === "") this.#lost.push(path);
    else {
      if (text !== "") this.#open().think(text, [{ type: "reasoning.text", text, format: GEMINI_FORMAT }]);
      this.#signature = signature;
    }
  }

  /** Opens thinking of ours, or of another surface's history. One that was damaged, or is another account's, is left out. */
  #thinkAgain(signature: string, shown: string): void {
    const signed = openThinking(this.#seal, signature);
    if (signed !== null) {
      this.#open().think(signed.text, signed.details);
      return;
    }
    const details = openSignature(this.#seal, shown, signature);
    if (details !== null) this.#open().think(shown, details);
  }

  #call(step: JsonObject, path: string): void {
    const id = requireText(step, "id", path);
    const name = requireText(step, "name", path);
    const { arguments: given } = step;
    if (given === undefined) throw missingParameter(`${path}.arguments`);
    if (!isObject(given)) throw refuseType(`${path}.arguments`, "an object");
    // The AI SDK puts a thought's signature onto its call.
    if (step.signature !== undefined && step.signature !== null)
      this.#think({ signature: step.signature }, path);
    const call: ToolCall = { id, type: "function", function: { name, arguments: JSON.stringify(given) } };
    const signature = this.#signature;
    this.#signature = null;
    this.#open().call(
      signature === null ? call : { ...call, extra_content: { google: { thought_signature: signature } } },
    );
    this.#calls.add(id);
  }

  #addResult(step: JsonObject, path: string): void {
    this.#flush();
    const id = requireText(step, "call_id", path);
    if (!this.#calls.delete(id)) {
      const message = `'${path}.call_id' is '${id.slice(0, 100)}', but no 'function_call' before it that waits for a result has this id.`;
      throw new Fault("invalid_value", message, { param: `${path}.call_id` });
    }
    const message: ToolMessage = {
      role: "tool",
      tool_call_id: id,
      content: this.#readResult(step.result, path),
    };
    this.#messages.push(step.is_error === true ? { ...message, is_error: true } : message);
  }

  #readResult(result: unknown, path: string): Content {
    const place = `${path}.result`;
    if (result === undefined || result === null) throw missingParameter(place);
    if (typeof result === "string") return result;
    if (isObject(result)) return JSON.stringify(result);
    if (!Array.isArray(result)) throw refuseType(place, "a string, an object or an array");
    return this.#readParts(listContents(result, place));
  }

  #tell(step: JsonObject): void {
    this.#sign();
    if (step.type === "google_search_call") {
      this.#queries.set(asString(step.id) ?? "", asArray(asObject(step.arguments).queries));
      return;
    }
    const queries = this.#queries.get(asString(step.call_id) ?? "") ?? [];
    const turn = this.#open();
    const gap = turn.saysAnything ? "\n\n" : "";
    turn.say({ type: "text", text: `${gap}${tellStep(step, queries)}\n\n` });
  }
}

function refuseEmpty(path: string): Fault {
  const message = `Invalid '${path}': empty array. Expected at least 1 element.`;
  return new Fault("empty_array", message, { param: path });
}
