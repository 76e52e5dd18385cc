// The requests of random conversations, judged by the types of the vendors' own SDKs.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isObject, type JsonObject } from "../../../../src/core/json/json.ts";
import { IS_LONG } from "../../../harness/long.ts";
import { ROOT } from "../../../tidy/sources.ts";
import { startGrowing } from "./world.ts";

const VENDORS = [
  {
    path: /\/messages$/,
    name: "Anthropic",
    from: "@anthropic-ai/sdk/resources/beta/messages",
    type: "MessageCreateParams",
  },
  {
    path: /\/responses$/,
    name: "OpenAI",
    from: "openai/resources/responses/responses",
    type: "ResponseCreateParams",
  },
  {
    path: /\/chat\/completions$/,
    name: "OpenAI-chat",
    from: "openai/resources/chat/completions",
    type: "ChatCompletionCreateParams",
  },
] as const;

let world: Awaited<ReturnType<typeof startGrowing>>;
beforeAll(async () => {
  world = await startGrowing();
});
afterAll(() => world.gateway.stop());

const SETTINGS = {
  compilerOptions: {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    target: "esnext",
    module: "esnext",
    moduleResolution: "bundler",
    types: [],
  },
  files: VENDORS.map(({ name }) => `${name}.ts`),
};

/** Returns what the compiler says of files by their names. */
function compile(files: ReadonlyMap<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), "poundkey-types-"));
  try {
    symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
    for (const [name, text] of files) writeFileSync(join(folder, `${name}.ts`), text);
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(SETTINGS));
    const tsc = join(ROOT, "node_modules/.bin/tsc");
    return Bun.spawnSync([tsc, "-p", folder], { cwd: folder }).stdout.toString();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** OpenAI's types demand what its API has defaults for. */
const DEMANDED: Readonly<Record<string, JsonObject>> = {
  output_text: { annotations: [] },
  input_image: { detail: "auto" },
  message: { id: "msg_1", status: "completed" },
};

function addDemanded(_field: string, value: unknown): unknown {
  if (!isObject(value)) return value;
  const isAnswer = value.role === "assistant" && Array.isArray(value.content);
  const type = isAnswer ? "message" : value.type;
  const demanded = isAnswer || type !== "message" ? DEMANDED[String(type)] : undefined;
  return demanded === undefined ? value : { type, ...demanded, ...value };
}

function writeBodies(bodies: readonly JsonObject[], { from, type }: (typeof VENDORS)[number]): string {
  const add = from.startsWith("openai/") && type !== "ChatCompletionCreateParams" ? addDemanded : undefined;
  const lines = bodies.map((body, at) => `export const body${at}: ${type} = ${JSON.stringify(body, add)};`);
  return [`import type { ${type} } from "${from}";`, ...lines].join("\n");
}

test.if(IS_LONG)("no request has a field or a block that its vendor's SDK doesn't have there", async () => {
  const bodies = new Map<string, JsonObject[]>();
  const { seen } = world.recorder;
  for (let seed = 1; seed <= 60; seed++) {
    expect(await world.play(seed, 1)).toEqual([]);
    const last = seen.at(-1);
    const vendor = VENDORS.find(({ path }) => path.test(last?.path ?? ""));
    if (last && vendor) bodies.set(vendor.name, [...(bodies.get(vendor.name) ?? []), last.body]);
  }
  expect([...bodies.keys()].toSorted()).toEqual(VENDORS.map(({ name }) => name).toSorted());
  const files = VENDORS.map(
    (vendor) => [vendor.name, writeBodies(bodies.get(vendor.name) ?? [], vendor)] as const,
  );
  expect(compile(new Map(files))).toBe("");
});
