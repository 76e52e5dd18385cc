// A digest as its receivers get it: without people, or with them by their names, and as lines in a chat.
import type { EventData } from "../core/events/events.ts";
import { asArray, asNumber, asObject, asString } from "../core/json/json.ts";
import type { Store } from "../core/store.ts";

export const DIGEST = "account.digest";

interface DigestNameParts {
  readonly store: Pick<Store, "key"> & { readonly people: Pick<Store["people"], "member"> };
}

/** The event's data for everybody, and the part of it that names people. */
interface ToldDigest {
  readonly data: EventData;
  readonly people: EventData;
}

/** Names people and their keys as they are called now. */
export async function readDigest({ store }: DigestNameParts, stored: EventData): Promise<ToldDigest> {
  const { people, people_near: near, ...data } = stored;
  const nameMember = async (id: string) => (await store.people.member(id))?.name || id;
  const nameOf = async ({ scope, id }: Record<string, unknown>) =>
    scope === "key" ? ((await store.key(String(id)))?.name ?? String(id)) : nameMember(String(id));
  const named = {
    people: await Promise.all(
      asArray(people)
        .map(asObject)
        .map(async (one) => ({ ...one, name: await nameMember(String(one.member_id)) })),
    ),
    people_near: await Promise.all(
      asArray(near)
        .map(asObject)
        .map(async (one) => ({ ...one, name: await nameOf(one) })),
    ),
  };
  return { data, people: named };
}

/** Returns the part of an event's data that the log may have. */
export function pickLogged({ week }: EventData): EventData {
  return { week };
}

type ShowValue = (value: unknown) => string;

/** Returns the lines of a digest. `show` makes people's texts safe for the chat. */
export function sayDigest(data: EventData, show: ShowValue): string {
  const cost = sayUsd(data.cost_usd);
  const first = `${show(data.account)} cost ${cost} in the week of ${show(data.week)}, ${sayChange(data)}, with ${sayCount(data.requests)} requests.`;
  const forecast = asNumber(data.forecast_usd);
  const rest = forecast === undefined ? "" : `, about ${sayUsd(forecast)} by its end`;
  return [
    first,
    `${show(data.month)} so far: ${sayUsd(data.month_usd)}${rest}.`,
    ...sayCosts("Models", data.models, "model", show),
    ...sayCosts("Keys", data.keys, "name", show),
    ...sayCosts("People", data.people, "name", show),
    ...sayNear("Near the end of a budget", data.near, show),
    ...sayNear("People near the end of a budget", data.people_near, show),
  ].join("\n");
}

const PERCENT = 100;

function sayChange({ change, before_usd }: EventData): string {
  const share = asNumber(change);
  if (share === undefined) return "after nothing in the week before";
  const percent = Math.round(Math.abs(share) * PERCENT);
  const words = percent === 0 ? "as much as" : `${percent} % ${share > 0 ? "more" : "less"} than`;
  return `${words} the ${sayUsd(before_usd)} of the week before`;
}

function sayCosts(title: string, rows: unknown, name: string, show: ShowValue): readonly string[] {
  const said = asArray(rows).map(asObject);
  if (said.length === 0) return [];
  return [`${title}: ${said.map((row) => `${show(row[name])} ${sayUsd(row.cost_usd)}`).join(", ")}`];
}

function sayNear(title: string, rows: unknown, show: ShowValue): readonly string[] {
  const said = asArray(rows).map(asObject);
  if (said.length === 0) return [];
  const sayOne = ({ name, per, used, limit }: Record<string, unknown>) => {
    const window = per === "total" ? "in total" : `per ${asString(per) ?? ""}`;
    return `${show(name)} (${window}) ${sayUsd(used)} of ${sayUsd(limit)}`;
  };
  return [`${title}: ${said.map(sayOne).join(", ")}`];
}

function sayUsd(value: unknown): string {
  const usd = asNumber(value) ?? 0;
  const shown = usd > 0 && usd < 0.01 ? "less than 0.01" : usd.toFixed(2);
  return `${shown} USD`;
}

function sayCount(value: unknown): string {
  return (asNumber(value) ?? 0).toLocaleString("en-US");
}
