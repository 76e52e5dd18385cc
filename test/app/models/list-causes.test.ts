// Every cause for which a list is refused, at the command, by the watch and in the review, from a file, http and https: nothing
// changes, and the cause is said.
import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { changeCatalogueFile } from "../../../src/app/models/catalogue-file.ts";
import { readBytes, source } from "../../../src/app/start/configuration.ts";
import { runCatalogue } from "../../../src/cli/models/catalogue.ts";
import { decide } from "../../../src/ledger/decide.ts";
import { openSqliteStore } from "../../../src/store/sqlite/store.ts";
import { ROW } from "../../cli/catalogue-run.ts";
import { makeCertificates, OPENSSL } from "../../harness/certificates.ts";
import { sampleRows } from "../../harness/long.ts";
import { causes, KEY, makeList, makeNode, NOW_MS, OTHER, PUBLIC, serveList, sign } from "./watch-world.ts";

const store = await openSqliteStore({ path: ":memory:", decide });
const certificates = OPENSSL === null ? null : makeCertificates();
const plain = serveList();
const secret = certificates && serveList(certificates.server);
const trusting: typeof fetch = Object.assign(
  (input: RequestInfo | URL, init?: RequestInit) =>
    fetch(input, { ...init, tls: { ca: certificates?.authority.cert } }),
  { preconnect: fetch.preconnect },
);
afterAll(async () => {
  await plain.stop();
  await secret?.stop();
  await store.close();
});

type Bytes = string | Uint8Array;

interface Case {
  readonly name: string;
  readonly cause: string;
  /** The list, and its signature if it isn't the right one. */
  readonly list: Bytes;
  readonly signature?: Uint8Array | null;
  /** Fields of `catalogue.watch`. */
  readonly watch?: object;
  /** Answers in place of the server. Files have no such case. */
  readonly instead?: (path: string) => Response | null;
}

/** The list that the file has gone through before. */
const TAKEN = makeList(118);
const NEXT = makeList(119, {}, 1.3);
const edit = (from: string, to: string) => NEXT.replace(from, to);
const redirect = () => Response.redirect("http://169.254.169.254/latest/meta-data", 302);
const isSignature = (path: string) => path.endsWith(".sig");

const CASES: readonly Case[] = [
  { name: "another key", cause: "signature", list: NEXT, signature: sign(NEXT, OTHER) },
  { name: "no signature", cause: "signature", list: NEXT, signature: null },
  { name: "63 bytes", cause: "signature", list: NEXT, signature: sign(NEXT).subarray(1) },
  { name: "65 bytes", cause: "signature", list: NEXT, signature: Buffer.concat([sign(NEXT), Buffer.of(0)]) },
  { name: "the signature of another list", cause: "signature", list: NEXT, signature: sign(TAKEN) },
  { name: "a changed byte", cause: "signature", list: edit("gpt-99", "gpt-98"), signature: sign(NEXT) },
  { name: "valid until its last byte", cause: "form", list: NEXT.slice(0, -1) },
  { name: "a million braces", cause: "form", list: "{".repeat(1_000_000) },
  { name: "no UTF-8", cause: "form", list: Buffer.concat([Buffer.from(NEXT), Buffer.of(0xff)]) },
  { name: "a newer form", cause: "form", list: edit('"poundkey_catalogue":1', '"poundkey_catalogue":2') },
  { name: "an older form", cause: "form", list: JSON.stringify([ROW]), watch: { pin: 119 } },
  { name: "a doubled id", cause: "value", list: makeList(119, { models: [ROW, ROW] }) },
  { name: "10^308", cause: "value", list: edit('"input":1', '"input":1e308') },
  { name: "-0", cause: "value", list: edit('"input":1', '"input":-0') },
  { name: "a text for a price", cause: "value", list: edit('"input":1', '"input":"1e3"') },
  { name: "a bidi mark", cause: "value", list: edit("OpenAI#gpt-99", "OpenAI#gpt\u202e-99") },
  { name: "a control character", cause: "value", list: edit("OpenAI#gpt-99", "OpenAI#gpt\\u0007-99") },
  { name: "an id of a prototype", cause: "value", list: edit("OpenAI#gpt-99", "__proto__") },
  { name: "64 MB and a byte", cause: "size", list: Buffer.alloc(64_000_001, " ") },
  { name: "a lower serial", cause: "older", list: makeList(117) },
  { name: "the same serial with other bytes", cause: "reused", list: makeList(118, {}, 1.3) },
  { name: "another serial than the pinned", cause: "pinned", list: NEXT, watch: { pin: 118 } },
  { name: "a redirect", cause: "redirect", list: NEXT, instead: redirect },
  {
    name: "a redirected signature",
    cause: "redirect",
    list: NEXT,
    instead: (path) => (isSignature(path) ? redirect() : null),
  },
  { name: "an error", cause: "unreachable", list: NEXT, instead: () => new Response("", { status: 500 }) },
  { name: "one byte a second", cause: "unreachable", list: NEXT, instead: () => new Response(drip()) },
];

