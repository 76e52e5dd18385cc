// Reads from the kernel how much of a connection its other end has not read.
import { existsSync, readFileSync } from "node:fs";

const TABLES = ["/proc/net/tcp", "/proc/net/tcp6"].filter(existsSync);

/** Reads the port of `0100007F:1F90`, and the bytes to be read of `00000000:0000002A`. */
function readAfterColon(field: string | undefined): number {
  return Number.parseInt(field?.slice(field.lastIndexOf(":") + 1) ?? "", 16);
}

/**
 * Returns true if the program at the other end has bytes to read from this connection, which is between two ports of
 * this machine. False where that can't be known: there is no such table, or the program is elsewhere. The fields are
 * those of proc_pid_net(5): number, local address, remote address, state, the bytes to be sent and to be read.
 */
export function isUnread(localPort: number, remotePort: number): boolean {
  for (const table of TABLES) {
    for (const line of readFileSync(table, "latin1").split("\n")) {
      const [, local, remote, , queues] = line.trim().split(/\s+/);
      if (readAfterColon(local) === remotePort && readAfterColon(remote) === localPort)
        return readAfterColon(queues) > 0;
    }
  }
  return false;
}
