// A logged request on its way to the playground: its models, its prompt, and the turns before it.
import type { RequestDetailView } from "../../admin/log/request-schema.ts";
import { SELECTORS } from "../frame/names.ts";
import { navigate } from "../frame/route.ts";

interface PastTurn {
  readonly prompt: string;
  readonly answer: string;
}

interface Handoff {
  readonly models: readonly string[];
  readonly system: string;
  readonly turns: readonly PastTurn[];
  readonly prompt: string;
}

let waiting: Handoff | null = null;

/** Returns what was handed over, once. */
export function takeHandoff(): Handoff | null {
  const taken = waiting;
  waiting = null;
  return taken;
}

/** Opens the playground with these models. The prompt is in its field, and nothing is sent yet. */
export function openPlayground(models: readonly string[], request: RequestDetailView): void {
  waiting = { models, ...readConversation(request.content?.messages ?? []) };
  navigate("/playground");
}

const MODELS_COMPARED = 3;

/** Returns the model that answered, with those that the selector ranked next, or else the selectors. */
export function listRivals({ model_used, model_asked, decision }: RequestDetailView): readonly string[] {
  const ranked = decision?.candidates.map(({ model }) => model) ?? [];
  const all = [model_used ?? model_asked, ...ranked, ...SELECTORS.map(({ id }) => id)];
  return [...new Set(all.filter((model) => model !== null))].slice(0, MODELS_COMPARED);
}

interface HandoffMessage {
  readonly role?: unknown;
  readonly content?: unknown;
}

function isMessage(value: unknown): value is HandoffMessage {
  return typeof value === "object" && value !== null;
}

/** Returns a message's texts. Images and files stay behind. */
function readText({ content }: HandoffMessage): string {
  if (typeof content === "string") return content;
  const parts = Array.isArray(content) ? content : [];
  return parts.map((part) => (typeof part?.text === "string" ? part.text : "")).join("\n");
}

function readConversation(messages: readonly unknown[]): Omit<Handoff, "models"> {
  const said = messages
    .filter(isMessage)
    .map((message) => ({ role: String(message.role), text: readText(message).trim() }))
    .filter(({ text }) => text !== "");
  const system = said.filter(({ role }) => role === "system" || role === "developer");
  const turns: PastTurn[] = [];
  for (const { role, text } of said) {
    const last = turns.at(-1);
    if (role === "user") turns.push({ prompt: text, answer: "" });
    else if (role === "assistant" && last) turns.splice(-1, 1, { ...last, answer: text });
  }
  const newest = turns.pop();
  const isOpen = newest !== undefined && newest.answer === "";
  return {
    system: system.map(({ text }) => text).join("\n\n"),
    turns: isOpen || !newest ? turns : [...turns, newest],
    prompt: isOpen ? newest.prompt : "",
  };
}
