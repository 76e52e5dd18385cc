// The connection that a socket's rooms see: a file of them is tested without a process.

/** Bun's connection, as far as it is used. */
export interface SocketPort {
  /** Sends a text frame. 0 if it was dropped, -1 if it waits unsent. */
  send(text: string): number;
  /** Runs what sends several frames, which leave together. */
  cork(send: () => void): unknown;
  ping(): unknown;
  close(code: number, reason: string): void;
  terminate(): void;
  /** The bytes that wait unsent. */
  getBufferedAmount(): number;
}

/** The reason of a connection's end: its client's, with a close frame or without one; its key's; its frames'; or the gateway's. */
export type CloseReason =
  | "client_closed"
  | "client_gone"
  | "key_ended"
  | "refused_frames"
  | "invalid_frame"
  | "frame_too_large"
  | "slow_client"
  | "going_away"
  | "limit";

/** WebSocket close codes (RFC 6455, section 7.4.1). */
export const CLOSED = {
  normal: 1000,
  leaving: 1001,
  badFrame: 1002,
  invalidText: 1007,
  refused: 1008,
  tooLarge: 1009,
} as const;
