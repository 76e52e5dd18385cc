// WebSockets through the samples of nginx and Caddy: they pass handshakes on, and keep connections to the gateway for all else.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startUnderTest, type UnderTest } from "../harness/harness.ts";
import { SocketClient } from "../http/sockets/client.ts";
import { CADDY, startCaddy } from "./caddy.ts";
import { NGINX, startNginx } from "./nginx.ts";

const MODEL = "Local#some-model";

describe.skipIf(NGINX === null)("behind the sample's nginx (skipped without it)", () => {
  let world: UnderTest;
  let front: Awaited<ReturnType<typeof startNginx>>;
  beforeAll(async () => {
    world = await startUnderTest();
    front = await startNginx([world.url]);
  });
  afterAll(async () => {
    await front.stop();
    await world.stop();
  });

  test("a session runs over one connection", async () => {
    const client = await new SocketClient(front.url, world.secret).open();
    const first = await client.create({ model: MODEL, input: "say: one" });
    const second = await client.create({ model: MODEL, input: "say: two" });
    for (const frames of [first, second]) expect(frames.at(-1)?.type).toBe("response.completed");
    client.close();
  });

  test("another protocol isn't passed on, and requests are answered as ever", async () => {
    const headers = { authorization: `Bearer ${world.secret}`, upgrade: "h2c", connection: "Upgrade" };
    const answer = await fetch(`${front.url}/v1/models`, { headers });
    expect(answer.status).toBe(200);
  });
});

test.skipIf(CADDY === null)("a session runs over one connection behind the sample's Caddy", async () => {
  const world = await startUnderTest();
  const front = await startCaddy(world.url);
  const client = await new SocketClient(front.url, world.secret).open();
  for (const said of ["one", "two"]) {
    const frames = await client.create({ model: MODEL, input: `say: ${said}` });
    expect(frames.at(-1)?.type).toBe("response.completed");
  }
  client.close();
  await front.stop();
  await world.stop();
});
