// A refusal's limit, its sender and the way out, in words.
import type { RefusalView } from "../../admin/log/refusals.ts";
import { formatCount, formatFullTime, formatUsd } from "../frame/format.ts";
import type { Names } from "../frame/names.ts";
import { makeHref } from "../frame/route.ts";

const INSTANT = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g;

/** Returns a sentence of the gateway's with its times as people read them. */
export function readTimes(sentence: string): string {
  return sentence.replace(INSTANT, formatFullTime);
}

export function describeLimit({ scope, kind, per, used, limit }: NonNullable<RefusalView["limit"]>): string {
  const format = kind === "budget" ? formatUsd : formatCount;
  const name = `${kind.replaceAll("_", " ")}${per ? ` per ${per}` : ""}`;
  return `${name} of the ${scope}: ${format(used)} of ${format(limit)} used`;
}

interface SenderProps {
  readonly row: RefusalView;
  readonly names: Names;
}

export function Sender({ row, names }: SenderProps) {
  const { key_id, last4, shape } = row;
  if (key_id !== null) return <a href={makeHref(`/settings/router/${key_id}`)}>{names.key(key_id)}</a>;
  return <span class="faint">{[last4 && `…${last4}`, shape ?? "no key"].filter(Boolean).join(", ")}</span>;
}
