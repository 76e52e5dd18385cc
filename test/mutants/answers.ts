// Mutants of prices, holds and the path of an answer: what is billed, when it is sent, what counts as an answer.
import type { Mutant } from "./mutant.ts";

export const ANSWERS: readonly Mutant[] = [
  {
    name: "rounding down",
    file: "src/core/money.ts",
    find: "(rest > 0 ? 1 : 0)",
    replace: "0",
  },
  {
    name: "rounding down with a markup",
    file: "src/core/money.ts",
    find: "(marked + unit - 1n) / unit",
    replace: "marked / unit",
    tests: ["test/price.test.ts"],
  },
  {
    name: "a plain answer keeps its provider's word for the finish",
    file: "src/operations/chat/normalise.ts",
    find: 'finish_reason ? toFinishReason(finish_reason, 0) : "stop"',
    replace: "finish_reason",
    tests: ["test/wire-plain.test.ts"],
  },
  {
    name: "markup forgotten",
    file: "src/gateway/counted.ts",
    find: "sumBill(lines, markup)",
    replace: "sumBill(lines, 1)",
  },
  {
    name: "cached prompts at the full price",
    file: "src/core/price.ts",
    find: "rates.cachedInput ?? input",
    replace: "rates.input",
  },
  {
    name: "drop the context tier of the bill",
    file: "src/core/price.ts",
    find: "return highest ?? price;",
    replace: "return price;",
  },
  {
    name: "drop the context tier of the hold",
    file: "src/operations/chat/offer.ts",
    find: "const tiers = price.tiers ?? [];",
    replace: "const tiers: readonly (Rates & { aboveTokens: number })[] = [];",
  },
  {
    name: "drop n",
    file: "src/operations/chat/offer.ts",
    find: "const choices = request.n ?? 1;",
    replace: "const choices = 1;",
  },
  {
    name: "hold at the cheapest card",
    file: "src/ledger/worst.ts",
    find: "nanoUsd = Math.max(nanoUsd, worst);",
    replace: "nanoUsd = nanoUsd === 0 ? worst : Math.min(nanoUsd, worst);",
  },
  {
    name: "hold the whole balance unasked",
    file: "src/ledger/worst.ts",
    find: "const SHARE_UNASKED = 1 / 4;",
    replace: "const SHARE_UNASKED = 1;",
  },
  {
    name: "the provider is not told what is held for",
    file: "src/operations/chat/bounded.ts",
    find: "max_completion_tokens: held, ",
    replace: "",
  },
  {
    name: "a card without a price is paid for",
    file: "src/gateway/failover.ts",
    find: "attempts.filter(({ card }) => isPaidFor(grant, card));",
    replace: "attempts.filter(({ card }) => isPaidFor(grant, card) || card.price === null);",
  },
  {
    name: "sum cumulative usage",
    file: "src/operations/chat/normalise.ts",
    find: "    if (usage) this.usage = validateUsage",
    replace: `    if (usage && this.usage) usage.completion_tokens += this.usage.completion_tokens;
    if (usage) this.usage = validateUsage`,
  },
  {
    name: "a choice that nobody asked for is passed on",
    file: "src/operations/chat/normalise.ts",
    find: "if (index >= this.#choicesMax) throw",
    replace: "if (index > 1000) throw",
    tests: ["test/wire-choices.test.ts"],
  },
  {
    name: "a count that is none counts as nothing",
    file: "src/dialects/_chat/usage.ts",
    find: "return isCount ? asCount(value) : Number.NaN;",
    replace: "return asCount(value);",
    tests: ["test/http-wild-answers.test.ts"],
  },
  {
    name: "one call's count for all of them",
    file: "src/operations/chat/operation.ts",
    find: "choices, usage: usage ?? undefined };",
    replace: "choices, ...(usage ? { usage } : {}) };",
  },
  {
    name: "success on EOF",
    file: "src/dialects/_chat/decode.ts",
    find: "if (!this.#done || !this.#isCounted) throw malformed(",
    replace: "if (index > 8) throw malformed(",
  },
  {
    name: "success on EOF without message_stop",
    file: "src/dialects/anthropic/decode.ts",
    find: '    if (!this.#isEnded) throw malformed("the stream ended before message_stop");',
    replace: "",
  },
  {
    name: "what nobody produced counts",
    file: "src/gateway/context.ts",
    find: "return this.#isFinished || this.#meter.hasAnswer;",
    replace: "return true;",
  },
  {
    name: "void after an answer",
    file: "src/gateway/context.ts",
    find: "isDue: true, giveBack: { ...giveBack, answers: failed }",
    replace: "isDue: false, giveBack: { ...giveBack, answers: failed }",
  },
  {
    name: "a broken answer costs nothing",
    file: "src/gateway/verdict.ts",
    find: "if (hasAnswer || fault === null)",
    replace: "if (fault === null)",
  },
  {
    name: "post before the terminal event",
    file: "src/gateway/gateway.ts",
    find: "pass: (pieces) => context.pass(pieces),",
    replace: "pass: (pieces) => { context.pass(pieces); void this.#settle(context); },",
  },
  {
    name: "the last part does not wait for the settlement",
    file: "src/gateway/gateway.ts",
    find: "const settled = await this.#settle(context, context.copyReply(usage));",
    replace: "const settled = null; void this.#settle(context, context.copyReply(usage));",
  },
  {
    name: "a whole answer does not wait for the settlement",
    file: "src/gateway/gateway.ts",
    find: "const settled = await this.#settle(context, whole);",
    replace: "const settled = null; void this.#settle(context, whole);",
  },
  {
    name: "a stream does not wait for the disk",
    file: "src/gateway/gateway.ts",
    find: "await durable?.catch((",
    replace: "durable?.catch((",
  },
  {
    name: "a whole answer does not wait for the disk",
    file: "src/gateway/gateway.ts",
    find: "      if (durable) await durable;\n",
    replace: "",
  },
  {
    name: "a reply is kept of a broken answer",
    file: "src/gateway/gateway.ts",
    find: "Promise.resolve(null) : this.#settle(context);",
    replace: "Promise.resolve(null) : this.#settle(context, { choices: [] });",
  },
  {
    name: "an unknown outcome is forgotten",
    file: "src/gateway/gateway.ts",
    find: "if (toFault(thrown).details.outcomeUnknown === true) this.#callOff(context);",
    replace: "",
  },
  {
    name: "a replay says that it was charged its cost",
    file: "src/gateway/gateway.ts",
    find: "operation.withCost(usage, { charged: toUsd(charged) })",
    replace: "operation.withCost(usage, { charged: usage.cost })",
  },
  {
    name: "fail over after the first chunk",
    file: "src/gateway/gateway.ts",
    find: "    context.pass(opened.first);\n    return opened;",
    replace: `    context.pass(opened.first);
    const again = async () => {
      const run = (attempt) => new OpenedStream(streamAnswers(this.#ports, attempt), isAnswer).opened;
      return (await runPlan(this.#ports, context, { run, drop: () => {} })).first;
    };
    const { rest } = opened;
    const pour = (take) => rest.pour(take).catch(async () => void take(await again()));
    return { ...opened, rest: { pour, leave: () => rest.leave(), usage: null } };`,
  },
  {
    name: "an answer that was withheld is charged",
    file: "src/gateway/gateway.ts",
    find: "call.ask.stream === true ? outcome : makeWithheldOutcome(outcome, answers)",
    replace: "outcome",
  },
  {
    name: "a client that leaves costs nothing",
    file: "src/gateway/verdict.ts",
    find: "silentMs >= SILENCE_EXCUSED_MS",
    replace: "silentMs >= 0",
  },
  {
    name: "a client's own time limit is the provider's fault",
    file: "src/gateway/attempt.ts",
    find: "isOurs && nowMs >= clientLimitAtMs",
    replace: "isOurs && nowMs < 0",
    tests: ["test/http-blame.test.ts"],
  },
  {
    name: "what was never sent is charged",
    file: "src/gateway/verdict.ts",
    find: '  if (!isSent) return "unsent";\n',
    replace: "",
  },
  {
    name: "usage that can't be is charged",
    file: "src/operations/chat/usage.ts",
    find: "Math.min(completion, completionMax)",
    replace: "completion",
  },
  {
    name: "several answers take one place",
    file: "src/gateway/gateway.ts",
    find: "answers: countPlaces(call, plan.attempts),",
    replace: "answers: 1,",
    tests: ["test/http-blame.test.ts"],
  },
  {
    name: "a call goes on without its client",
    file: "src/transport/client.ts",
    find: "    options.client.tell(this.#end);\n",
    replace: "",
  },
  {
    name: "what the store did not take is not tried again",
    file: "src/gateway/settlements.ts",
    find: 'if (toFault(error).code === "store_unavailable") this.#keep(waiting);',
    replace: 'if (toFault(error).code === "overloaded") this.#keep(waiting);',
  },
  {
    name: "a stream is passed on unread whatever came between",
    file: "src/operations/chat/answer.ts",
    find: "    this.#parser.template = this.#template;",
    replace: "    this.#parser.template = this.#template ?? this.#parser.template;",
    tests: ["test/wire-splice.test.ts"],
  },
  {
    name: "events are alike whatever else differs in them",
    file: "src/operations/chat/splice.ts",
    find: "one.extras.every((extra, index) => extra !== other.extras[index]) &&",
    replace: "",
    tests: ["test/wire-splice.test.ts"],
  },
  {
    name: "the decoder never sees what was passed on unread",
    file: "src/operations/chat/answer.ts",
    find: "this.#decoder.push(this.#template.join(this.#passed));",
    replace: "",
    tests: ["test/wire-splice.test.ts"],
  },
  {
    name: "text passed on unread is not counted",
    file: "src/operations/chat/run.ts",
    find: "(this.text.match(ESCAPE)?.length ?? 0)",
    replace: "0",
    tests: ["test/wire-splice.test.ts"],
  },
  {
    name: "escapes are passed on as they come",
    file: "src/operations/chat/splice.ts",
    find: "bfnrt])[ ",
    replace: "bfnrt/])[ ",
    tests: ["test/wire-splice.test.ts"],
  },
];
