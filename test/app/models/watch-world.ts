// A gateway's watch in a folder of its own, over a real configuration, a real store, and lists that a real server has.
import { createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type LookTeam, PriceWatch } from "../../../src/app/models/catalogue-watch.ts";
import { loadConfig, readBytes, source } from "../../../src/app/start/configuration.ts";
import { priceView } from "../../../src/catalogue/price.ts";
import { loadShippedCards } from "../../../src/catalogue/rows.ts";
import { viewRow } from "../../../src/catalogue/write-rows.ts";
import type { Store } from "../../../src/core/store.ts";
import type { LogEvent } from "../../../src/core/world/world.ts";
import { nameKey, signBytes } from "../../../src/keys/signature.ts";
import { ROW } from "../../cli/catalogue-run.ts";

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const NOW_MS = Date.parse("2026-11-28T12:00:00Z");
export const CHANGED = "OpenAI#gpt-5.4";

export const OWN = generateKeyPairSync("ed25519").privateKey;
export const OTHER = generateKeyPairSync("ed25519").privateKey;
export const PUBLIC = derivePublicKey(OWN);
export const KEY = nameKey(PUBLIC);

/** Returns the public key of a private one: its 32 bytes in base64. */
function derivePublicKey(key: KeyObject): string {
  const { x = "" } = createPublicKey(key).export({ format: "jwk" });
  return Buffer.from(x, "base64url").toString("base64");
}

/** A list with a new model, and with the price of a known one times `ratio`. */
export function makeList(serial: number, fields: object = {}, ratio = 1.2): string {
  const card = loadShippedCards().find(({ id }) => id === CHANGED);
  if (!card?.price) throw new Error(`${CHANGED} has a price`);
  const price = JSON.parse(JSON.stringify(priceView(card.price)), (name, value) =>
    typeof value === "number" && name !== "above_tokens" && !name.startsWith("per_")
      ? round(value * ratio)
      : value,
  );
  const models = [
    { ...ROW, id: "OpenAI#gpt-99" },
    { ...viewRow(card), price },
  ];
  return JSON.stringify({ poundkey_catalogue: 1, serial, as_of: "2026-11-29", models, ...fields });
}
const round = (usd: number) => Math.round(usd * 1e6) / 1e6;

export function sign(list: string | Uint8Array, key: KeyObject = OWN): Buffer {
  return signBytes(Buffer.from(list), key);
}

/** The answers of a server at `/list` and `/list.sig`. */
export interface Served {
  list: string | Uint8Array;
  /** Null if there is none. */
  signature: Uint8Array | null;
  /** Answers in place of these. */
  instead: ((path: string) => Response | Promise<Response> | null) | null;
  asked: number;
}

export function serveList(tls?: { readonly cert: string; readonly key: string }) {
  const served: Served = { list: "", signature: null, instead: null, asked: 0 };
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    ...(tls && { tls }),
    async fetch({ url }) {
      const { pathname } = new URL(url);
      const isSignature = pathname.endsWith(".sig");
      served.asked += Number(!isSignature);
      const other = await served.instead?.(pathname);
      if (other) return other;
      const { signature } = served;
      if (!isSignature) return new Response(Buffer.from(served.list));
      return signature === null ? new Response(null, { status: 404 }) : new Response(Buffer.from(signature));
    },
  });
  const offer = (list: string | Uint8Array, signature: Uint8Array | null = sign(list)) =>
    Object.assign(served, { list, signature, instead: null, asked: 0 });
  const from = `http${tls ? "s" : ""}://127.0.0.1:${server.port}/list`;
  return { served, from, offer, stop: () => server.stop(true) };
}

interface WatchOptions {
  readonly store: Store;
  /** The fields of `catalogue.watch`. */
  readonly watch?: object;
  readonly file?: string | null;
  readonly fetch?: typeof fetch;
  readonly team?: LookTeam;
  readonly folder?: string;
}

/** A node that looks, with its own folder. */
export function makeNode({
  store,
  watch,
  file = "catalogue.json",
  fetch: ask = fetch,
  ...given
}: WatchOptions) {
  const folder = given.folder ?? mkdtempSync(join(tmpdir(), "poundkey-watch-"));
  const path = file === null ? null : join(folder, file);
  const config = join(folder, "poundkey.yaml");
  const catalogue = { ...(path && { file: path }), ...(watch && { watch }) };
  const configure = (fields: object) =>
    writeFileSync(config, JSON.stringify({ providers: { OpenAI: { keys: ["sk-test"] } }, ...fields }));
  configure({ catalogue });
  const load = () => {
    const { loaded } = loadConfig({ config, store: `sqlite:${join(folder, "poundkey.db")}` }, source);
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.errors));
    return loaded.settings;
  };
  let settings = load();
  let nowMs = NOW_MS;
  const lines: LogEvent[] = [];
  const prices = new PriceWatch({
    settings: () => settings,
    fetch: ask,
    readFile: readBytes,
    limitMs: 300,
    store,
    log: (line) => lines.push(line),
    clock: { nowMs: () => nowMs },
    random: { bytes: (count) => new Uint8Array(count) },
    ...(given.team && { team: given.team }),
  });
  const read = (name = file ?? "catalogue.taken.json") => readFileSync(join(folder, name), "utf8");
  return {
    folder,
    config,
    prices,
    lines,
    read,
    configure,
    /** Reads the configuration and the catalogue file again, as a running gateway does on a change. */
    reload: () => {
      settings = load();
    },
    settings: () => settings,
    pass: (ms: number) => {
      nowMs += ms;
    },
    /** Looks, and again after what was taken is read. */
    async settle() {
      await prices.refresh();
      settings = load();
      await prices.refresh();
    },
    remove: () => rmSync(folder, { recursive: true }),
  };
}

export function causes(lines: readonly LogEvent[]): readonly unknown[] {
  return lines.filter(({ event }) => event === "catalogue_refused").map(({ cause }) => cause);
}
