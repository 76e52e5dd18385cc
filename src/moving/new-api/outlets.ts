// The places to which a channel sends its requests: one for each key, with the names that models have there.

import { parseReceived } from "../../core/json/bounds.ts";
import { asObject, asString, isObject, omitUndefined } from "../../core/json/json.ts";
import { type CloudPlace, placeAzure, placeBedrock, placeVertex } from "../clouds.ts";
import { type ForeignRow, readNumber, readObject, readText, splitList } from "../columns.ts";
import type { PlannedCredential } from "../providers.ts";
import type { Report } from "../report.ts";
import { findServerDialect, isProviderAddress, nameKeyVariable, splitAddress } from "../servers.ts";
import { findBedrockName, findVertexName } from "./cloud-names.ts";
import type { AddressKind } from "./types.ts";

export interface ChannelOutlet {
  readonly placed: CloudPlace;
  readonly credential: PlannedCredential | null;
  /** Returns the name of a model there. Null if it isn't served there. */
  readonly findName: (name: string) => string | null;
}

interface Channel {
  readonly row: ForeignRow;
  readonly label: string;
  readonly provider: string;
  readonly kind: AddressKind | undefined;
}

/** Vendors whose channels are in China unless their address says otherwise. Keys of one country don't work in the other. */
const IN_CHINA: Readonly<Record<string, string>> = {
  Moonshot: "https://api.moonshot.cn",
  Qwen: "https://dashscope.aliyuncs.com",
  ZAI: "https://open.bigmodel.cn",
};
/** The paths of the APIs, where they aren't `/v1`. The other gateway appends them itself. */
const PATHS: Readonly<Record<string, string>> = {
  Cohere: "/v2",
  Google: "/v1beta",
  Qwen: "/compatible-mode/v1",
  ZAI: "/api/paas/v4",
};
const VERSIONED = /\/v\d+(beta)?$/;
const CALL = /\/chat\/completions$/;
const KEY_PARTS = /\|/;
const WEIGHT_DECIMALS = 2;
/** The state of a channel, or of one of its keys. */
export const ENABLED = 1;
const ALL_DISABLED = "all of its keys are disabled";

/** Returns the channel's outlets, or the reason why it has none. */
export function listOutlets(channel: Channel, report: Report): readonly ChannelOutlet[] | string {
  if (channel.provider === "Bedrock") return listBedrock(channel, report);
  if (channel.provider === "Vertex") return listVertex(channel, report);
  const { row, label, provider } = channel;
  const found = placeServer(channel, report);
  if (typeof found === "string") return found;
  const variable = nameKeyVariable(provider, found.address);
  const secrets = listKeys(channel, report);
  if (secrets === null) return ALL_DISABLED;
  const keys = secrets.map((secret) => ({
    key: report.needSecret(variable, secret, `the key of channel ${label}`),
    weight: shareWeight(row, secrets.length),
  }));
  if (keys.length === 0 && found.address === undefined && provider !== "Ollama")
    report.need(variable, `the key of channel ${label}`);
  const findName = (name: string) => name;
  return (keys.length > 0 ? keys : [null]).map((credential) => ({
    placed: found.placed,
    credential,
    findName,
  }));
}

/** Returns the keys of a channel that has one a line. Null if all of them are disabled. */
function listKeys(channel: Channel, report: Report): readonly string[] | null {
  const given = splitList(readText(channel.row, "key"), /\n/);
  const kept = keepEnabled(channel, given, report);
  return kept.length === 0 && given.length > 0 ? null : kept;
}

/** Returns those of a channel's keys that it uses: new-api disables a key that fails. */
function keepEnabled<Key>({ row, label }: Channel, keys: readonly Key[], report: Report): readonly Key[] {
  const states = asObject(readObject(row, "channel_info").multi_key_status_list);
  return keys.filter((_, at) => {
    const isEnabled = (states[at] ?? ENABLED) === ENABLED;
    if (!isEnabled) report.leave(null, `channel ${label}: key ${at + 1}`, "it is disabled");
    return isEnabled;
  });
}

/** Channels without a weight have 0. */
export function readWeight(row: ForeignRow): number | undefined {
  const weight = readNumber(row, "weight") ?? 0;
  return weight > 0 ? weight : undefined;
}

/** The weight of each of a channel's keys. */
function shareWeight(row: ForeignRow, keys: number): number | undefined {
  const weight = readWeight(row);
  return weight === undefined ? undefined : Number((weight / keys).toFixed(WEIGHT_DECIMALS));
}

interface ChannelServer {
  readonly placed: CloudPlace;
  /** The address that the operator gave, if it isn't the provider's own. */
  readonly address?: string | undefined;
}

