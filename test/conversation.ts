// A request's conversation, as the routes make it.
import { Conversation } from "../src/health/stickiness.ts";
import { nameConversation } from "../src/operations/chat/conversation.ts";
import type { ChatRequest } from "../src/operations/chat/form.ts";

export function makeConversation(keyId: string, request: ChatRequest): Conversation {
  return new Conversation(keyId, () => nameConversation(request, null));
}
