// The pictures, files and sounds of a conversation. A model has to take those of the newest user message; a line stands for
// the others that it doesn't take, so that one picture doesn't bar the rest of the conversation from a model.

import type { JsonObject } from "../../../core/json/json.ts";
import { type Capability, can, type ModelCard } from "../../../core/models/card.ts";
import { findLimits } from "../../../core/models/target-rows.ts";
import { remember } from "../../../core/world/remember.ts";
import type { UrlKind } from "../../codec.ts";
import { type ChangedAsk, NONE } from "../../form.ts";
import type { ChatMessage, ChatRequest, ContentPart, TextPart } from "../form.ts";

type MediumType = Exclude<ContentPart["type"], "text" | "refusal">;

interface MediaNeed {
  readonly need: Capability;
  /** Its name in the line that stands for it, and of what the model takes none. */
  readonly words: readonly [one: string, many: string];
}

const KINDS: Readonly<Record<MediumType, MediaNeed>> = {
  image_url: { need: "vision", words: ["image", "images"] },
  input_audio: { need: "audio", words: ["audio", "audio"] },
  file: { need: "files", words: ["file", "files"] },
  // No list of models tells which of them take videos: those that are known not to have a row.
  video_url: { need: "vision", words: ["video", "videos"] },
};

/** A picture, file or sound, by its place: the content itself must not outlive the prompt. */
interface Medium {
  readonly type: MediumType;
  /** Its message's index, and its own in the message's content. */
  readonly at: number;
  readonly place: number;
  readonly need: Capability;
  /** True in the newest user message. */
  readonly isAsked: boolean;
  /** Set if the provider would have to fetch it. */
  readonly url: UrlKind | null;
}

const WEB_ADDRESS = /^https?:/i;

/** By the list of messages, which stays the same from the plan to the answer. */
const findMediaOnce = remember(findMedia);

export function listMedia({ messages }: ChatRequest): readonly Medium[] {
  return findMediaOnce(messages);
}

/** Shared by requests without any, which are most. */
const NO_MEDIA: readonly Medium[] = [];

function findMedia(messages: readonly ChatMessage[]): readonly Medium[] {
  if (!messages.some(hasParts)) return NO_MEDIA;
  const media: Medium[] = [];
  const [from, to] = findNewest(messages);
  for (let at = 0; at < messages.length; at++) {
    const content = messages[at]?.content;
    if (typeof content === "string" || !content) continue;
    for (let place = 0; place < content.length; place++) {
      const part = content[place];
      if (part === undefined || part.type === "text" || part.type === "refusal") continue;
      // Servers may have parts of their own, which pass.
      if (!Object.hasOwn(KINDS, part.type)) continue;
      const { need } = KINDS[part.type];
      media.push({
        type: part.type,
        at,
        place,
        need,
        isAsked: at >= from && at < to,
        url: findUrlKind(part),
      });
    }
  }
  return media;
}

function hasParts({ content }: ChatMessage): boolean {
  return typeof content === "object" && content !== null;
}

function findUrlKind(part: ContentPart): UrlKind | null {
  if (part.type === "image_url") return WEB_ADDRESS.test(part.image_url.url) ? "image" : null;
  return part.type === "file" && WEB_ADDRESS.test(part.file.file_data) ? "file" : null;
}

/** True if the provider would have to fetch a file. */
export function hasFileUrl(request: ChatRequest): boolean {
  for (const { url } of listMedia(request)) if (url === "file") return true;
  return false;
}

/**
 * Returns the place of the newest user message: with the user and system messages right before it, which some clients
 * send apart. Empty if they follow a tool's results: clients put a tool's pictures there.
 */
export function findNewest(messages: readonly ChatMessage[]): readonly [from: number, to: number] {
  const last = messages.findLastIndex(isUsers);
  let from = last;
  while (from > 0 && !isAnswered(messages[from - 1])) from--;
  return messages[from - 1]?.role === "tool" ? [0, 0] : [from, last + 1];
}

function isUsers({ role }: ChatMessage): boolean {
  return role === "user";
}

function isAnswered(message: ChatMessage | undefined): boolean {
  return message?.role === "assistant" || message?.role === "tool";
}

export function writePath({ at, place }: Medium): string {
  return `messages[${at}].content[${place}]`;
}

/** Returns the part at a medium's place. Undefined if the prompt was forgotten. */
export function findPart({ messages }: ChatRequest, { at, place }: Medium): ContentPart | undefined {
  const content = messages[at]?.content;
  return typeof content === "string" ? undefined : content?.[place];
}

/** Returns what stands earlier in the conversation and the model doesn't take. */
export function listUntaken(
  request: ChatRequest,
  card: ModelCard,
  takesUrls: (kind: UrlKind) => boolean,
): readonly Medium[] {
  return listMedia(request).filter((medium) => {
    if (medium.isAsked) return false;
    if (medium.type === "video_url" && !findLimits(card).takesVideos) return true;
    return !can(card, medium.need) || (medium.url !== null && !takesUrls(medium.url));
  });
}

/** Puts a line in the place of all that stands earlier in the conversation and the model doesn't take. */
export function leaveOutUntaken(
  request: ChatRequest,
  card: ModelCard,
  takesUrls: (kind: UrlKind) => boolean,
): ChangedAsk<ChatRequest> {
  if (listMedia(request).length === 0) return { ask: request, dropped: NONE };
  return replaceUntaken(listUntaken(request, card, takesUrls), request, card);
}

function replaceUntaken(
  untaken: readonly Medium[],
  request: ChatRequest,
  card: ModelCard,
): ChangedAsk<ChatRequest> {
  if (untaken.length === 0) return { ask: request, dropped: NONE };
  const byMessage = Map.groupBy(untaken, ({ at }) => at);
  const messages = request.messages.map((message, at) => {
    const left = byMessage.get(at);
    return left ? putLines(message, left, card) : message;
  });
  const dropped = new Set(untaken.map(({ type }) => `messages.${type}`));
  return { ask: { ...request, messages }, dropped: [...dropped] };
}

function putLines(message: ChatMessage, left: readonly Medium[], card: ModelCard): ChatMessage {
  if (typeof message.content === "string" || !message.content) return message;
  const content = [...message.content];
  for (const medium of left) content[medium.place] = makeLine(content, medium, card);
  return { ...message, content };
}

/** The line keeps the mark of a cached prefix. */
function makeLine(content: readonly ContentPart[], { type, place, need }: Medium, card: ModelCard): TextPart {
  const part: JsonObject = content[place] ?? {};
  const { cache_control: mark, prompt_cache_breakpoint: breakpoint } = part;
  const [one, many] = KINDS[type].words;
  const isUrl = can(card, need) && type !== "video_url";
  const line = `[${one} left out: this model takes no ${isUrl ? `${one} URLs` : many}]`;
  const before = content[place - 1];
  // Many APIs take a tool's result as one text.
  const isInline = before?.type === "text" && !before.text.endsWith("\n");
  return {
    type: "text",
    text: isInline ? `\n${line}` : line,
    ...(mark === undefined ? {} : { cache_control: mark }),
    ...(breakpoint === undefined ? {} : { prompt_cache_breakpoint: breakpoint }),
  };
}
