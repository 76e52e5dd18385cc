// A coding agent's request: a long system prompt, tools with schemas, and turns of tool calls with files as results.

const TOOLS = 20;
const SYSTEM_CHARACTERS = 12_000;
const DESCRIPTION_CHARACTERS = 700;
/** The bytes of a tool, and of a turn beside its file. */
const TOOL_BYTES = 1500;
const TURN_BYTES = 400;
/** Quotes and line ends of code are escaped. */
const BYTES_PER_CHARACTER = 1.09;

const prose = (characters: number) =>
  "You are an interactive agent that helps users with software engineering tasks. "
    .repeat(Math.ceil(characters / 79))
    .slice(0, characters);

function writeCode(characters: number, seed: number): string {
  let code = "";
  for (let at = seed; code.length < characters; at++) {
    code += `  const value${at} = await read("src/file${at}.ts", { encoding: "utf8", at: ${at * 7} });\n`;
    code += `\tif (value${at}.length > ${at}) console.log(\`found \${value${at}} in "x"\`);\n`;
  }
  return code.slice(0, characters);
}

const text = { type: "string", description: prose(70) };
const SCHEMA = {
  type: "object",
  properties: {
    file_path: text,
    offset: { type: "number", description: prose(40) },
    limit: { type: "integer", minimum: 1, description: "How many lines." },
    pattern: { type: "string", description: prose(120) },
    edits: {
      type: "array",
      items: {
        type: "object",
        properties: { old_string: text, new_string: text, replace_all: { type: "boolean", default: false } },
        required: ["old_string", "new_string"],
        additionalProperties: false,
      },
    },
  },
  required: ["file_path"],
  additionalProperties: false,
};

/** The files that fill a body of this size, in kilobytes. */
function listFiles(kilobytes: number): readonly { readonly number: number; readonly code: string }[] {
  const files: { number: number; code: string }[] = [];
  let bytes = SYSTEM_CHARACTERS + TOOLS * TOOL_BYTES;
  for (let number = 1; bytes < kilobytes * 1024; number++) {
    const code = writeCode(2500 + ((number * 977) % 5000), number);
    bytes += code.length * BYTES_PER_CHARACTER + TURN_BYTES;
    files.push({ number, code });
  }
  return files;
}

const input = (number: number) => ({ file_path: `/home/u/src/file${number}.ts`, offset: number });
const tools = Array.from({ length: TOOLS }, (_, at) => ({
  name: `Tool${at}`,
  description: prose(DESCRIPTION_CHARACTERS),
}));

export interface AgentRequest {
  readonly kilobytes: number;
  readonly model: string;
  /** The first words of the user. */
  readonly words: string;
}

/** Returns the fields of a chat completion. */
export function makeAgentChat({ kilobytes, model, words }: AgentRequest): object {
  const turns = listFiles(kilobytes).flatMap(({ number, code }) => {
    const call = { name: "Tool1", arguments: JSON.stringify(input(number)) };
    return [
      {
        role: "assistant",
        content: `I will look at file ${number}`,
        tool_calls: [{ id: `call_${number}`, type: "function", function: call }],
      },
      { role: "tool", tool_call_id: `call_${number}`, content: code },
    ];
  });
  return {
    model,
    max_tokens: 4000,
    messages: [
      { role: "system", content: prose(SYSTEM_CHARACTERS) },
      { role: "user", content: words },
      ...turns,
      { role: "user", content: "Go on." },
    ],
    tools: tools.map((tool) => ({ type: "function", function: { ...tool, parameters: SCHEMA } })),
  };
}

/** Returns the fields of a Messages request. */
export function makeAgentMessages({ kilobytes, model, words }: AgentRequest): object {
  const mark = { cache_control: { type: "ephemeral" } };
  const say = (said: string) => ({ type: "text", text: said });
  const turns = listFiles(kilobytes).flatMap(({ number, code }) => {
    const id = `toolu_${number}`;
    return [
      {
        role: "assistant",
        content: [
          say(`I will look at file ${number}`),
          { type: "tool_use", id, name: "Tool1", input: input(number) },
        ],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: [say(code)] }] },
    ];
  });
  return {
    model,
    max_tokens: 4000,
    system: [{ ...say(prose(SYSTEM_CHARACTERS)), ...mark }],
    messages: [
      { role: "user", content: [say(words)] },
      ...turns,
      { role: "assistant", content: "Done." },
      { role: "user", content: [{ ...say("Go on."), ...mark }] },
    ],
    tools: tools.map((tool) => ({ ...tool, input_schema: SCHEMA })),
  };
}
