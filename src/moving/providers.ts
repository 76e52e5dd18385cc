// The providers that an import found: one for each address, with its keys and models, as the configuration has them.
import { loadShippedCards } from "../catalogue/rows.ts";
import { omitUndefined } from "../core/json/json.ts";
import { MINUTE_LIMITS, type MinuteLimit, mapLimits } from "../core/limits/limit-table.ts";
import type { ModelCard } from "../core/models/card.ts";
import { clampWeight, type Groups } from "./groups.ts";
import type { Report } from "./report.ts";
import { describeProviderApi, isOperatorServer } from "./servers.ts";

type ExtraHeaders = Readonly<Record<string, string>>;

/** One model on one server of the other gateway. */
export interface ImportedDeployment {
  /** A known provider, or the base of the name of another server that speaks its dialect. */
  readonly provider: string;
  /** Tells it from other servers of the same provider. Null for the provider's own address. */
  readonly place: string | null;
  /** True for clouds and servers of the operator's own: the first one found has the provider's name. */
  readonly isOwn: boolean;
  /** The fields of a provider at that place: its address, dialect, region. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** The model's name there. Null if all of its models are meant. */
  readonly name: string | null;
  /** The model's own entry, without its name. */
  readonly model: Readonly<Record<string, unknown>>;
  readonly credential: PlannedCredential | null;
  /** Sent with each call. */
  readonly headers?: ExtraHeaders | undefined;
  /** Its line in the other gateway's file. Null for rows of a table. */
  readonly line: number | null;
}

export interface PlannedCredential
  extends Readonly<Partial<Record<MinuteLimit["name"], number | undefined>>> {
  /** A reference, such as `${OPENAI_API_KEY}`. */
  readonly key: string;
  readonly weight?: number | undefined;
}

/** Tells several providers on one server from each other. Null for the one that needs no other name. */
export type Share = { readonly number: number; readonly label: string } | null;

interface ImportedServer {
  readonly name: string;
  /** The known provider that it has the name of, or is based on. */
  readonly provider: string;
  readonly fields: Readonly<Record<string, unknown>>;
  /** The key that is used if no deployment has one. */
  readonly impliedKey: string | null;
  readonly credentials: Map<string, PlannedCredential[]>;
  /** The headers of its deployments, each set once. Empty for those without any. */
  readonly headers: Map<string, ExtraHeaders>;
  readonly models: Map<string, Readonly<Record<string, unknown>>>;
  isOpen: boolean;
}

const NAME_CHARACTERS_MAX = 64;
const NUMBER_CHARACTERS = 4;
/** If some of its deployments are listed, there are no others. */
const LISTED_BY_HAND = "Azure";
/** A place that is an IP address, which tells clients of the network behind the gateway, as a name within it does. */
const ADDRESS = /^(https?:\/\/)?(\d{1,3}(\.\d{1,3}){3}|\[[0-9a-f:]+\]|localhost)([:/]|$)/i;
const FREE = { input: 0, output: 0 };

export class Providers {
  readonly #servers = new Map<string, ImportedServer>();
  readonly #cards: ReadonlyMap<string, ModelCard>;
  /** Prices of models in the catalogue that the other gateway's operator had changed. */
  readonly #overlay = new Map<string, object>();
  /** The line of each id, the first if there are several. */
  readonly #lines = new Map<string, number | null>();

  constructor() {
    this.#cards = new Map(loadShippedCards().map((card) => [card.id, card]));
  }

