// A real SOCKS5 server that asks for a login: microsocks.
import { connect } from "node:net";
import { findFreePort } from "../whole/network/shared-front.ts";
import { until } from "../whole/world/until.ts";
import { findTool } from "./tools.ts";

export const MICROSOCKS = findTool("microsocks");

export const SOCKS_LOGIN = { user: "user", password: "w@rd" };

/** Returns its port, and what ends it. */
export async function startMicrosocks(): Promise<{ readonly port: number; stop(): Promise<void> }> {
  const port = findFreePort();
  const { user, password } = SOCKS_LOGIN;
  const command = [String(MICROSOCKS), "-i", "127.0.0.1", "-p", String(port), "-u", user, "-P", password];
  const server = Bun.spawn(command, { stdio: ["ignore", "ignore", "ignore"] });
  await until("microsocks listens", () => canConnect(port));
  return {
    port,
    async stop() {
      server.kill();
      await server.exited;
    },
  };
}

function canConnect(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port });
    const end = (isOpen: boolean) => {
      socket.destroy();
      resolve(isOpen);
    };
    socket.once("connect", () => end(true)).once("error", () => end(false));
  });
}
