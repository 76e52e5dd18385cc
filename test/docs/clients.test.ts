// The manual's pages on clients against the table that generates them (UPDATE_DOCS=1 writes them).
import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { runCommandLine } from "../../src/cli/commands.ts";
import {
  AGENT_SETUPS,
  CLIENT_SETUPS,
  type ClientSetup,
  TOOL_SETUPS,
} from "../../src/docs/site/client-setups.ts";
import { runPrinting } from "../harness/poundkey.ts";
import { writeClientPage, writeSnippet } from "./client-page.ts";

const LANGUAGES = { sh: "sh", toml: "toml", json: "json", yaml: "yaml", js: "js", python: "python" } as const;
const APIS = {
  Messages: "Messages",
  Responses: "Responses",
  generateContent: "generateContent",
  chat: "chat completions",
} as const;
const FOLDER = join(import.meta.dir, "..", "..", "src", "docs");

function compare(file: string, wanted: (text: string) => string): void {
  const path = join(FOLDER, file);
  if (process.env.UPDATE_DOCS) {
    const text = (() => {
      try {
        return readFileSync(path, "utf8");
      } catch {
        return "";
      }
    })();
    writeFileSync(path, wanted(text));
    return;
  }
  const text = readFileSync(path, "utf8");
  expect(text).toBe(wanted(text));
}

test.each(CLIENT_SETUPS.map((setup) => [setup.name, setup] as const))("the page on %s", (name, setup) => {
  compare(`client-${name}.md`, () => writeClientPage(setup));
});

/** Puts the list of links between its marks. */
function fillList(text: string, mark: string, kind: ClientSetup["kind"]): string {
  const links = CLIENT_SETUPS.filter((setup) => setup.kind === kind).map(
    ({ name, title, speaks }) => `| [${title}](client-${name}.md) | ${speaks} |`,
  );
  const table = ["| client | speaks |", "|---|---|", ...links].join("\n");
  const marks = new RegExp(`(<!-- ${mark}: .* -->\\n)[\\s\\S]*(<!-- end of ${mark} -->)`);
  return text.replace(marks, (_, start, end) => `${start}\n${table}\n\n${end}`);
}

test("the overview links to each page", () => {
  compare("clients.md", (text) => fillList(fillList(text, "libraries", "library"), "agents", "agent"));
});

test("the chapter on tool servers connects each client that uses them", () => {
  const setups = TOOL_SETUPS.flatMap(({ title, tools }) => [`### ${title}`, ...tools.map(writeSnippet)]);
  const marks = /(<!-- clients: .* -->\n)[\s\S]*(<!-- end of clients -->)/;
  compare("tool-servers.md", (page) =>
    page.replace(marks, (_, start, end) => `${start}\n${setups.join("\n\n")}\n\n${end}`),
  );
});

test("each client of tool servers has the address and the key", () => {
  for (const { name, tools } of TOOL_SETUPS) {
    const all = tools.map(({ code }) => code).join("\n");
    expect([name, all.includes("{address}/mcp"), all.includes("{key}")]).toEqual([name, true, true]);
  }
});

const text = Type.String({ minLength: 1 });
const snippet = Type.Object(
  { about: text, language: Type.Enum(LANGUAGES), code: text },
  { additionalProperties: false },
);
/** The changes of `poundkey setup`, each of one kind. */
const path = Type.String({ pattern: "^[\\w$-]+(\\.[\\w$-]+)*$" });
const secret = { isSecret: Type.Optional(Type.Boolean()) };
const change = Type.Union([
  Type.Object(
    { set: path, to: Type.Unknown(), own: Type.Optional(Type.Array(text)), ...secret },
    { additionalProperties: false },
  ),
  Type.Object({ remove: path, ...secret }, { additionalProperties: false }),
  Type.Object(
    { first: path, to: Type.Object({}), same: Type.Array(text, { minItems: 1 }), ...secret },
    { additionalProperties: false },
  ),
]);
const folder = Type.Array(Type.String({ pattern: "^(\\$\\w+|~)(/|$)" }), { minItems: 1 });
const settingsFile = Type.Object(
  {
    folder,
    names: Type.Array(text, { minItems: 1 }),
    format: Type.Enum({ json: "json", toml: "toml", yaml: "yaml", dotenv: "dotenv" }),
    isStrict: Type.Optional(Type.Boolean()),
    begins: Type.Optional(text),
    changes: Type.Array(change, { minItems: 1 }),
  },
  { additionalProperties: false },
);
const agent = Type.Object(
  {
    programs: Type.Array(text, { minItems: 1 }),
    places: folder,
    key: Type.Enum({ command: "command", file: "file", plain: "plain", person: "person" }),
    needs: Type.Optional(Type.Object({ model: text, words: text }, { additionalProperties: false })),
    files: Type.Array(settingsFile),
    tools: Type.Optional(Type.Array(settingsFile, { minItems: 1 })),
    outranking: Type.Array(text),
    project: Type.Optional(text),
    person: Type.Optional(text),
    says: Type.Optional(text),
  },
  { additionalProperties: false },
);
const setup = Type.Object(
  {
    name: Type.String({ pattern: "^[a-z0-9-]+$" }),
    title: text,
    kind: Type.Enum({ agent: "agent", library: "library" }),
    speaks: Type.Enum(APIS),
    snippets: Type.Array(snippet, { minItems: 1 }),
    notes: Type.Array(text),
    marks: Type.Optional(text),
    setup: Type.Optional(agent),
    tools: Type.Optional(Type.Array(snippet, { minItems: 1 })),
    forms: Type.Optional(
      Type.Array(Type.Object({ form: text, served: text, tried: text }, { additionalProperties: false })),
    ),
  },
  { additionalProperties: false },
);

test("each has the fields of its type", () => {
  for (const one of CLIENT_SETUPS) expect([...Value.Errors(setup, one)]).toEqual([]);
  for (const { tools } of TOOL_SETUPS) expect([...Value.Errors(Type.Array(snippet), tools)]).toEqual([]);
});

test("a change that writes the key, or replaces what may hold one, is marked as secret", () => {
  for (const { name, files, tools = [] } of AGENT_SETUPS)
    for (const one of [...files, ...tools].flatMap(({ changes }) => changes)) {
      const isKeyed = "to" in one && JSON.stringify(one.to).includes("{key");
      if (isKeyed) expect([name, one.isSecret]).toEqual([name, true]);
    }
});

test("each agent that setup knows has its place among the help's names and the manual's rows", async () => {
  const chapter = readFileSync(join(FOLDER, "agents.md"), "utf8");
  const { out: help } = await runPrinting((io) => runCommandLine(["setup", "--help"], io));
  for (const { name, title, setup: own } of CLIENT_SETUPS) {
    if (own === undefined) continue;
    expect([name, chapter.includes(`| ${title} | `), help.includes(name)]).toEqual([name, true, true]);
  }
});

test("each page has a model of ours, the address and the key", () => {
  for (const { name, snippets } of CLIENT_SETUPS) {
    const all = snippets.map(({ code }) => code).join("\n");
    for (const part of ["{address}", "{key}", "Router"])
      expect([name, all.includes(part)]).toEqual([name, true]);
  }
});
