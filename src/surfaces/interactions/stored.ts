// Interactions that go on from kept ones: what is kept, and what comes back of it.
import { Fault } from "../../core/faults/fault.ts";
import { asArray, asObject, asString, isObject, type JsonObject } from "../../core/json/json.ts";
import type { Earlier, EarlierAnswers, KeptExchange } from "../../core/log/kept.ts";
import { DONE, type InteractionEvent, listStepEvents, writeEvent } from "./events.ts";
import { listNewSteps, listSteps } from "./steps.ts";

export function findEarlier(body: unknown): Earlier {
  return { id: asString(asObject(body).previous_interaction_id) ?? null, itemIds: [] };
}

/** The statuses of interactions that others may go on from. */
const CONTINUED: ReadonlySet<unknown> = new Set(["completed", "requires_action", "incomplete"]);

/**
 * Returns the steps before a request's own input. Throws a Fault if it goes on from an interaction that isn't kept: it is
 * never answered without the history that it asks for.
 */
export function listEarlier(
  id: string | undefined,
  keeping: EarlierAnswers | null,
  input: unknown,
): readonly unknown[] {
  if (id === undefined) return [];
  const previous = keeping?.previous ?? null;
  if (previous === null) throw refuseUnkept(id, keeping !== null);
  if (!CONTINUED.has(previous.response.status)) {
    const message = `Interaction '${id.slice(0, 100)}' has not ended in a way that another can go on from.`;
    throw new Fault("invalid_value", message, { param: "previous_interaction_id" });
  }
  const timeline = listTimeline(previous, true);
  return previous.response.status === "incomplete" ? omitCalls(timeline, listAnswered(input)) : timeline;
}

/** Calls of an answer that was cut off may be cut off as well: those that nobody has run are left out. */
function omitCalls(steps: readonly unknown[], answered: ReadonlySet<unknown>): readonly unknown[] {
  const known = new Set([...answered, ...listResults(steps)]);
  return steps.filter((step) => {
    const { type, id } = asObject(step);
    return type !== "function_call" || known.has(id);
  });
}

function listAnswered(input: unknown): ReadonlySet<unknown> {
  return new Set(listResults(listSteps(input).map(({ step }) => step)));
}

/** Returns the ids of the calls that have a result, among the steps or a user's contents. */
function listResults(steps: readonly unknown[]): readonly unknown[] {
  const all = steps.flatMap((step) => [step, ...asArray(asObject(step).content)]).map(asObject);
  return all.filter(({ type }) => type === "function_result").map(({ call_id: id }) => id);
}

function refuseUnkept(id: string, keeps: boolean): Fault {
  const why = keeps
    ? `Interaction '${id.slice(0, 100)}' isn't kept here.`
    : "Interactions aren't kept here ('responses.keep' is off, or the key keeps none).";
  const message = `${why} Send the whole conversation as steps in 'input', with 'store: false' and without 'previous_interaction_id'.`;
  return new Fault("unsupported_parameter", message, { param: "previous_interaction_id" });
}

/** Returns what is kept of an answer. `kept` has the steps before the request, and its own input as it came. */
export function makeKept({ earlier, input }: JsonObject, answer: JsonObject): KeptExchange {
  const id = asString(answer.id) ?? "";
  return { id, itemIds: [], input: asArray(earlier), response: { ...answer, input } };
}

/** Returns an interaction's own steps, from its input on, and those before it if they are wanted as well. */
function listTimeline({ input, response }: KeptExchange, withEarlier: boolean): readonly unknown[] {
  const own = listNewSteps(input, response.input).map(({ step }) => step);
  return [...(withEarlier ? input : []), ...own, ...asArray(response.steps)];
}

/** Returns a kept interaction as it is read again. `withInput` adds the input as it came. */
export function writeKept(kept: KeptExchange, withInput: boolean): JsonObject {
  const { input, steps: _steps, ...answer } = kept.response;
  const steps = listTimeline(kept, false).map(writeInput);
  return { ...answer, steps, ...(withInput ? { input } : {}) };
}

/** Google shows a text, and a content that stands alone, as a list of contents. */
function writeInput(value: unknown): JsonObject {
  const step = asObject(value);
  const { content } = step;
  if (typeof content === "string") return { ...step, content: [{ type: "text", text: content }] };
  return isObject(content) ? { ...step, content: [content] } : step;
}

/** Returns the events of a kept interaction after the event with this id, 0 for all of them. Null if there is no such event. */
export function replayInteraction(kept: KeptExchange, after: number): readonly string[] | null {
  const events = listEvents(kept);
  if (after > events.length) return null;
  const written = events.map(([name, fields], at) =>
    writeEvent([name, { event_id: String(at + 1), ...fields }]),
  );
  return [...written.slice(after), DONE];
}

function listEvents(kept: KeptExchange): readonly InteractionEvent[] {
  const { input: _input, steps: _steps, ...interaction } = kept.response;
  const { id, object, model, created, updated } = interaction;
  const status = "in_progress";
  const steps = listTimeline(kept, false)
    .map(writeInput)
    .filter(({ type }) => type !== "user_input");
  return [
    ["interaction.created", { interaction: { id, object, model, status, created, updated } }],
    ["interaction.status_update", { interaction_id: id, status }],
    ...steps.flatMap((step, index) => [...listStepEvents(index, step)]),
    ["interaction.completed", { interaction }],
  ];
}
