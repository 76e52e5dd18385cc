// WebSockets through the sample's nginx: it passes handshakes on, and keeps its connections to the gateway for all else.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startUnderTest, type UnderTest } from "../harness/harness.ts";
import { SocketClient } from "../http/sockets/client.ts";
import { findFreePort } from "../whole/network/shared-front.ts";
import { until } from "../whole/world/until.ts";
import { DEPLOY } from "./files.ts";

const NGINX = Bun.which("nginx");
const MODEL = "Local#some-model";

/** The sample, without its certificate. */
function writeSites(folder: string, gateway: string, port: number): string {
  const read = (name: string) => readFileSync(join(DEPLOY, "proxy", "nginx", name), "utf8");
  writeFileSync(join(folder, "poundkey-proxy.conf"), read("poundkey-proxy.conf"));
  const site = read("poundkey.conf")
    .replace("127.0.0.1:8080", new URL(gateway).host)
    .replace("listen 443 ssl", `listen 127.0.0.1:${port}`)
    .replace(/^ *ssl_.*$/gm, "")
    .replace("10.0.0.0/8", "127.0.0.1")
    .replaceAll("/etc/nginx/poundkey-proxy.conf", join(folder, "poundkey-proxy.conf"));
  writeFileSync(join(folder, "poundkey.conf"), site);
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  const main = `daemon off; pid ${folder}/nginx.pid; error_log ${folder}/error.log; events { worker_connections 64; }
http { access_log off; ${temporary.join(" ")} include ${folder}/poundkey.conf; }\n`;
  writeFileSync(join(folder, "nginx.conf"), main);
  return join(folder, "nginx.conf");
}

describe.skipIf(NGINX === null)("behind the sample's nginx (skipped without it)", () => {
  let world: UnderTest;
  let front: string;
  let folder: string;
  let nginx: Bun.Subprocess;
  beforeAll(async () => {
    world = await startUnderTest();
    folder = mkdtempSync(join(tmpdir(), "poundkey-nginx-"));
    const port = findFreePort();
    front = `http://127.0.0.1:${port}`;
    const command = [NGINX ?? "", "-p", folder, "-c", writeSites(folder, world.url, port)];
    nginx = Bun.spawn(command, { stdout: "ignore", stderr: "ignore" });
    await until("nginx", async () => (await fetch(`${front}/healthz`).catch(() => null))?.ok === true);
  });
  afterAll(async () => {
    nginx.kill();
    await nginx.exited;
    rmSync(folder, { recursive: true });
    await world.stop();
  });

  test("a session runs over one connection", async () => {
    const client = await new SocketClient(front, world.secret).open();
    const first = await client.create({ model: MODEL, input: "say: one" });
    const second = await client.create({ model: MODEL, input: "say: two" });
    for (const frames of [first, second]) expect(frames.at(-1)?.type).toBe("response.completed");
    client.close();
  });

  test("another protocol isn't passed on, and requests are answered as ever", async () => {
    const headers = { authorization: `Bearer ${world.secret}`, upgrade: "h2c", connection: "Upgrade" };
    const answer = await fetch(`${front}/v1/models`, { headers });
    expect(answer.status).toBe(200);
  });
});
