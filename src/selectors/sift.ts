// Separates the models that can serve a request from the others.
import type { Asked } from "./ask.ts";
import { toBits } from "./table.ts";

const UNHEALTHY = "unhealthy";

/** Returns the chat models' places in the table, and the reason why each of `removed` can't serve. */
export function sift(asked: Asked) {
  const { table, input } = asked;
  const count = input.among?.length ?? table.cards.length;
  const able = new Int32Array(count);
  const removed = new Int32Array(count);
  const reasons: string[] = [];
  const findRemoval = makeReasonFinder(asked);
  let size = 0;
  for (let at = 0; at < count; at++) {
    const row = input.among?.[at] ?? at;
    if (table.isChat[row] === 0) continue;
    const reason = findRemoval(row);
    if (reason === null) able[size++] = row;
    else removed[reasons.push(reason) - 1] = row;
  }
  const out = removed.slice(0, reasons.length);
  if (size > 0 || !reasons.includes(UNHEALTHY)) return { able: able.slice(0, size), removed: out, reasons };
  // Only unhealthy models are left: one of them may have recovered.
  return {
    able: out.filter((_, at) => reasons[at] === UNHEALTHY),
    removed: out.filter((_, at) => reasons[at] !== UNHEALTHY),
    reasons: reasons.filter((reason) => reason !== UNHEALTHY),
  };
}

/** Returns a function that gives the first reason why the card at a place can't serve, or null if it can. */
function makeReasonFinder({ table, seenAt, rules, promptTokens, outputTokensMax = 0, needed, input }: Asked) {
  const { allowed, takesImageUrls } = input;
  const { cards, prices, room, capabilities } = table;
  const bits = toBits(needed);
  return (row: number): string | null => {
    for (let at = 0; at < rules.exclusions.length; at++)
      if (rules.exclusions[at]?.removes[row] === 1) return rules.exclusions[at]?.reason ?? null;
    // Cards are read only where it matters: reading thousands would mostly wait for memory.
    const card = allowed || takesImageUrls ? cards[row] : undefined;
    if (allowed && card && !allowed(card.id)) return "not_allowed";
    if (prices[row] === null) return "unpriced";
    const missing = bits & ~(capabilities[row] ?? 0);
    const need = missing === 0 ? undefined : needed.find((one) => (toBits([one]) & missing) !== 0);
    if (need !== undefined) return need === "tools_auto" ? "tools" : need;
    if (promptTokens + outputTokensMax > (room[row] ?? 0)) return "context";
    if (takesImageUrls && card && !takesImageUrls(card)) return "image_urls";
    return seenAt(row)?.isOpen === true ? UNHEALTHY : null;
  };
}
