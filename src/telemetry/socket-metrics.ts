// The metrics of WebSockets.
import { count, gauge, requests } from "./metric-row.ts";

const sockets = count("WebSockets");

export const SOCKET_METRICS = {
  poundkey_sockets: gauge("WebSockets", "Open WebSockets."),
  poundkey_sockets_max: gauge("WebSockets", "Their maximum (`responses.sockets.all`)."),
  poundkey_sockets_opened_total: { ...sockets("WebSockets opened."), on: "socket.opened" },
  poundkey_sockets_refused_total: {
    ...sockets("Handshakes refused, by code.", "reason"),
    on: "socket.refused",
  },
  poundkey_sockets_closed_total: {
    ...sockets("WebSockets ended, by reason.", "reason"),
    on: "socket.closed",
  },
  poundkey_socket_turns_total: {
    ...requests("Turns: `completed`, `failed`, `refused`, `left`.", "outcome"),
    on: "socket.turn",
  },
  poundkey_socket_warmups_total: {
    ...requests("Turns that asked nobody (`generate: false`)."),
    on: "socket.warm_up",
  },
  poundkey_socket_bytes: gauge("bytes", "WebSockets' memory of conversations."),
} as const;
