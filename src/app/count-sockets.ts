// The open WebSockets of a node, as the metrics of all its workers say.
import type { SocketsView } from "../admin/log/sockets.ts";
import { readValue } from "../telemetry/exposition.ts";

/** The sums over the node's workers are made as text. */
export async function countSockets(metrics: () => string | Promise<string>): Promise<SocketsView> {
  const text = await metrics();
  return {
    open: readValue(text, "poundkey_sockets"),
    most: readValue(text, "poundkey_sockets_max"),
    remembered_bytes: readValue(text, "poundkey_socket_bytes"),
  };
}
