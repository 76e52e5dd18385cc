// The metrics of WebSockets.
import { count, gauge, requests } from "./metric-row.ts";

const sockets = count("WebSockets");

export const SOCKET_METRICS = {
  poundkey_sockets: gauge("WebSockets", "Open WebSockets."),
  poundkey_sockets_max: gauge("WebSockets", "The most that may be open (`responses.sockets.all`)."),
  poundkey_sockets_opened_total: { ...sockets("WebSockets that were opened."), on: "socket.opened" },
  poundkey_sockets_refused_total: {
    ...sockets("Handshakes of WebSockets that were refused, by error code.", "reason"),
    on: "socket.refused",
  },
  poundkey_sockets_closed_total: {
    ...sockets("WebSockets that ended, by the reason in the log's line.", "reason"),
    on: "socket.closed",
  },
  poundkey_socket_turns_total: {
    ...requests("Turns of WebSockets by outcome: completed, failed, refused or left.", "outcome"),
    on: "socket.turn",
  },
  poundkey_socket_warmups_total: {
    ...requests("Turns of WebSockets that asked nobody (`generate: false`)."),
    on: "socket.warm_up",
  },
  poundkey_socket_bytes: gauge("bytes", "What WebSockets remember of their conversations."),
} as const;
