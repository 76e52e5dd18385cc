// The chat codec of a dialect, for tests that drive it without the gateway.
import type { ChatDialect, Dialect } from "../../src/dialects/dialect.ts";

/** Throws for a dialect without chat. */
export function findChatCodec({ chat }: Dialect): ChatDialect["chat"] {
  if (!chat) throw new Error("The dialect serves no chat.");
  return chat;
}
