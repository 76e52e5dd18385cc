// The kinds of everyday tasks in eight languages, the skills that they call for, and the lengths of their answers.
import { describe, expect, test } from "bun:test";
import { KINDS, SKILLS } from "../../src/core/models/skill.ts";
import { choose } from "../../src/selectors/choose.ts";
import { fair } from "../../src/selectors/fair.ts";
import { readAskedTokens } from "../../src/selectors/text/answer-length.ts";
import { readCues, SCRIPTS } from "../../src/selectors/text/cues.ts";
import { readKindModel } from "../../src/selectors/text/kind-model.ts";
import { foldKinds } from "../../src/selectors/text/kinds.ts";
import { asking, foretold, makeInput, pick, RULES } from "./sample-cards.ts";
import { DAY_ONE_PROMPTS } from "./training/day-one/prompts.ts";
import { listEverydayPrompts } from "./training/everyday.ts";

function findKind(prompt: string): string | undefined {
  const { kinds } = foretold(prompt);
  return KINDS[kinds.indexOf(Math.max(...kinds))];
}

test.each([
  ["mail", "Draft an email to my accountant about the missing receipts."],
  ["translation", "Übersetze ins Englische: Der Hund schläft."],
  ["summary", "Résume ce texte en deux phrases : Le conseil a voté le budget."],
  ["sql", "Escribe una consulta SQL que cuente los pedidos por cliente."],
  ["extraction", "Extraia os nomes e as datas em JSON: Ana chegou em 3 de maio, Rui em 7 de junho."],
  ["creative", "写一首关于月亮的诗。"],
  ["coding", "Rubyでファイルを読むスクリプトを書いて。"],
  ["classification", "هل هذا التعليق إيجابي أم سلبي؟ المنتج رائع."],
] as const)("a task of the kind %s is known", (kind, prompt) => {
  expect(findKind(prompt)).toBe(kind);
});

test.each([
  ["creative", "A rap battle between Newton and Leibniz."],
  ["creative", "Compose a rap battle of a cat and a dog, eight lines each."],
  ["creative", "Ein Rap-Battle zwischen Kant und Hegel"],
  ["creative", "写一场牛顿和莱布尼茨的说唱对决"],
  ["knowledge", "Draft a mutual indemnification clause for a software licence."],
  ["knowledge", "Write an indemnification clause that is capped at twelve months of fees."],
  ["knowledge", "Rédige une clause d'indemnisation réciproque pour une licence de logiciel."],
  ["knowledge", "ソフトウェアのライセンス契約に入れる補償条項を起案してください。"],
] as const)("verses of rivals and clauses of contracts are neither code nor sums: %s, %s", (kind, prompt) => {
  expect(findKind(prompt)).toBe(kind);
});

/** Texts that are about other things than the task before them. */
const MATERIALS = {
  "a manual":
    "The configuration file is read at start. Each provider has a name, an address and its keys. Set `server.port` to change the port. A reload replaces the settings without a restart. ",
  "a story":
    "The old woman walked down to the river every morning before the sun had risen. She carried a basket of bread and a lantern that had belonged to her father. ",
  "minutes of a meeting":
    "Present: Ana, Rui, Tom. The budget for the third quarter was discussed, and Tom reported that sales had risen by four percent. It was agreed to decide in October. ",
};

describe.each(Object.entries(MATERIALS))("before %s", (_, text) => {
  test.each([
    ["summary", "Summarise in five bullet points:"],
    ["translation", "Translate into German:"],
    ["summary", "Fasse den Text in drei Sätzen zusammen:"],
    ["translation", "翻译成英文："],
  ] as const)("a task of the kind %s stays one: %s", (kind, task) => {
    for (const times of [4, 40]) expect(findKind(`${task}\n\n${text.repeat(times)}`)).toBe(kind);
  });

  test.each([
    ["summary", "Summarise this text."],
    ["summary", "tl;dr"],
    ["summary", "Fasse das zusammen."],
    ["translation", "Translate this into German."],
    ["extraction", "Extract all names as JSON."],
    ["document", "What does the document say about costs?"],
  ] as const)("or behind it, a task of the kind %s needs no colon: %s", (kind, task) => {
    for (const times of [4, 40]) {
      const long = text.repeat(times);
      expect([findKind(`${task}\n\n${long}`), findKind(`${long}\n\n${task}`)]).toEqual([kind, kind]);
    }
  });
});

test("a line that only stands at an end of a long task is no instruction", () => {
  const code = "function add(a, b) {\n  return a + b;\n}\nconst total = items.reduce(add, 0);\n".repeat(6);
  expect(findKind(`Fix this bug.\n\n${code}`)).toBe("coding");
  expect(findKind(`${code}console.log(total);`)).toBe("coding");
});

