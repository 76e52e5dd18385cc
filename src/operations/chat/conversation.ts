// Names by which a conversation is recognized at its next turn.
import type { ConversationNames } from "../../core/attempt.ts";
import { asObject } from "../../core/json/json.ts";
import type { ChatMessage, ChatRequest, ContentPart } from "./form.ts";

/** The characters at each end of a long part, such as an image, that identify it. */
const PART_CHARACTERS_MAX = 4096;
const CHARACTERS_PER_TOKEN = 4;

/**
 * Returns the names of a request's conversation: the client's own, or else digests of the messages. The messages up to
 * the model's last turn were the whole of the previous request, or are shared with another continuation of it.
 */
export function nameConversation(request: ChatRequest, session: string | null): ConversationNames {
  const { messages } = request;
  const lastReply = messages.findLastIndex(({ role }) => role === "assistant");
  let digest = 0n;
  let characters = 0;
  let heldCharacters = 0;
  let before: string | null = null;
  for (const [at, message] of messages.entries()) {
    if (at === lastReply) {
      before = `#${digest}`;
      heldCharacters = characters;
    }
    for (const text of listTexts(message)) {
      digest = Bun.hash.wyhash(text, digest);
      characters += text.length;
    }
  }
  const whole = `#${digest}`;
  const heldTokens = Math.round(heldCharacters / CHARACTERS_PER_TOKEN);
  const given = session ?? findText(request.prompt_cache_key) ?? findText(request.user);
  if (given !== null) {
    const name = ` ${given.slice(0, 512)}`;
    return { sought: name, kept: [name], heldTokens };
  }
  return { sought: before, kept: before === null ? [whole] : [before, whole], heldTokens };
}

/**
 * Returns the name that all turns of a conversation have in common: the client's own for its session, or else what it opens
 * with, within the name that the client gives for caching or for its user. It is made of the texts and files alone, because
 * clients move their marks from turn to turn.
 */
export function nameOpening(
  { messages, prompt_cache_key, user }: ChatRequest,
  session: string | null,
): string {
  if (session !== null) return `session ${session}`;
  const opening = messages.find(({ role }) => role === "user");
  let digest = 0n;
  for (const text of opening ? listContents(opening.content) : []) digest = Bun.hash.wyhash(text, digest);
  return `opening ${digest} ${findText(prompt_cache_key) ?? findText(user) ?? ""}`;
}

function listContents(content: ChatMessage["content"]): readonly string[] {
  if (typeof content === "string") return [cutMiddle(content)];
  return (content ?? []).map((part) => {
    if (part.type === "text") return cutMiddle(part.text);
    const { cache_control: _mark, prompt_cache_breakpoint: _breakpoint, ...rest } = asObject(part);
    return cutMiddle(JSON.stringify(rest));
  });
}

function findText(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

/** Texts are digested as they are, because writing them as JSON would take longer than all else. */
function listTexts(message: ChatMessage): readonly string[] {
  const { role, content } = message;
  const about = "tool_calls" in message ? role + JSON.stringify(message.tool_calls) : role;
  if (typeof content === "string" || !content) return content ? [about, content] : [about];
  return [about, ...content.flatMap(listPart)];
}

function listPart(part: ContentPart): readonly string[] {
  if (part.type !== "text") return [cutMiddle(JSON.stringify(part))];
  const { text, ...rest } = part;
  return [cutMiddle(text), JSON.stringify(rest)];
}

function cutMiddle(text: string): string {
  if (text.length <= 2 * PART_CHARACTERS_MAX) return text;
  return `${text.length} ${text.slice(0, PART_CHARACTERS_MAX)}${text.slice(-PART_CHARACTERS_MAX)}`;
}
