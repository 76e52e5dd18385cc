// The task of a request is its latest turn that asks for something, whatever agents and conversations put around it.
import { describe, expect, test } from "bun:test";
import type { ChatMessage, ChatRequest } from "../../src/operations/chat/form.ts";
import { choose } from "../../src/selectors/choose.ts";
import { SELECTOR_RULES } from "../../src/selectors/index.ts";
import { viewFeatures } from "../../src/selectors/route-view.ts";
import { readFeatures } from "../../src/selectors/text/features.ts";
import { findTask } from "../../src/selectors/text/task.ts";
import { asking, makeInput } from "./sample-cards.ts";

const TASK = "Write a Python function that merges two sorted lists.";

const chooseBy = (selector: "best" | "fair" | "light", request: ChatRequest) =>
  choose(SELECTOR_RULES[selector], makeInput(request));
const listKinds = (request: ChatRequest) => viewFeatures(chooseBy("best", request)).categories;

function talk(...turns: readonly string[]): readonly ChatMessage[] {
  return turns.map((content, at): ChatMessage => ({ role: at % 2 === 0 ? "user" : "assistant", content }));
}

describe("the latest task", () => {
  test.each([
    "Thanks, go on!",
    "ok",
    "yes please, continue",
    "Danke, mach weiter.",
    "merci, vas-y",
    "Vale, sigue por favor",
    "sim, pode ser",
    "好的，继续",
    "はい、続けてください",
    "شكراً، تابع",
    "👍",
    "",
  ])("is the one before %j", (said) => {
    expect(findTask(talk(TASK, "def merge", said))).toMatchObject({ at: 0, texts: [TASK] });
  });

  test.each(["Now in Rust", "continue the story", "yes, but in Spanish", "Translate it", "次は英語で"])(
    "is %j, which asks for something new",
    (said) => {
      expect(findTask(talk(TASK, "def merge", said)).at).toBe(2);
    },
  );

  test("is the last turn if no turn asks for anything", () => {
    expect(findTask(talk("ok", "Yes?", "thanks")).at).toBe(2);
    expect(findTask([]).at).toBe(-1);
  });

  test("isn't what an agent wraps around it", () => {
    const around = "<system-reminder>The file a.sql was changed.</system-reminder>\n";
    expect(findTask(talk(`${around}${around}${TASK}\n${around}`)).texts[0]?.trim()).toBe(TASK);
    const environment = talk(TASK, "ok", "<environment_context>\n<cwd>/src</cwd>\n</environment_context>");
    expect(findTask(environment).at).toBe(0);
  });

  test("stays as it is if a wrapping never ends, and isn't searched for in its middle", () => {
    const open = "<system-reminder>".repeat(20_000);
    expect(findTask(talk(open)).texts).toEqual([open]);
    expect(findTask(talk(`Explain <system-reminder>x</system-reminder> to me`)).texts).toHaveLength(1);
  });
});

describe("the kinds of a request", () => {
  test("don't depend on a system prompt, or on the turns before", () => {
    const plain = listKinds(asking(TASK));
    const system = "You are the assistant of a law firm. Be polite, and write short letters in French.";
    const messages: ChatMessage[] = [
      { role: "system", content: system },
      ...talk("Hello!", "Hello, how can I help?", TASK, "def merge(a, b)", "thanks, go on"),
    ];
    const wrapped = listKinds({ ...asking(TASK), messages });
    for (const [kind, share] of Object.entries(plain)) expect(wrapped[kind]).toBeCloseTo(share, 1);
  });

  test("give tools that are offered a small share", () => {
    const tools = [{ type: "function" as const, function: { name: "get_weather", parameters: {} } }];
    const shares = listKinds({ ...asking(TASK), tools });
    expect(Object.keys(shares)[0]).toBe("coding");
    expect(shares.tools).toBeLessThan(0.1);
  });
});

describe("a side call of a coding agent", () => {
  const long = "user: fix the tests\nassistant: done\n".repeat(300);
  const ask = (system: string, content: string, fields: Partial<ChatRequest> = {}): ChatRequest => ({
    ...asking(content),
    messages: [
      ...(system === "" ? [] : [{ role: "system" as const, content: system }]),
      { role: "user", content },
    ],
    ...fields,
  });
  const calls: readonly (readonly [string, ChatRequest])[] = [
    ["probe", ask("", "quota", { max_tokens: 1 })],
    ["title", ask("You are a title generator. You output ONLY a thread title. Nothing else.", long)],
    [
      "title",
      ask(
        "Analyze if this message indicates a new conversation topic. If it does, extract a 2-3 word title.",
        "fix the tests",
      ),
    ],
    ["title", ask("", "Please write a 5-10 word title for the following conversation:\n\n".concat(long))],
    ["title", ask("You are naming a coding session so the user can pick it out of a list.", "fix the tests")],
    ["title", ask("", "Generate a short kebab-case name (2-4 words) for this conversation.")],
    ["summary", ask("Write a short summary label describing what these tool calls accomplished.", long)],
    [
      "summary",
      ask("You are a coding agent.", "The user stepped away and is coming back. Recap in 40 words."),
    ],
    ["summary", ask("You are a helpful AI assistant tasked with summarizing conversations.", long)],
    [
      "summary",
      ask(
        "You are a coding agent.",
        "CRITICAL: Respond with TEXT ONLY.\n\nYour task is to create a detailed summary of the conversation so far, paying close attention to the user's explicit requests.",
      ),
    ],
    [
      "summary",
      ask(
        "You are Codex.",
        "You are performing a CONTEXT CHECKPOINT COMPACTION. Create a handoff summary for another LLM that will resume the task.",
      ),
    ],
    [
      "summary",
      ask(
        "You are the component that summarizes internal chat history into a given structure.",
        "First, reason in your scratchpad. Then, generate the <state_snapshot>.",
      ),
    ],
    [
      "check",
      ask(
        "",
        "Analyze *only* the content and structure of your immediately preceding response (your last turn).",
      ),
    ],
  ];

  test.each(calls)(
    "for a %s is known, and served by the light choice under every selector",
    (what, request) => {
      expect(String(readFeatures(request).sideCall)).toBe(what);
      const light = chooseBy("light", request).choice?.id;
      for (const selector of ["best", "fair"] as const) {
        const { choice, rule, selector: asked } = chooseBy(selector, request);
        expect([choice?.id, rule.name, asked.name]).toEqual([light, "light", selector]);
      }
    },
  );

  test.each([
    ask("", "quota", { max_tokens: 100 }),
    ask("", "Write a title for my essay on the French Revolution.", { max_tokens: 20 }),
    ask("You are a helpful assistant.", "Summarize the conversation between Romeo and Juliet in act two."),
    ask("You are a coding agent.", "Add a title generator to the blog."),
  ])("isn't work that resembles one", (request) => {
    expect(readFeatures(request).sideCall).toBe(null);
  });
});
