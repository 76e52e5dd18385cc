// The results of a search, each with its page in the console.
import { Type } from "@sinclair/typebox";
import type { GatewayKey } from "../../core/keys/key.ts";
import { allowWords, text, type View } from "../schema.ts";

const TYPES = [
  "request",
  "key",
  "token",
  "account",
  "person",
  "session",
  "trace",
  "socket",
  "model",
  "alias",
  "provider",
] as const;

export const resultSchema = Type.Object({
  type: allowWords(TYPES),
  id: text,
  name: text,
  /** Its page in the console. */
  url: text,
});
export type ResultView = View<typeof resultSchema>;

export function viewKey({ id, name, last4 }: Pick<GatewayKey, "id" | "name" | "last4">): ResultView {
  const url = `/#/settings/router/${encodeURIComponent(id)}`;
  return { type: "key", id, name: `${name} (…${last4})`, url };
}
