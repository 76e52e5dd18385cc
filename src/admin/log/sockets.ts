// The WebSockets that are open now, as the operator sees them.
import { Type } from "@sinclair/typebox";
import { count, type View } from "../schema.ts";

export const socketsSchema = Type.Object({
  open: count,
  // The most that may be open. 0 if they are turned off.
  most: count,
  remembered_bytes: count,
});
export type SocketsView = View<typeof socketsSchema>;
