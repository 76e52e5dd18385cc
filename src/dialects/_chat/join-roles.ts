// Neighbouring turns of one role as one turn, for a chat template whose roles must alternate.

import type { AssistantMessage, ChatMessage, Content, UserMessage } from "../../operations/chat/form.ts";
import { listParts } from "../../operations/chat/prompt/content-text.ts";

/** Separates the texts of two turns that became one. */
export const TURN_GAP = "\n\n";

/** Joins neighbouring turns of the user's, and of the assistant's. Returns the same list if there are none. */
export function joinRoles(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  const joined: ChatMessage[] = [];
  let users: UserMessage[] = [];
  let answers: AssistantMessage[] = [];
  const flush = () => {
    const [user] = users;
    const [answer] = answers;
    if (user) joined.push(joinUsers(user, users));
    if (answer) joined.push(joinAnswers(answer, answers));
    users = [];
    answers = [];
  };
  let role: ChatMessage["role"] | null = null;
  for (const message of messages) {
    if (message.role !== role) flush();
    role = message.role;
    if (message.role === "user") users.push(message);
    else if (message.role === "assistant") answers.push(message);
    else joined.push(message);
  }
  flush();
  return joined.length === messages.length ? messages : joined;
}

function joinUsers(first: UserMessage, all: readonly UserMessage[]): UserMessage {
  return all.length === 1 ? first : { ...first, content: joinContents(all.map(({ content }) => content)) };
}

function joinAnswers(first: AssistantMessage, all: readonly AssistantMessage[]): AssistantMessage {
  if (all.length === 1) return first;
  const { parts: _, ...rest } = first;
  const calls = all.flatMap((one) => one.tool_calls ?? []);
  const details = all.flatMap((one) => one.reasoning_details ?? []);
  const thoughts = all.flatMap((one) => one.reasoning_content || []);
  return {
    ...rest,
    content: joinContents(all.map(({ content }) => content ?? "")) || null,
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
    ...(details.length > 0 ? { reasoning_details: details } : {}),
    ...(thoughts.length > 0 ? { reasoning_content: thoughts.join(TURN_GAP) } : {}),
  };
}

/** Joins contents as one text if each is a text, or else as parts. */
export function joinContents(contents: readonly Content[]): Content {
  const filled = contents.filter((content) => content.length > 0);
  const texts = filled.filter((content) => typeof content === "string");
  return texts.length === filled.length ? texts.join(TURN_GAP) : filled.flatMap((one) => listParts(one));
}
