// Example calls to the gateway, as code to paste.

export const LANGUAGES = [
  { value: "curl", label: "curl", write: curl },
  { value: "js", label: "openai · JavaScript", write: javascript },
  { value: "python", label: "openai · Python", write: python },
  { value: "ai", label: "AI SDK", write: aiSdk },
] as const;
export type Language = (typeof LANGUAGES)[number]["value"];

export interface Example {
  /** `http://…` without a path. */
  readonly address: string;
  readonly secret: string;
  readonly model: string;
  readonly messages: readonly unknown[];
  /** The request's other fields. */
  readonly fields?: Readonly<Record<string, unknown>>;
}

interface SnippetMessage {
  readonly role: string;
  readonly content: unknown;
}

export function writeSnippet(language: Language, example: Example): string {
  return LANGUAGES.find(({ value }) => value === language)?.write(example) ?? "";
}

function makeBody({ model, messages, fields }: Example): Record<string, unknown> {
  return { model, messages, ...fields };
}

function curl(example: Example): string {
  const { address, secret } = example;
  return writeCurl({ address, secret, path: "/v1/chat/completions" }, makeBody(example));
}

interface CurlCall extends Pick<Example, "address" | "secret"> {
  readonly path: string;
  /** The output file of an answer that isn't text. */
  readonly output?: string | undefined;
}

/** Returns a curl command with a form, or with fields as JSON. */
export function writeCurl(
  { address, secret, path, output }: CurlCall,
  body: FormData | Readonly<Record<string, unknown>>,
): string {
  const isForm = body instanceof FormData;
  const lines = isForm
    ? [...body].map(([name, value]) =>
        value instanceof File
          ? `-F ${quoteForShell(`${name}=@${quoteFileName(value)}`)}`
          : `--form-string ${quoteForShell(`${name}=${value}`)}`,
      )
    : ['-H "Content-Type: application/json"', `-d ${quoteForShell(JSON.stringify(body, null, 2))}`];
  return [
    `curl ${!isForm && body.stream === true ? "-N " : ""}${address}${path}`,
    `-H "Authorization: Bearer ${secret}"`,
    ...lines,
    ...(output === undefined ? [] : [`--output ${output}`]),
  ].join(" \\\n  ");
}

/** Quotes a file name if it has a character at which curl would end it. */
function quoteFileName({ name }: File): string {
  return /[;,"\\]/.test(name) ? JSON.stringify(name) : name;
}

/** Quotes a text for the shell; quotes inside it are escaped. */
function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function javascript(example: Example): string {
  const isStream = example.fields?.stream === true;
  return [
    'import OpenAI from "openai";',
    "",
    "const client = new OpenAI({",
    `  baseURL: "${example.address}/v1",`,
    `  apiKey: "${example.secret}",`,
    "});",
    "",
    `const ${isStream ? "stream" : "answer"} = await client.chat.completions.create(${JSON.stringify(makeBody(example), null, 2)});`,
    isStream
      ? "for await (const chunk of stream) process.stdout.write(chunk.choices[0]?.delta.content ?? '');"
      : "console.log(answer.choices[0].message.content);",
  ].join("\n");
}

function python(example: Example): string {
  const isStream = example.fields?.stream === true;
  const fields = Object.entries(makeBody(example)).map(
    ([name, value]) => `    ${name}=${toPython(value, 1)},`,
  );
  return [
    "from openai import OpenAI",
    "",
    `client = OpenAI(base_url="${example.address}/v1", api_key="${example.secret}")`,
    "",
    `${isStream ? "stream" : "answer"} = client.chat.completions.create(`,
    ...fields,
    ")",
    ...(isStream
      ? ["for chunk in stream:", '    if chunk.choices: print(chunk.choices[0].delta.content or "", end="")']
      : ["print(answer.choices[0].message.content)"]),
  ].join("\n");
}

const PYTHON_WORDS: Readonly<Record<string, string>> = { true: "True", false: "False", null: "None" };

function toPython(value: unknown, depth: number): string {
  const inner = "    ".repeat(depth + 1);
  const outer = "    ".repeat(depth);
  if (Array.isArray(value)) {
    return `[\n${value.map((one) => `${inner}${toPython(one, depth + 1)},\n`).join("")}${outer}]`;
  }
  if (typeof value === "object" && value !== null) {
    const rows = Object.entries(value).map(
      ([name, one]) => `${JSON.stringify(name)}: ${toPython(one, depth + 1)}`,
    );
    return `{${rows.join(", ")}}`;
  }
  const text = JSON.stringify(value);
  return PYTHON_WORDS[text] ?? text;
}

function aiSdk({ address, secret, model, messages, fields = {} }: Example): string {
  const settings: Readonly<Record<string, string>> = {
    temperature: "temperature",
    top_p: "topP",
    max_tokens: "maxOutputTokens",
    presence_penalty: "presencePenalty",
    frequency_penalty: "frequencyPenalty",
  };
  const read: readonly SnippetMessage[] = JSON.parse(JSON.stringify(messages));
  const system = read.find(({ role }) => role === "system");
  const own = Object.entries(settings).flatMap(([name, theirs]) =>
    fields[name] === undefined ? [] : [`  ${theirs}: ${JSON.stringify(fields[name])},`],
  );
  return [
    'import { createOpenAICompatible } from "@ai-sdk/openai-compatible";',
    'import { streamText } from "ai";',
    "",
    "const poundkey = createOpenAICompatible({",
    '  name: "poundkey",',
    `  baseURL: "${address}/v1",`,
    `  apiKey: "${secret}",`,
    "});",
    "",
    "const { textStream } = streamText({",
    `  model: poundkey(${JSON.stringify(model)}),`,
    ...(system ? [`  instructions: ${JSON.stringify(system.content)},`] : []),
    `  messages: ${JSON.stringify(aiMessages(read), null, 2).replaceAll("\n", "\n  ")},`,
    ...own,
    "});",
    "for await (const text of textStream) process.stdout.write(text);",
  ].join("\n");
}

/** The AI SDK takes the system message separately, and images as files. */
function aiMessages(messages: readonly SnippetMessage[]): unknown {
  return messages
    .filter(({ role }) => role !== "system")
    .map(({ role, content }) => ({
      role,
      content: Array.isArray(content) ? content.map(aiPart) : content,
    }));
}

function aiPart(part: { readonly type: string; readonly image_url?: { readonly url: string } }): unknown {
  return part.type === "image_url" ? { type: "file", mediaType: "image", data: part.image_url?.url } : part;
}
