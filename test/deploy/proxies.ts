// Proves the proxies' files on real servers, over restarts under load:
// `bun test/deploy/proxies.ts [RESTARTS [SCENE]]`.
//
// nginx and Caddy must be on PATH (Debian's packages `nginx-light` and `caddy`), and the binary built. Exits with 1 if a
// request is lost. `net.ipv4.tcp_migrate_req` must be 1, as systemd/poundkey.sysctl sets it; without it, a connection that
// comes as a gateway stops listening may be lost.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { asObject, parseJson } from "../../src/core/json/json.ts";
import { until } from "../whole/world/until.ts";
import { DEPLOY } from "./files.ts";

const RESTARTS = Number(process.argv[2] ?? 20);
const CHOSEN = process.argv[3] ?? "";
const BINARY = join(import.meta.dir, "..", "..", "dist", "poundkey");
const ADMIN_TOKEN = "admin-token-of-the-proofs";
const SIMULATOR_PORT = 19_400;
const GATEWAY_PORT = 19_401;
const OTHER_PORT = 19_402;
const PROXY_PORT = 19_403;
const START_MS = 60_000;
/** Three intervals of the proxy's own checks. */
const HEALTHY_MS = 3000;
/** The prompt of the large requests. */
const LARGE = "word ".repeat(400_000);

interface Started {
  readonly said: () => string;
  stop(): Promise<number>;
}

const folder = mkdtempSync(join(tmpdir(), "poundkey-proxies-"));
const running = new Set<Started>();

function start(command: readonly string[]): Started {
  const child = Bun.spawn([...command], { cwd: folder, stdout: "ignore", stderr: "pipe" });
  let text = "";
  void (async () => {
    const decoder = new TextDecoder();
    for await (const bytes of child.stderr) text += decoder.decode(bytes, { stream: true });
  })();
  const started: Started = {
    said: () => text,
    stop: () => {
      running.delete(started);
      child.kill("SIGTERM");
      return child.exited;
    },
  };
  running.add(started);
  return started;
}