function drip(): ReadableStream<Uint8Array> {
  let timer: Timer | undefined;
  return new ReadableStream({
    start(controller) {
      timer = setInterval(() => controller.enqueue(Buffer.from(" ")), 1000);
    },
    cancel: () => clearInterval(timer),
  });
}

interface Way {
  readonly from: string;
  readonly offer: (given: Case) => void;
}

function overHttp({ from, offer, served }: ReturnType<typeof serveList>): Way {
  return {
    from,
    offer: ({ list, signature = sign(list), instead }) => {
      offer(list, signature);
      served.instead = instead ?? null;
    },
  };
}

function ofFile(folder: string): Way {
  const from = join(folder, "list.json");
  return {
    from,
    offer: ({ list, signature = sign(list) }) => {
      writeFileSync(from, list);
      if (signature === null) rmSync(`${from}.sig`, { force: true });
      else writeFileSync(`${from}.sig`, signature);
    },
  };
}

/** The command at the node's configuration, with the node's way of asking. */
async function update(config: string, flags: readonly string[] = []) {
  const printed: string[] = [];
  const io = { out: (line: string) => printed.push(line), err: (line: string) => printed.push(line) };
  const ports = {
    fetch: trusting,
    nowMs: () => NOW_MS,
    readBytes,
    changeFile: changeCatalogueFile,
    readUse: async () => null,
    limitMs: 300,
  };
  const code = await runCatalogue(
    ["update", "--apply", "--yes", "--config", config, ...flags],
    io,
    source,
    ports,
  );
  return { code, out: printed.join("\n") };
}

const watching = (from: string, more: object = {}) => ({ from, keys: [PUBLIC], take: "safe", ...more });

const KINDS = ["file", "http", "https"] as const;

describe.each(KINDS)("from a %s", (kind) => {
  const isHere = kind !== "https" || secret !== null;
  test.if(isHere)("nothing changes, and the cause is said", async () => {
    const node = makeNode({ store, fetch: trusting });
    const way = kind === "file" ? ofFile(node.folder) : overHttp(kind === "https" && secret ? secret : plain);
    const all = CASES.filter(({ instead }) => kind !== "file" || instead === undefined);
    const given = sampleRows(all, 13, KINDS.indexOf(kind) * 4);
    way.offer({ name: "taken", cause: "", list: TAKEN });
    const watch = watching(kind === "file" ? "list.json" : way.from);
    const file = join(node.folder, "catalogue.json");
    node.configure({ catalogue: { file, watch } });
    node.reload();
    await node.settle();
    const before = node.read();
    expect(before).toContain('"serial":118');
    for (const one of given) {
      way.offer(one);
      node.configure({ catalogue: { file, watch: { ...watch, ...one.watch } } });
      node.reload();
      const said = node.lines.length;
      node.pass(25 * 60 * 60_000);
      await node.prices.refresh();
      const found = causes(node.lines.slice(said));
      expect([one.name, found, node.prices.list?.refused]).toEqual([one.name, [one.cause], one.cause]);
      const { code, out } = await update(node.config);
      expect([one.name, code, out.includes(`(${one.cause})`)]).toEqual([one.name, 1, true]);
      if (one.cause === "signature") expect(out).toContain(KEY);
      expect([one.name, node.read()]).toEqual([one.name, before]);
    }
    way.offer({ name: "right", cause: "", list: NEXT });
    node.configure({ catalogue: { file, watch } });
    node.reload();
    await node.settle();
    expect(node.read()).toContain('"serial":119');
    node.remove();
    expect(existsSync(node.folder)).toBe(false);
  });
});

test("by hand, an older list is taken with --older, an unsigned one with --unsigned, and another key's with --key", async () => {
  const node = makeNode({ store, watch: watching(plain.from) });
  plain.offer(TAKEN);
  await node.settle();
  const older = makeList(117, {}, 1.1);
  plain.offer(older);
  expect((await update(node.config)).code).toBe(1);
  expect((await update(node.config, ["--older"])).code).toBe(0);
  expect(node.read()).toContain('"serial":117');
  plain.offer(NEXT, null);
  const unsigned = await update(node.config, ["--unsigned"]);
  expect([unsigned.code, unsigned.out.includes("Nothing was verified")]).toEqual([0, true]);
  expect(node.read()).toContain('"serial":119');
  const other = makeList(120);
  plain.offer(other, sign(other, OTHER));
  const { keyFile } = await writeKey(node.folder);
  expect((await update(node.config)).code).toBe(1);
  expect((await update(node.config, ["--key", keyFile])).code).toBe(0);
  expect(node.read()).toContain('"serial":120');
  node.remove();
});

async function writeKey(folder: string) {
  const { createPublicKey } = await import("node:crypto");
  const keyFile = join(folder, "other.pub");
  writeFileSync(keyFile, createPublicKey(OTHER).export({ type: "spki", format: "pem" }));
  return { keyFile };
}
