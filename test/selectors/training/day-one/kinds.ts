// Tells how many everyday prompts are understood without labels, by language, and how many keep their model in another
// wrapping.
import type { ModelCard } from "../../../../src/core/models/card.ts";
import { SELECTORS } from "../../../../src/core/models/selector.ts";
import type { ChatRequest } from "../../../../src/operations/chat/form.ts";
import { findNeeds } from "../../../../src/operations/chat/needs.ts";
import { type Choice, choose } from "../../../../src/selectors/choose.ts";
import { SELECTOR_RULES } from "../../../../src/selectors/index.ts";
import { viewBasis, viewFeatures } from "../../../../src/selectors/route-view.ts";
import { RULES } from "../pools.ts";
import { percent } from "../statistics.ts";
import { DAY_ONE_PROMPTS, listProviderSets, WRAPPINGS } from "./prompts.ts";

function route(
  selector: (typeof SELECTORS)[number],
  request: ChatRequest,
  cards: readonly ModelCard[],
): Choice {
  return choose(SELECTOR_RULES[selector], {
    request,
    cards,
    needs: findNeeds(request),
    rules: RULES,
    quality: 0.98,
  });
}

/** One prompt as it was understood. */
function understand({ id, language, accepts, request }: (typeof DAY_ONE_PROMPTS)[number]) {
  const chosen = route("best", request, []);
  const { categories, difficulty, output_tokens: tokens, support } = viewFeatures(chosen);
  const [kind = "", share = 0] = Object.entries(categories)[0] ?? [];
  return {
    id,
    language,
    kind,
    share,
    difficulty,
    tokens,
    support,
    isAccepted: accepts.includes(kind),
    isExpected: accepts[0] === kind,
    isFamiliar: viewBasis(chosen).familiar,
  };
}

/** Lines of the table of kinds. */
export function listKinds(): readonly string[] {
  const seen = DAY_ONE_PROMPTS.map(understand);
  const lines = [
    "| language | prompts | kind accepted | as expected | unfamiliar |",
    "|---|---|---|---|---|",
  ];
  const groups = new Map([["all", seen], ...Map.groupBy(seen, ({ language }) => language)]);
  for (const [language, own] of groups) {
    const share = (is: (one: (typeof seen)[number]) => boolean) =>
      percent(own.filter(is).length / own.length);
    lines.push(
      `| ${language} | ${own.length} | ${share(({ isAccepted }) => isAccepted)} | ${share(({ isExpected }) => isExpected)} | ${share(({ isFamiliar }) => !isFamiliar)} |`,
    );
  }
  const wrong = seen.filter(({ isAccepted }) => !isAccepted).map(({ id, kind }) => `${id} ${kind}`);
  return [
    ...lines,
    "",
    `Not accepted: ${wrong.join(", ") || "none"}.`,
    "",
    "Prompt, kind and its share, support, difficulty, tokens of the answer:",
    "",
    ...seen.map(
      ({ id, language, kind, share, support, difficulty, tokens }) =>
        `- ${id} (${language}): ${kind} ${share}, ${support}, ${difficulty}, ${tokens}`,
    ),
  ];
}

/** Lines of the shares of prompts with the same choice in another wrapping, by providers and selector. */
export function listStability(): readonly string[] {
  const names = Object.keys(WRAPPINGS);
  const lines = [`| providers | ${names.join(" | ")} |`, `|---|${names.map(() => "---").join("|")}|`];
  const sums = new Map<string, number[]>();
  for (const [providers, cards] of listProviderSets()) {
    const cells = Object.entries(WRAPPINGS).map(([name, wrap]) => {
      const shares = SELECTORS.map((selector) => shareKept(selector, cards, wrap));
      sums.set(name, [...(sums.get(name) ?? []), ...shares.filter(Number.isFinite)]);
      return shares.map((share) => (Number.isFinite(share) ? percent(share) : "none served")).join(", ");
    });
    lines.push(`| ${providers} | ${cells.join(" | ")} |`);
  }
  const means = names.map((name) => {
    const shares = sums.get(name) ?? [];
    const mean = shares.reduce((sum, share) => sum + share, 0) / shares.length;
    return `${percent(mean)}, at least ${percent(Math.min(...shares))}`;
  });
  return [...lines, `| all | ${means.join(" | ")} |`];
}

/** NaN if no prompt is served. */
function shareKept(
  selector: (typeof SELECTORS)[number],
  cards: readonly ModelCard[],
  wrap: (request: ChatRequest) => ChatRequest,
): number {
  const pick = (asked: ChatRequest) => route(selector, asked, cards).choice?.id;
  const served = DAY_ONE_PROMPTS.filter(({ request }) => pick(request) !== undefined);
  return served.filter(({ request }) => pick(request) === pick(wrap(request))).length / served.length;
}