function placeServer(channel: Channel, report: Report): ChannelServer | string {
  const { row, provider, kind } = channel;
  const given = readText(row, "base_url")?.replace(/\/+$/, "");
  if (provider === "Azure") return placeOnAzure(channel, given, report);
  if (kind === "call" && (given === undefined || !CALL.test(given) || given.includes("{")))
    return "its address isn't that of a server's /chat/completions";
  const base = kind === "call" ? given?.replace(CALL, "") : (given ?? IN_CHINA[provider]);
  const isVendor = base === undefined || isProviderAddress(provider, base) || isInChina(provider, base);
  const isOwn = isVendor || provider === "Ollama";
  if (base === undefined || (isVendor && !(provider in IN_CHINA)))
    return { placed: { place: null, isOwn: provider === "Ollama", fields: {} } };
  const address = kind !== undefined || VERSIONED.test(base) ? base : `${base}${PATHS[provider] ?? "/v1"}`;
  const fields = { dialect: findServerDialect(provider), base_url: address };
  return { ...(isVendor ? {} : { address }), placed: { place: base, isOwn, fields } };
}

function isInChina(provider: string, base: string): boolean {
  const [own, given] = [IN_CHINA[provider], base].map((one) => URL.parse(one ?? "")?.hostname);
  return own !== undefined && own === given;
}

function placeOnAzure({ row, label }: Channel, given: string | undefined, report: Report): ChannelServer {
  const api = asString(readObject(row, "config").api_version) ?? readText(row, "other") ?? undefined;
  const base_url = given && splitAddress(given, true).address;
  const placed = placeAzure({ base_url, api }, `the address of channel ${label}`, report);
  return { address: base_url, placed };
}

/** Keys are `AccessKey|SecretKey|Region`, or `BearerKey|Region`. */
function listBedrock(channel: Channel, report: Report): readonly ChannelOutlet[] | string {
  const { row, label } = channel;
  const { ak, sk, region: own } = readObject(row, "config");
  const keys = listKeys(channel, report);
  if (keys === null) return ALL_DISABLED;
  const lines = keys.map((line) => splitList(line, KEY_PARTS));
  const configured = [ak, sk, own].map((part) => asString(part) ?? "");
  const all = configured.every((part) => part !== "") ? [configured] : lines;
  const use = `the key of channel ${label}`;
  const outlets = all.flatMap(([id = "", secret = "", last]): readonly ChannelOutlet[] => {
    const region = last ?? secret;
    const findName = (name: string) => findBedrockName(name, region);
    if (region === "") return [];
    if (last === undefined) {
      const key = report.needSecret(nameKeyVariable("Bedrock", undefined), id, use);
      const weight = shareWeight(row, all.length);
      return [{ placed: placeBedrock({ region }), credential: { key, weight }, findName }];
    }
    const aws = {
      access_key_id: report.needSecret("AWS_ACCESS_KEY_ID", id, use),
      secret_access_key: report.needSecret("AWS_SECRET_ACCESS_KEY", secret, use),
    };
    return [{ placed: placeBedrock({ region, aws }), credential: null, findName }];
  });
  return outlets.length > 0 ? outlets : "its key isn't AccessKey|SecretKey|Region or BearerKey|Region";
}

/** Keys are those of service accounts in JSON, or express keys. Each model may have a location of its own. */
function listVertex(channel: Channel, report: Report): readonly ChannelOutlet[] {
  const { row, label } = channel;
  const { vertex_ai_adc: configured, vertex_ai_project_id: paying, region } = readObject(row, "config");
  const text = asString(configured) || (readText(row, "key") ?? "");
  const parsed = parseReceived(text);
  const use = `the key of channel ${label}`;
  if (!isObject(parsed) && !Array.isArray(parsed))
    return keepEnabled(channel, splitList(text, /\n/), report).map((secret) => {
      const key = report.needSecret(nameKeyVariable("Vertex", undefined), secret, use);
      return { placed: placeVertex({}), credential: { key }, findName: findVertexName };
    });
  const other = asString(region) || (readText(row, "other") ?? "");
  const regions = readObject({ other }, "other");
  const findLocation = (name: string) =>
    asString(regions[name]) ?? asString(regions.default) ?? (other.startsWith("{") ? "global" : other);
  const locations = new Set(splitList(readText(row, "models"), /,/).map(findLocation));
  const given = Array.isArray(parsed) ? parsed : [parsed];
  const accounts = keepEnabled(channel, given, report).map(asObject);
  return accounts.flatMap((account) => {
    const service_account = report.needSecret("VERTEX_CREDENTIALS", JSON.stringify(account), use);
    const project = asString(paying) || asString(account.project_id);
    return [...locations].map((location) => ({
      placed: placeVertex(omitUndefined({ project, location: location || undefined, service_account })),
      credential: null,
      findName: (name: string) => (findLocation(name) === location ? findVertexName(name) : null),
    }));
  });
}