  /**
   * Adds a deployment. Returns its model's id, or `Provider#*` for all models. `called` is what clients call it: clients see
   * the names of providers, and shouldn't see an address in them.
   */
  add(deployment: ImportedDeployment, share: Share, called: string): string {
    const { provider, place, name, credential, headers = {} } = deployment;
    const { like, ...own } = deployment.model;
    const model = typeof like === "string" && this.#cards.has(like) ? { ...own, like } : own;
    const server = this.#servers.getOrInsertComputed(
      `${provider} ${place ?? ""} ${share?.number ?? ""}`,
      () => this.#makeServer(deployment, share, called),
    );
    server.headers.set(JSON.stringify(headers), headers);
    if (credential !== null) {
      server.credentials.getOrInsertComputed(credential.key, () => []).push(credential);
    }
    if (name === null) {
      server.isOpen = true;
      return `${server.name}#*`;
    }
    const id = `${server.name}#${name}`;
    this.#lines.getOrInsert(id, deployment.line);
    const isListed = this.#cards.has(id) && provider !== LISTED_BY_HAND;
    const facts = isListed ? {} : this.#findFacts({ ...deployment, model }, name);
    if (!isListed || "deployment" in model)
      server.models.set(name, { ...facts, ...server.models.get(name), ...model });
    else if ("price" in model) this.#overlay.set(id, { price: model.price });
    return id;
  }

  /** Another provider than the known one needs its address and dialect, and the variable of its key. */
  #makeServer(
    { provider, place: given, isOwn, fields }: ImportedDeployment,
    share: Share,
    called: string,
  ): ImportedServer {
    const isHidden = given !== null && (ADDRESS.test(given) || isOperatorServer(provider, fields));
    const place = isHidden ? called || "own" : given;
    const isOfVendor = fields.base_url === undefined && fields.platform === undefined;
    const api = share === null || !isOfVendor ? null : describeProviderApi(provider);
    const label = share === null || isHidden ? place : `${place ?? ""} ${share.label}`;
    const short = share === null ? null : share.label;
    return {
      name: this.#chooseName(provider, isOwn ? short : label, label),
      provider,
      fields: { ...api?.fields, ...fields },
      impliedKey: api?.key ?? null,
      credentials: new Map(),
      headers: new Map(),
      models: new Map(),
      isOpen: false,
    };
  }

  /** A model that the provider itself offers under the same name has its facts. Others cost nothing on the operator's own servers. */
  #findFacts({ provider, fields, model }: ImportedDeployment, name: string): object {
    const like = `${provider}#${name}`;
    if (this.#cards.has(like)) return { like };
    const isPriced = "price" in model || "like" in model;
    return isPriced || !isOperatorServer(provider, fields) ? {} : { price: FREE };
  }

  /** Returns the aliases that the groups need, and reports names that can't be one. */
  listAliases(groups: Groups, report: Report): Readonly<Record<string, string | readonly object[]>> {
    return groups.list(
      (name) => this.#findId(name),
      (name, words) => report.leave(null, `alias ${name}`, words),
    );
  }

  /** Returns the id that a client's name is anyway, of a model that one of the providers serves. */
  #findId(name: string): string | null {
    const [, head = "", rest = ""] = /^([^#/]+)[#/](.+)$/.exec(name) ?? [];
    const server = [...this.#servers.values()].find((one) => one.name.toLowerCase() === head.toLowerCase());
    const id = `${server?.name}#${rest}`;
    return server !== undefined && (this.#cards.has(id) || server.models.has(rest)) ? id : null;
  }

  /** Reports each model of which nothing says what it costs, and headers that can't be those of all models. */
  report(report: Report): void {
    for (const { name, headers, credentials } of this.#servers.values()) {
      const shared = [...credentials.values()];
      if (shared.length > 1 && shared.some((one) => listWeights(one).length > 1))
        report.leave(null, `weights of ${name}`, "a key has one weight for all models");
      if (shared.some((one) => MINUTE_LIMITS.some(({ name }) => isHalfLimited(one, name))))
        report.leave(
          null,
          `limits of ${name}`,
          `a key's limit is for all of its models here, and a deployment of it has none there: set providers.${name}.keys`,
        );
      const names = [...headers.values()].flatMap((one) => Object.keys(one));
      if (headers.size > 1)
        report.leave(
          null,
          `headers of ${name}`,
          `its models differ in ${[...new Set(names)].join(", ")}: set providers.<name>.headers`,
        );
    }
    for (const [id, line] of this.#lines) {
      if (!this.#isPriced(id))
        report.leave(
          line,
          `price of ${id}`,
          "it isn't known here: no balance or budget can pay for it without models.<id>.price",
        );
    }
  }

  #isPriced(id: string): boolean {
    if (this.#overlay.has(id)) return true;
    const server = [...this.#servers.values()].find(({ name }) => id.startsWith(`${name}#`));
    const model = server?.models.get(id.slice(server.name.length + 1));
    if (model === undefined) return this.#hasPrice(id);
    return "price" in model || ("like" in model && this.#hasPrice(String(model.like)));
  }

  /** The catalogue also lists models whose prices their providers don't publish. */
  #hasPrice(id: string): boolean {
    return (this.#cards.get(id)?.price ?? null) !== null;
  }

  /** Returns the first of the names that isn't in use: that of the first place, that of the second, a numbered one. */
  #chooseName(provider: string, ...places: readonly (string | null)[]): string {
    const names = new Set([...this.#servers.values()].map((server) => server.name));
    const asked = places.map((place) => makeName(provider, place));
    const last = asked.at(-1) ?? provider;
    for (let at = 2; ; at++) {
      const free = asked.find((name) => !names.has(name));
      if (free !== undefined) return free;
      asked.push(`${last.slice(0, NAME_CHARACTERS_MAX - NUMBER_CHARACTERS)}-${at}`);
    }
  }

  get overlay(): Readonly<Record<string, object>> {
    return Object.fromEntries(this.#overlay);
  }

  /** Returns the configuration's section. */
  list(): Readonly<Record<string, object>> {
    return Object.fromEntries(
      [...this.#servers.values()].map((server) => [server.name, writeServer(server)]),
    );
  }
}

function makeName(provider: string, place: string | null): string {
  const slug = (place ?? "")
    .replace(/^https?:\/\//, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");
  return (slug === "" ? provider : `${provider}-${slug}`).slice(0, NAME_CHARACTERS_MAX);
}

/** A server with the provider's own name is of its platform and speaks its dialect anyway. */
function writeServer(server: ImportedServer): object {
  const { name, provider, fields: all, credentials, models, isOpen, impliedKey } = server;
  const [headers = {}, ...different] = server.headers.values();
  const { platform, dialect, ...others } = all;
  const fields = name === provider ? others : omitUndefined({ platform, dialect, ...others });
  const shared = [...credentials.values()];
  const isWeighted = new Set(shared.map((one) => listWeights(one)[0])).size > 1;
  const implied = shared.length === 0 && impliedKey !== null ? [impliedKey] : [];
  const keys = [...implied, ...shared.map((one) => writeCredential(one, isWeighted))];
  const listed = [...models].map(([name, model]) => ({ name, ...model }));
  return {
    ...fields,
    ...(keys.length > 0 ? { keys } : {}),
    ...(different.length === 0 && Object.keys(headers).length > 0 ? { headers } : {}),
    ...(isOpen ? { unlisted_models: true } : {}),
    ...(listed.length > 0 ? { models: listed } : {}),
  };
}

function isHalfLimited(shared: readonly PlannedCredential[], field: MinuteLimit["name"]): boolean {
  const limits = shared.map((one) => one[field]);
  return limits.includes(undefined) && limits.some((limit) => limit !== undefined);
}

/** Returns the different weights of a key's deployments, in their order. */
function listWeights(shared: readonly PlannedCredential[]): readonly number[] {
  return [...new Set(shared.map(({ weight = 1 }) => clampWeight(weight)))];
}

/** A key that several deployments share has the sum of their limits, unless one of them has none. */
function writeCredential(shared: readonly PlannedCredential[], isWeighted: boolean): string | object {
  const [first] = shared;
  const sum = (field: MinuteLimit["name"]) => {
    const limits = shared.map((one) => one[field]);
    return limits.includes(undefined) ? undefined : limits.reduce((all = 0, one = 0) => all + one, 0);
  };
  const limits = omitUndefined({
    weight: isWeighted ? listWeights(shared)[0] : undefined,
    ...mapLimits(MINUTE_LIMITS, "name", ({ name }) => sum(name)),
  });
  const key = first?.key ?? "";
  return Object.keys(limits).length === 0 ? key : { key, ...limits };
}
