// The protocol's conformance tests against the gateway's address of one tool server: the scenarios of all that it passes on
// succeed, and those of what it doesn't fail by the name of that method.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { asArray, asObject } from "../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../harness/harness.ts";
import type { ReferenceServer } from "../harness/reference-servers.ts";
import { startConformanceServer } from "./conformance-server.ts";

const PROGRAM = join(import.meta.dir, "node_modules/@modelcontextprotocol/conformance/dist/index.js");
const RUN_MS = 300_000;
const PASSED_ON = [
  "server-initialize",
  "ping",
  "tools-list",
  "tools-call-simple-text",
  "tools-call-image",
  "tools-call-audio",
  "tools-call-embedded-resource",
  "tools-call-mixed-content",
  "tools-call-error",
  "tools-call-with-progress",
  "json-schema-2020-12",
  "resources-list",
  "resources-read-text",
  "resources-read-binary",
  "resources-templates-read",
  "prompts-list",
  "prompts-get-simple",
  "prompts-get-with-args",
  "prompts-get-embedded-resource",
  "prompts-get-with-image",
  "dns-rebinding-protection",
];

/** The scenarios of requests that the gateway doesn't pass on, and the method that its refusal names. */
const NOT_BUILT = [
  ["logging-set-level", "logging/setLevel"],
  ["tools-call-with-logging", "logging/setLevel"],
  ["completion-complete", "completion/complete"],
  ["tools-call-sampling", "sampling/createMessage"],
  ["tools-call-elicitation", "elicitation/create"],
  ["elicitation-sep1034-defaults", "elicitation/create"],
  ["elicitation-sep1330-enums", "elicitation/create"],
  ["resources-subscribe", "resources/subscribe"],
  ["resources-unsubscribe", "resources/subscribe"],
] as const;

interface Check {
  readonly status: unknown;
  readonly error: unknown;
}

let under: UnderTest;
let server: ReferenceServer;
let checks: ReadonlyMap<string, readonly Check[]>;

/** Runs all scenarios in one program. Returns what each has checked. */
async function runScenarios(url: string): Promise<ReadonlyMap<string, readonly Check[]>> {
  const folder = mkdtempSync(join(tmpdir(), "poundkey-conformance-"));
  const command = [
    process.execPath,
    "--bun",
    PROGRAM,
    "server",
    "--url",
    url,
    "--suite",
    "all",
    "-o",
    folder,
  ];
  await Bun.spawn(command, { stdout: "ignore", stderr: "ignore", timeout: RUN_MS }).exited;
  const found = new Map<string, readonly Check[]>();
  for (const path of readdirSync(folder, { recursive: true }).map(String)) {
    const scenario = /(?:^|\/)server-(.*)-\d{4}-[^/]*\/checks\.json$/.exec(path)?.[1];
    if (scenario === undefined) continue;
    const list = asArray(await Bun.file(join(folder, path)).json()).map(asObject);
    found.set(
      scenario,
      list.map(({ status, errorMessage }) => ({ status, error: errorMessage })),
    );
  }
  rmSync(folder, { recursive: true });
  return found;
}

/** The program sends no key: this adds it, and leaves everything else as it is. */
function startKeyed(target: string, secret: string) {
  const proxy = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    fetch(request) {
      const headers = new Headers(request.headers);
      headers.set("authorization", `Bearer ${secret}`);
      const { method, body, signal } = request;
      return fetch(`${target}${new URL(request.url).pathname}`, { method, headers, body, signal });
    },
  });
  return { url: `http://127.0.0.1:${proxy.port}`, stop: () => proxy.stop(true) };
}

describe.skipIf(!existsSync(PROGRAM))("the scenario", () => {
  beforeAll(async () => {
    server = startConformanceServer();
    const row = `{ url: "${server.url}", resources: true, prompts: true }`;
    under = await startUnderTest({ more: `mcp: { allowed_tools: ["*"], servers: { judged: ${row} } }` });
    const keyed = startKeyed(under.url, under.secret);
    checks = await runScenarios(`${keyed.url}/mcp/judged`);
    await keyed.stop();
  }, RUN_MS);
  afterAll(async () => {
    await under.stop();
    await server.stop();
  });

  test.each(PASSED_ON)("%s succeeds", (scenario) => {
    const list = checks.get(scenario) ?? [];
    expect(list.length).toBeGreaterThan(0);
    expect(list.filter(({ status }) => status !== "SUCCESS" && status !== "INFO")).toEqual([]);
  });
  test.each(NOT_BUILT)("%s fails: %s", (scenario, reason) => {
    expect(checks.get(scenario)).toContainEqual({
      status: "FAILURE",
      error: expect.stringContaining(`Method not found: ${reason}`),
    });
  });
});
