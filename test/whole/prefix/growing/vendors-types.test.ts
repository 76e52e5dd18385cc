// What goes up in random conversations, judged by the types of the vendors' own SDKs.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { asObject, isObject, type JsonObject } from "../../../../src/core/json/json.ts";
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

/** OpenAI's types demand these two, for which its API has defaults. */
function addDemanded(_field: string, value: unknown): unknown {
  const { type } = isObject(value) ? value : {};
  if (type === "output_text") return { annotations: [], ...asObject(value) };
  return type === "input_image" ? { detail: "auto", ...asObject(value) } : value;
}

function writeBodies(bodies: readonly JsonObject[], { from, type }: (typeof VENDORS)[number]): string {
  const lines = bodies.map(
    (body, at) => `export const body${at}: ${type} = ${JSON.stringify(body, addDemanded)};`,
  );
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