function write(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

/** Returns a sample with some of its words replaced. Throws if it has lost one of them. */
function readSample(path: string, replaced: Readonly<Record<string, string>>): string {
  let text = readFileSync(join(DEPLOY, path), "utf8");
  for (const [word, by] of Object.entries(replaced)) {
    if (!text.includes(word)) throw new Error(`${path} no longer has ${word}`);
    text = text.replaceAll(word, by);
  }
  return text;
}

async function startGateway(port: number): Promise<Started> {
  const gateway = start([BINARY, "serve", "--share-port", "--port", String(port)]);
  await until("the gateway listens", () => gateway.said().includes("listens on"), START_MS).catch(() => {
    throw new Error(gateway.said());
  });
  return gateway;
}

function startNginx(): Started {
  const key = join(folder, "key.pem");
  const certificate = join(folder, "certificate.pem");
  const proxy = write("poundkey-proxy.conf", readSample("proxy/nginx/poundkey-proxy.conf", {}));
  const site = write(
    "site.conf",
    readSample("proxy/nginx/poundkey.conf", {
      "127.0.0.1:8080": `127.0.0.1:${GATEWAY_PORT}`,
      "listen 443": `listen ${PROXY_PORT}`,
      "llm.example.com;": "localhost;",
      "/etc/ssl/llm.example.com.pem": certificate,
      "/etc/ssl/llm.example.com.key": key,
      "/etc/nginx/poundkey-proxy.conf": proxy,
    }),
  );
  const main = write(
    "nginx.conf",
    `daemon off; pid ${folder}/nginx.pid; error_log stderr; worker_processes 1;
events { worker_connections 512; }
http { access_log off; client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy;
fastcgi_temp_path ${folder}/f; uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s; include ${site}; }\n`,
  );
  return start(["nginx", "-p", folder, "-c", main]);
}

function startCaddy(sample: string, hosts: Readonly<Record<string, string>>): Started {
  const site = readSample(sample, {
    ...hosts,
    request_body: `tls ${join(folder, "certificate.pem")} ${join(folder, "key.pem")}\n\trequest_body`,
  });
  const file = write("Caddyfile", `{\n\tadmin off\n\tauto_https disable_redirects\n}\n${site}`);
  return start(["env", `HOME=${folder}`, "caddy", "run", "--adapter", "caddyfile", "--config", file]);
}

const PROXY_URL = `https://localhost:${PROXY_PORT}`;
const TLS = { rejectUnauthorized: false };

function post(url: string, bearer: string, body: object): Promise<Response> {
  const headers = { authorization: `Bearer ${bearer}`, "content-type": "application/json" };
  return fetch(url, { method: "POST", headers, body: JSON.stringify(body), tls: TLS });
}

const ASKS = {
  stream: { model: "Own#a~pace=5", stream: true, messages: [{ role: "user", content: "one two" }] },
  long: { model: "Own#a~pace=50~chunks=40", stream: true, messages: [{ role: "user", content: "one two" }] },
  large: { model: "Own#a", messages: [{ role: "user", content: LARGE }] },
  paused: { model: "Own#a", messages: [{ role: "user", content: "one two" }] },
};
type Kind = keyof typeof ASKS;
const CLIENTS: readonly Kind[] = [
  "stream",
  "stream",
  "stream",
  "stream",
  "long",
  "long",
  "large",
  "paused",
  "paused",
];

/** Sends requests until stopped. Returns what became of each. */
async function client(kind: Kind, secret: string, goesOn: () => boolean): Promise<readonly string[]> {
  const answers: string[] = [];
  while (goesOn()) {
    // Those that pause find a kept connection that has been idle.
    if (kind === "paused") await Bun.sleep(Math.random() * 200);
    answers.push(
      await post(`${PROXY_URL}/v1/chat/completions`, secret, ASKS[kind]).then(
        async (response) => {
          const text = await response.text();
          const whole = text.endsWith("data: [DONE]\n\n") || text.includes('"finish_reason":"stop"');
          return whole ? "whole" : `${kind}: ${response.status} ${text.slice(0, 200)}`;
        },
        (error: unknown) => `${kind}: ${String(error)}`,
      ),
    );
  }
  return answers;
}

interface Scene {
  readonly name: string;
  readonly startProxy: () => Started;
  /** The ports of the gateways, whose instances are restarted in turn. */
  readonly ports: readonly number[];
}

/** Two instances take turns on one port, or one of two gateways restarts while the other serves. */
async function restart(ports: readonly number[], instances: Started[], turn: number): Promise<void> {
  const at = turn % ports.length;
  const port = ports[at] ?? GATEWAY_PORT;
  const old = instances[at];
  const takesTurns = ports.length === 1;
  const next = takesTurns ? await startGateway(port) : null;
  const code = await old?.stop();
  if (code !== 0) throw new Error(`the gateway exited with ${code}`);
  instances[at] = next ?? (await startGateway(port));
  // As `docker compose up --wait` does, until the container is healthy; the proxy has asked it by then.
  if (!takesTurns) await Bun.sleep(HEALTHY_MS);
}

async function play({ name, startProxy, ports }: Scene): Promise<boolean> {
  const instances: Started[] = [];
  for (const port of ports) instances.push(await startGateway(port));
  const proxy = startProxy();
  const isUp = () =>
    fetch(`${PROXY_URL}/healthz`, { tls: TLS }).then(
      ({ ok }) => ok,
      () => false,
    );
  await until("the proxy serves", isUp, START_MS).catch(() => {
    throw new Error(proxy.said());
  });
  const made = await post(`http://127.0.0.1:${GATEWAY_PORT}/admin/v1/keys`, ADMIN_TOKEN, {
    name,
    requests_per_day: null,
  });
  const secret = String(asObject(parseJson(await made.text())).secret);
  let goesOn = true;
  const clients = CLIENTS.map((kind) => client(kind, secret, () => goesOn));
  for (let turn = 0; turn < RESTARTS; turn++) await restart(ports, instances, turn);
  goesOn = false;
  const answers = (await Promise.all(clients)).flat();
  for (const one of [...instances, proxy]) await one.stop();
  const lost = answers.filter((answer) => answer !== "whole");
  process.stdout.write(`${name}: ${RESTARTS} restarts, ${answers.length} requests, ${lost.length} lost\n`);
  for (const answer of lost.slice(0, 5)) process.stdout.write(`  ${answer}\n`);
  return lost.length === 0;
}

const SCENES: readonly Scene[] = [
  { name: "nginx, two instances on a port", startProxy: startNginx, ports: [GATEWAY_PORT] },
  {
    name: "Caddy, two instances on a port",
    startProxy: () =>
      startCaddy("proxy/Caddyfile", {
        "llm.example.com": PROXY_URL,
        "127.0.0.1:8080": `127.0.0.1:${GATEWAY_PORT}`,
      }),
    ports: [GATEWAY_PORT],
  },
  {
    name: "Caddy, two gateways",
    startProxy: () =>
      startCaddy("compose/nodes/Caddyfile", {
        "{$POUNDKEY_HOST}": PROXY_URL,
        "poundkey-a:8080": `127.0.0.1:${GATEWAY_PORT}`,
        "poundkey-b:8080": `127.0.0.1:${OTHER_PORT}`,
      }),
    ports: [GATEWAY_PORT, OTHER_PORT],
  },
];

try {
  write(
    "poundkey.yaml",
    `server: { admin_token: "${ADMIN_TOKEN}", trusted_proxies: ["127.0.0.1"] }
store: "sqlite:./poundkey.db"
providers:
  Own: { dialect: openai, keys: ["any"], base_url: "http://127.0.0.1:${SIMULATOR_PORT}/openai/v1", unlisted_models: true }\n`,
  );
  const made = [
    "-newkey",
    "rsa:2048",
    "-nodes",
    "-keyout",
    "key.pem",
    "-out",
    "certificate.pem",
    "-subj",
    "/CN=localhost",
  ];
  Bun.spawnSync(["openssl", "req", "-x509", ...made], { cwd: folder, stderr: "ignore" });
  const simulator = start([BINARY, "simulate", "--port", String(SIMULATOR_PORT)]);
  const results: boolean[] = [];
  for (const scene of SCENES.filter(({ name }) => name.includes(CHOSEN))) results.push(await play(scene));
  await simulator.stop();
  process.exitCode = results.every(Boolean) ? 0 : 1;
} finally {
  for (const one of running) void one.stop();
  rmSync(folder, { recursive: true, force: true });
}
