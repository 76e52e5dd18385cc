// Running out of file descriptors: the gateway keeps some for itself and accepts clients again when enough are free.
import { afterAll, describe, expect, test } from "bun:test";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { AcceptGuard } from "../../src/app/start/accepting.ts";
import type { LogEvent } from "../../src/core/world/world.ts";
import { LONG_MS, newPlace, startServe } from "../harness/serve-process.ts";
import { until } from "../whole/world/until.ts";

/** A process limited to 80 files that keeps ten for itself, with clients that take all they get. */
function startLoad() {
  const max = 80;
  const used = new Set<number>();
  const take = () => {
    for (let at = 0; at < max; at++) if (!used.has(at)) return used.add(at) && at;
    return null;
  };
  const events: string[] = [];
  const idle: number[] = [];
  const listener = {
    isOn: true,
    closeIdle: () => {
      const count = idle.length;
      for (const descriptor of idle.splice(0)) used.delete(descriptor);
      return count;
    },
    pause: () => void Object.assign(listener, { isOn: false }),
    resume: () => void Object.assign(listener, { isOn: true }),
  };
  const log = ({ event }: LogEvent) => void events.push(event);
  const give = (descriptor: number) => void used.delete(descriptor);
  const accepting = new AcceptGuard({ max, take, give }, listener, log);
  const client = () => {
    const descriptor = listener.isOn ? take() : null;
    return descriptor === null ? null : { descriptor, leave: () => give(descriptor) };
  };
  const clients = (count: number) => Array.from({ length: count }, client).filter((one) => one !== null);
  const free = () => max - used.size;
  return { accepting, listener, clients, client, idle, free, events };
}

describe("with many clients at once", () => {
  test("keeps ten file descriptors free by not accepting more clients", () => {
    const { accepting, listener, clients, free, events } = startLoad();
    accepting.check();
    expect(free()).toBe(70);
    expect(clients(100)).toHaveLength(70);
    accepting.check();
    expect([listener.isOn, free()]).toEqual([false, 10]);
    accepting.check();
    expect(events).toEqual(["connections_paused"]);
  });

  test("accepts again once twice as many are free", () => {
    const { accepting, listener, clients, free, events } = startLoad();
    accepting.check();
    const inside = clients(100);
    accepting.check();
    for (const { leave } of inside.slice(65)) leave();
    accepting.check();
    expect(listener.isOn).toBe(false);
    for (const { leave } of inside.slice(40, 65)) leave();
    accepting.check();
    expect(listener.isOn).toBe(true);
    expect(events).toEqual(["connections_paused", "connections_resumed"]);
    accepting.check();
    expect(free()).toBe(30);
  });

  test("closes idle connections first", () => {
    const { accepting, listener, clients, idle, client, events } = startLoad();
    accepting.check();
    idle.push(...clients(100).map(({ descriptor }) => descriptor));
    accepting.check();
    expect(client()).not.toBeNull();
    expect([listener.isOn, events]).toEqual([true, []]);
  });

  test("retries later if the listener can't restart yet", () => {
    const { accepting, listener, clients, events } = startLoad();
    accepting.check();
    const inside = clients(100);
    accepting.check();
    for (const { leave } of inside) leave();
    const { resume } = listener;
    listener.resume = () => {
      throw new Error("the address is in use");
    };
    accepting.check();
    expect(events).toEqual(["connections_paused"]);
    listener.resume = resume;
    accepting.check();
    expect(listener.isOn).toBe(true);
  });
});

describe("a process limited to 256 open files", () => {
  const place = { ...newPlace("server: { port: 0 }"), filesMax: 256 };
  const serving = startServe(place, "--simulate");
  const sockets: Socket[] = [];
  afterAll(() => {
    for (const socket of sockets) socket.destroy();
    serving.end();
    place.remove();
  });

  test(
    "stops accepting without a busy loop, and resumes when clients have left",
    async () => {
      const url = await serving.listens();
      const { hostname, port } = new URL(url);
      for (let count = 0; count < 400; count++) {
        const socket = connect({ host: hostname, port: Number(port) });
        socket.on("error", () => {});
        sockets.push(socket);
      }
      await serving.logged("connections_paused", 1);
      const late = connect({ host: hostname, port: Number(port) });
      const [refused] = await once(late, "error");
      expect(refused).toMatchObject({ code: "ECONNREFUSED" });
      for (const socket of sockets) socket.destroy();
      await serving.logged("connections_resumed", 1);
      await until("it answers", async () => (await fetch(`${url}/healthz`)).ok);
      serving.signal("SIGTERM");
      expect(await serving.exited).toBe(0);
    },
    2 * LONG_MS,
  );
});
