// `bun test/people/sign-in/endurance.ts [--sign-ins N] [--refused N]`: signs people in and refuses others at a gateway process,
// and prints its memory and its store before and after each.
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { residentBytes } from "../../bench/processes.ts";
import { PROGRAM } from "../../harness/program.ts";
import { startVictim } from "../../kill/process.ts";
import { postForm } from "./agent.ts";
import { Browser } from "./browser.ts";
import { startFront } from "./front.ts";
import { startProvider } from "./provider.ts";
import { oidcYaml, reachCallback, signInAs } from "./world.ts";

const { values } = parseArgs({
  options: {
    "sign-ins": { type: "string", default: "1000" },
    refused: { type: "string", default: "100000" },
  },
});
const LANES = 8;
const PEOPLE = 50;
/** Sign-ins before the first figure, which fill caches and compile. */
const WARM = 100;

const directory = mkdtempSync(join(tmpdir(), "poundkey-sign-ins-"));
const front = startFront();
const provider = await startProvider(front.url);
const rules = "rules: [{ group: search, role: member, accounts: [default] }]";
const lines = [
  `server: { port: 0, public_url: "${front.url}" }`,
  "store: sqlite:./poundkey.db",
  oidcYaml(provider.issuer, rules),
];
writeFileSync(join(directory, "poundkey.yaml"), `${lines.join("\n")}\n`);
const gateway = startVictim(PROGRAM, directory);
front.lead(await gateway.listens);
for (let at = 0; at < PEOPLE; at++)
  provider.people.set(`person-${at}`, { name: `Person ${at}`, groups: ["search"] });
provider.people.set("stranger", { name: "Stranger", groups: ["others"] });

/** Does this many, a few at once, and counts the results by their words. */
async function repeat(count: number, act: (at: number) => Promise<string>): Promise<string> {
  const results = new Map<string, number>();
  let next = 0;
  const lane = async () => {
    for (let at = next++; at < count; at = next++) {
      const result = await act(at);
      results.set(result, (results.get(result) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return [...results].map(([result, times]) => `${result} × ${times}`).join(", ");
}

async function signIn(at: number): Promise<string> {
  const { page, browser } = await signInAs(front, `person-${at % PEOPLE}`);
  const isIn = browser.cookies(front.url).includes("poundkey_session");
  return `${page.status}${isIn ? " with a session" : ""}`;
}

const foreign = await reachCallback(front, new Browser(), "person-0");
const REFUSALS: readonly (() => Promise<{ readonly status: number }>)[] = [
  () => fetch(foreign, { redirect: "manual" }),
  () => fetch(`${front.url}/auth/oidc/callback?state=x&code=y`, { redirect: "manual" }),
  () =>
    fetch(`${front.url}/admin/v1/keys`, { headers: { cookie: `poundkey_session=${crypto.randomUUID()}` } }),
  () =>
    postForm(`${front.url}/oauth/token`, { grant_type: "refresh_token", refresh_token: crypto.randomUUID() }),
  () => fetch(`${front.url}/auth/oidc/start`, { redirect: "manual" }),
];

async function refuse(at: number): Promise<string> {
  if (at % 1000 === 0) return `stranger ${(await signInAs(front, "stranger")).page.status}`;
  const response = await REFUSALS[at % REFUSALS.length]?.();
  if (response instanceof Response) await response.arrayBuffer();
  return `${response?.status}`;
}

function tell(when: string): void {
  const store = ["poundkey.db", "poundkey.db-wal"].map((name) => statSync(join(directory, name)).size);
  const memory = Math.round(residentBytes(gateway.pid) / 1e6);
  console.log(
    `${when}: ${memory} MB, store ${store.map((bytes) => `${(bytes / 1e6).toFixed(1)} MB`).join(" + ")}`,
  );
}

console.log(await repeat(WARM, signIn));
tell("at first");
for (const part of [1, 2]) {
  console.log(await repeat(Number(values["sign-ins"]) / 2, signIn));
  tell(`after half of the sign-ins, ${part}`);
}
for (const part of [1, 2]) {
  console.log(await repeat(Number(values.refused) / 2, refuse));
  tell(`after half of those refused, ${part}`);
}
gateway.signal("SIGTERM");
await gateway.exited;
await provider.stop();
await front.stop();
rmSync(directory, { recursive: true, force: true });
process.exit(0);