test("everyday prompts of every language are understood, and learned from by nobody", () => {
  const learned = new Set(listEverydayPrompts(2, 7).map(({ prompt }) => prompt));
  const seen = DAY_ONE_PROMPTS.map(({ accepts, language, request }) => {
    const { kinds, support } = choose(fair, makeInput(request)).asked.prediction;
    const text = JSON.stringify(request.messages.at(-1)?.content);
    expect([...learned].filter((one) => one.length > 40 && text.includes(JSON.stringify(one)))).toEqual([]);
    return {
      language,
      support,
      isAccepted: accepts.includes(KINDS[kinds.indexOf(Math.max(...kinds))] ?? ""),
    };
  });
  expect(seen.filter(({ isAccepted }) => isAccepted).length / seen.length).toBeGreaterThanOrEqual(0.85);
  // No language is unknown for its script.
  for (const own of Map.groupBy(seen, ({ language }) => language).values())
    expect(own.reduce((sum, { support }) => sum + support, 0) / own.length).toBeGreaterThan(0.5);
});

test("words that nobody has written are in no kind's favour", () => {
  const { support, sure } = foretold("Xqzt vrrk plonfx grzzb. Wmtkq zzyrl krpfx!");
  expect([support < 0.3, sure < 0.3]).toEqual([true, true]);
});

test("a kind's skills sum to 1, and a skill's kind calls for nothing else", () => {
  for (const [at, kind] of KINDS.entries()) {
    const skills = foldKinds(KINDS.map((one) => Number(one === kind)));
    expect(skills.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 9);
    if (at < SKILLS.length) expect(skills[at]).toBe(1);
  }
});

describe("the operator's rules", () => {
  const prompt = "Write a SQL query that counts the orders of each customer.";

  test("may name a kind of everyday use", () => {
    const rules = { ...RULES, pin: { sql: "Acme#weak" } };
    expect(pick("best", asking(prompt), { rules })).toBe("Acme#weak");
  });

  test("for a skill hold for the kinds that call for it", () => {
    expect(pick("best", asking(prompt), { rules: { ...RULES, pin: { coding: "Acme#weak" } } })).toBe(
      "Acme#weak",
    );
    const only = { category: "coding", shareMin: 0.4, models: ["Acme#weak"], deny: [] } as const;
    expect(pick("best", asking(prompt), { rules: { ...RULES, rules: [only] } })).toBe("Acme#weak");
  });
});

describe("the length of an answer", () => {
  test.each([
    ["Write about the sea in 800 words.", 1200],
    ["Explain it in one sentence.", 28],
    ["Erkläre das in drei Sätzen.", 84],
    ["Un texte de 200 mots sur la mer", 300],
    ["Escribe dos párrafos sobre el mar", 240],
    ["写一篇600字的作文", 600],
    ["200字以内で説明して", 200],
    ["اكتب 100 كلمة عن البحر", 250],
    ["A 1,500 word essay", 2250],
    ["Write a million pages", null],
    ["Explain 99999 pages", 8000],
    ["What is the sea?", null],
  ] as const)("is what %j asks for", (prompt, tokens) => {
    expect(readAskedTokens(prompt.toLowerCase())).toBe(tokens);
  });

  test("is that of the text for a translation, and grows with it", () => {
    const text = "The committee will publish its findings by the end of the year. ";
    const tokens = [2, 20].map(
      (times) => foretold(`Translate into French: ${text.repeat(times)}`).outputTokens,
    );
    expect((tokens[1] ?? 0) / (tokens[0] ?? 1)).toBeGreaterThan(4);
  });

  test("is that of a module to be written again, and not that of one to be explained", () => {
    const code = "export function shift(rows: Row[]) {\n  return rows.map((row) => row.at + 1);\n}\n".repeat(
      40,
    );
    expect(foretold(`Rewrite this module in Rust.\n${code}`).outputTokens).toBeGreaterThan(code.length / 6);
    expect(foretold(`Explain this module.\n${code}`).outputTokens).toBeLessThan(code.length / 6);
  });

  test("is more than a few words for a letter in Japanese", () => {
    expect(foretold("お客様に納期の遅れをお詫びするメールを書いてください。").outputTokens).toBeGreaterThan(
      80,
    );
  });
});

test("cues are read from a bounded part of a text, and tell scripts apart", () => {
  expect(readCues("word ".repeat(100_000)).hashes.length).toBeLessThan(100);
  const scripts = ["bonjour", "مرحبا بك", "你好世界", "こんにちは世界", "привет"].map(
    (text) => SCRIPTS[readCues(text).script],
  );
  expect(scripts).toEqual(["latin", "arabic", "han", "kana", "other"]);
});

test("a broken file of kinds is refused", () => {
  const none = [0, 0, 0, 0, 0];
  const file = { about: "", hashes: "", weights: "AAAA", scales: [], structure: "" };
  expect(() => readKindModel({ ...file, supportFrom: none, supportTo: none })).toThrow("sizes don't match");
});
