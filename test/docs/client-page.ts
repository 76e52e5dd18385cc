// A client's chapter of the manual, generated from its row in the table of clients.
import { EXAMPLE_ADDRESS } from "../../src/docs/site/address.ts";
import { type ClientSetup, fillSnippet, type Snippet } from "../../src/docs/site/client-setups.ts";

/** The address and the key in the manual's examples. */
export const ADDRESS = EXAMPLE_ADDRESS;
export const KEY = "sk-…";

const APIS: Readonly<Record<ClientSetup["speaks"], string>> = {
  Messages: "Anthropic's Messages",
  Responses: "OpenAI's Responses",
  generateContent: "Gemini's `generateContent`",
  "chat completions": "OpenAI's chat completions",
};

const TOOLS = "The [tool servers](tool-servers.md) that the key may use:";

/** The marks are a field of Messages. Few clients set it in another API. */
const UNMARKED = "[Claude's cache](claude-cache.md) is marked: 30 turns pay a seventh.";

const GROWING = "A conversation that [only grows](long-conversations.md) stays cheap.";

/** Returns a snippet for the manual's address and key. */
export function writeSnippet(snippet: Snippet): string {
  return `${snippet.about}\n\n\`\`\`${snippet.language}\n${fillSnippet(snippet, ADDRESS, KEY)}\n\`\`\``;
}

/** Returns the chapter as Markdown. */
export function writeClientPage(setup: ClientSetup): string {
  const { title, kind, speaks, snippets, notes, marks = UNMARKED, forms, tools } = setup;
  const start =
    kind === "agent"
      ? "Give keys a [budget](company.md), not a daily limit, or let people [sign in](agents.md) without them."
      : "Give keys a [budget](company.md), not a daily limit.";
  const blocks = [...describeSetup(setup), ...snippets.map(writeSnippet)];
  const unmarked = speaks === "Messages" ? notes : [...notes, marks];
  const facts = kind === "agent" ? [...unmarked, GROWING] : unmarked;
  const known = facts.length > 0 ? ["## Good to know", facts.map((note) => `- ${note}`).join("\n")] : [];
  const parts = [
    "<!-- Written by UPDATE_DOCS=1 bun test docs/clients from the table of clients. -->",
    `# ${title}`,
    `**In short**: ${title.endsWith("SDK") ? "the " : ""}${title} speaks ${APIS[speaks]}, with every chat model and selector.`,
    start,
    ...blocks,
    ...known,
    ...(tools === undefined ? [] : ["## Tools", TOOLS, ...tools.map(writeSnippet)]),
    ...(forms === undefined ? [] : writeForms(title, forms)),
  ];
  return `${parts.join("\n\n")}\n`;
}

function describeSetup({ name, setup }: ClientSetup): readonly string[] {
  if (setup === undefined || setup.files.length === 0) return [];
  return [
    `\`poundkey setup --agent ${name}\` [writes these settings](agents.md#poundkey-setup), and takes them back. By hand:`,
  ];
}

function writeForms(title: string, forms: NonNullable<ClientSetup["forms"]>): readonly string[] {
  const rows = forms.map(({ form, served, tried }) => `| ${form} | ${served} | ${tried} |`);
  return [
    "## Forms of requests",
    `${title} sends some requests to \`/v1/chat/completions\` in another API's form. They are answered in that of chat completions.`,
    ["| form | served | tried |", "|---|---|---|", ...rows].join("\n"),
  ];
}
