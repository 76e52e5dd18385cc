// Removes the operator's secrets and the provider's addresses from the faults that clients and the log see.

import type { UpstreamReport } from "../core/faults/failure.ts";
import { Fault } from "../core/faults/fault.ts";

/** Shorter secrets are not searched for, because they would be found in any text. */
const UNSPOKEN_CHARACTERS_MIN = 6;
/** The parts of a header's value are searched for from this length on: shorter ones may be words of any sentence. */
const PART_CHARACTERS_MIN = 12;
const REDACTED = "[redacted]";
const BETWEEN_PARTS = /[\s,;=]+/;
const BASIC = /^Basic\s+([A-Za-z0-9+/=]+)$/i;

/** Returns the fault without these words in its message, code, parameter, cause or report. */
export function redactFault(fault: Fault, words: readonly string[]): Fault {
  const { shownCode, param, cause } = fault.details;
  const clean = makeCleaner(words);
  const message = clean(fault.message);
  const shownCause = typeof cause === "string" ? clean(cause) : cause;
  const isPrivate = (word: string | null | undefined) => typeof word === "string" && clean(word) !== word;
  const upstream = fault.details.upstream && cleanReport(fault.details.upstream, clean);
  const isSame = message === fault.message && shownCause === cause && upstream === fault.details.upstream;
  if (isSame && !isPrivate(shownCode) && !isPrivate(param)) return fault;
  return new Fault(fault.code, message, {
    ...fault.details,
    cause: shownCause,
    ...(upstream ? { upstream } : {}),
    shownCode: isPrivate(shownCode) ? null : shownCode,
    param: isPrivate(param) ? null : param,
  });
}

function cleanReport(report: UpstreamReport, clean: (text: string) => string): UpstreamReport {
  const [code, message, requestId] = [report.code, report.message, report.requestId].map(
    (word) => word && clean(word),
  );
  const isSame = code === report.code && message === report.message && requestId === report.requestId;
  return isSame ? report : { ...report, code, message, requestId };
}

/** Returns the words by which a header's value may be quoted: all of it, its long parts, and a password within. */
export function listHeaderWords(value: string): readonly string[] {
  const parts = value.split(BETWEEN_PARTS).filter((part) => part.length >= PART_CHARACTERS_MIN);
  const [, encoded] = BASIC.exec(value) ?? [];
  if (encoded === undefined) return [value, ...parts];
  const login = Buffer.from(encoded, "base64").toString();
  return [value, ...parts, login, login.slice(login.indexOf(":") + 1)];
}

function makeCleaner(words: readonly string[]): (text: string) => string {
  const forms = new Set(words.flatMap(listForms).filter((form) => form.length >= UNSPOKEN_CHARACTERS_MIN));
  // The longest come first, because some hold others.
  const ordered = [...forms].sort((a, b) => b.length - a.length);
  return (text) =>
    cutBegun(
      ordered.reduce((rest, form) => rest.replaceAll(form, REDACTED), text),
      ordered,
    );
}

/** Returns the ways in which a provider may write a word that it quotes: plainly, in JSON, in a URL. */
function listForms(word: string): readonly string[] {
  return [word, JSON.stringify(word).slice(1, -1), encodeURIComponent(word.toWellFormed())];
}

/** A long message is cut, perhaps in the middle of a word. The part that is left is removed, too. */
function cutBegun(text: string, forms: readonly string[]): string {
  let from = text.length;
  for (const form of forms)
    for (let length = Math.min(form.length - 1, text.length); length >= UNSPOKEN_CHARACTERS_MIN; length--)
      if (text.endsWith(form.slice(0, length))) from = Math.min(from, text.length - length);
  return from === text.length ? text : `${text.slice(0, from)}${REDACTED}`;
}
