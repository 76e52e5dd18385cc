// The grammar of the events that clients of Messages and of Responses rely on.
import { asObject, isObject, type JsonObject, parseJson } from "../../src/core/json/json.ts";

interface Event {
  readonly name: string;
  readonly data: JsonObject;
}

function eventsIn(text: string): readonly Event[] {
  return text
    .split("\n\n")
    .filter((block) => block !== "" && !block.startsWith(":"))
    .map((block) => {
      const [, name = "", json = ""] = /^event: (.*)\ndata: (.*)$/s.exec(block) ?? [];
      return { name, data: asObject(parseJson(json)) };
    });
}

/** The violations in a stream of the Messages API. Empty if there are none. */
export function messagesGrammar(text: string): readonly string[] {
  const wrong: string[] = [];
  const events = eventsIn(text);
  let open: number | null = null;
  let next = 0;
  for (const [at, { name, data }] of events.entries()) {
    if (name !== data.type) wrong.push(`event ${at} is named ${name} and of the type ${String(data.type)}`);
    if ((name === "message_start") !== (at === 0)) wrong.push(`event ${at} is ${name}`);
    if (name === "content_block_start") {
      if (open !== null) wrong.push(`block ${String(data.index)} starts within block ${open}`);
      if (data.index !== next) wrong.push(`block ${String(data.index)} starts where ${next} is due`);
      open = next;
      next++;
    }
    if (name === "content_block_delta" && data.index !== open)
      wrong.push(`a delta of block ${String(data.index)}`);
    if (name === "content_block_stop") {
      if (data.index !== open) wrong.push(`block ${String(data.index)} stops`);
      open = null;
    }
    if (name === "message_delta" && !isObject(data.usage)) wrong.push("message_delta without usage");
    if (name === "message_stop" && at !== events.length - 1) wrong.push("something follows message_stop");
  }
  if (open !== null) wrong.push(`block ${open} never stops`);
  const ends = events.slice(-2).map(({ name }) => name);
  if (ends.join() !== "message_delta,message_stop") wrong.push(`it ends in ${ends.join()}`);
  return wrong;
}

const TERMINAL: ReadonlySet<string> = new Set(["response.completed", "response.incomplete"]);

/** The violations in a stream of the Responses API. Empty if there are none. */
export function responsesGrammar(text: string): readonly string[] {
  const wrong: string[] = [];
  const events = eventsIn(text);
  let open: number | null = null;
  let next = 0;
  const done: unknown[] = [];
  for (const [at, { name, data }] of events.entries()) {
    if (name !== data.type) wrong.push(`event ${at} is named ${name} and of the type ${String(data.type)}`);
    if (data.sequence_number !== at) wrong.push(`event ${at} has the number ${String(data.sequence_number)}`);
    if (at === 0 && name !== "response.created") wrong.push(`it begins with ${name}`);
    if (name === "response.output_item.added") {
      if (open !== null || data.output_index !== next)
        wrong.push(`item ${String(data.output_index)} is added`);
      open = next;
      next++;
    } else if (data.output_index !== undefined && data.output_index !== open) {
      wrong.push(`${name} is of item ${String(data.output_index)}, ${open} is open`);
    }
    if (name === "response.output_item.done") {
      done.push(data.item);
      open = null;
    }
    if (TERMINAL.has(name)) {
      if (at !== events.length - 1) wrong.push(`something follows ${name}`);
      const { output } = asObject(data.response);
      if (JSON.stringify(output) !== JSON.stringify(done))
        wrong.push("the output is not the items that were done");
    }
  }
  if (open !== null) wrong.push(`item ${open} is never done`);
  if (!TERMINAL.has(events.at(-1)?.name ?? "")) wrong.push(`it ends in ${events.at(-1)?.name}`);
  return wrong;
}
