// The forms in which endpoints take an event: the whole event as JSON, or a sentence in a chat.
import { AUDIT_TYPE, EVENTS } from "../core/events/events.ts";
import type { Delivery, WebhookForm } from "../core/events/webhook.ts";
import { DIGEST, sayDigest } from "./digest.ts";

type EventMessage = Pick<Delivery, "type" | "atMs" | "data">;

interface MessageForm {
  /** Returns the body as JSON. A chat takes several events that are alike as one message. */
  readonly write: (told: EventMessage, alike: readonly EventMessage[]) => object;
  /** Statuses by which the receiver says that it is gone for good. */
  readonly gone: readonly number[];
  /** The number of deliveries sent at once. A chat takes about one message a second. */
  readonly atOnce: number;
  /** True if a person reads it: what somebody has to act on comes first, and what is alike together. */
  readonly isChat: boolean;
}

const GONE = 410;
const NOT_FOUND = 404;

export const FORMS: Readonly<Record<WebhookForm, MessageForm>> = {
  standard: {
    write: ({ type, atMs, data }) => ({ type, timestamp: new Date(atMs).toISOString(), data }),
    gone: [GONE],
    atOnce: 8,
    isChat: false,
  },
  slack: {
    // Its own markup is switched off. It reads these three characters all the same.
    write: (...told) => ({ text: say(...told, escapeEntities), mrkdwn: false, unfurl_links: false }),
    gone: [GONE, NOT_FOUND],
    atOnce: 1,
    isChat: true,
  },
  discord: {
    write: (...told) => ({ content: say(...told, escapeDiscord), allowed_mentions: { parse: [] } }),
    gone: [GONE, NOT_FOUND],
    atOnce: 1,
    isChat: true,
  },
  teams: {
    write: (...told) => ({
      type: "message",
      attachments: [
        {
          contentType: "application/vnd.microsoft.card.adaptive",
          content: {
            type: "AdaptiveCard",
            version: "1.4",
            body: [{ type: "TextBlock", text: say(...told, escapeTeams), wrap: true }],
          },
        },
      ],
    }),
    gone: [GONE],
    atOnce: 1,
    isChat: true,
  },
};

/** Discord takes 2,000 characters, and escapes can double those of a value. */
const VALUE_MAX = 300;
const TEXT_MAX = 1900;

type Escape = (text: string) => string;

/** A message names no more of the events that are alike, and says how many they are. */
const SAID_MAX = 10;

/** Only values are people's text: the sentences are the gateway's own. */
function say(told: EventMessage, alike: readonly EventMessage[], escapeText: Escape): string {
  const { type, data } = told;
  const show = (value: unknown) => escapeText(flatten(value));
  if (alike.length === 0 && type === DIGEST) return `${type}: ${sayDigest(data, show)}`.slice(0, TEXT_MAX);
  const account = data.account == null ? "" : ` (account ${show(data.account)})`;
  if (alike.length === 0) return `${type}: ${sayOne(told, show)}${account}`.slice(0, TEXT_MAX);
  const all = [told, ...alike];
  const said = all.slice(0, SAID_MAX).map((one) => sayOne(one, show));
  const more = all.length > said.length ? `, the first ${said.length} of which are` : "";
  return `${type}, ${all.length} times${account}${more}: ${said.join(" ")}`.slice(0, TEXT_MAX);
}

function sayOne({ type, data }: EventMessage, show: (value: unknown) => string): string {
  return findSentence(type).replace(/\{(\w+)\}/g, (_, name: string) => show(data[name]));
}

const AUDITED = "{actor} did {action} on {target} ({outcome}).";

function findSentence(type: string): string {
  const known = Object.entries(EVENTS).find(([name]) => name === type);
  return known?.[1] ?? (type.startsWith(AUDIT_TYPE) ? AUDITED : "Something happened to {name}.");
}

/** Returns a value as text on one line. Things are shown by their names. */
function flatten(value: unknown): string {
  const named = typeof value === "object" && value !== null ? pickName(value) : value;
  const text = typeof named === "string" ? named : JSON.stringify(named ?? null);
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, " ").slice(0, VALUE_MAX);
}

function pickName(value: object): unknown {
  const { name, id, type }: { name?: unknown; id?: unknown; type?: unknown } = value;
  return [name, id, type].find((one) => typeof one === "string" && one !== "") ?? value;
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };
const ZERO_WIDTH_SPACE = "\u200b";

function escapeEntities(text: string): string {
  return breakMentions(text.replace(/[&<>]/g, (character) => ENTITIES[character] ?? ""));
}

/** Names such as `@everyone` call nobody, in whatever form. */
function breakMentions(text: string): string {
  return text.replaceAll("@", `@${ZERO_WIDTH_SPACE}`);
}

function escapeDiscord(text: string): string {
  return breakMentions(text.replace(/[\\*_~`|<>[\]()#:-]/g, "\\$&"));
}

function escapeTeams(text: string): string {
  return escapeEntities(text.replace(/[\\*_~`[\]()#-]/g, "\\$&"));
}
