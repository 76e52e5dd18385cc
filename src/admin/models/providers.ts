// The providers as the admin routes show them, enabled or not: recent health, and credentials.
import { type Static, Type } from "@sinclair/typebox";
import { Fault } from "../../core/faults/fault.ts";
import { CREDENTIAL_FIELDS } from "../../core/fields/credential.ts";
import type {
  CredentialHealth,
  LastFailure,
  ModelHealth,
  ProviderHealth,
  Vitals,
} from "../../core/health/health.ts";
import { readPayer } from "../../core/keys/payer.ts";
import { CREDENTIAL_STATES, CREDENTIAL_VALUES } from "../../core/things/sorts.ts";
import type { Access } from "../../people/access.ts";
import { makeViewProperties, viewFields } from "../fields.ts";
import { formatInstant, formatInstantOrNull } from "../format.ts";
import { type ListPage, sortAll, sortFields } from "../list.ts";
import { failureFields, failureView } from "../log/failure.ts";
import {
  allowNull,
  allowWords,
  boolean,
  closeObject,
  count,
  instant,
  number,
  percentiles,
  share,
  text,
  type View,
} from "../schema.ts";
import {
  type AddedCredential,
  type CredentialParts,
  makeConfiguredId,
  readConfiguredId,
  showLast4,
} from "./credentials.ts";

const payerSchema = Type.Object({
  account_id: text,
  member_id: Type.Union([text, Type.Null()], { description: "Null for a service key." }),
  key_id: Type.Union([text, Type.Null()], { description: "The service key. Null for a member." }),
});

const VITALS = {
  breaker: allowWords(["closed", "open", "half_open"]),
  open_for: Type.Union([allowWords(["all", "some"]), Type.Null()], {
    description: "For whom the breaker is open: `some` are members or service keys whose own requests fail.",
  }),
  open_payers: Type.Array(payerSchema, {
    description:
      "Those whose own requests fail. Readers other than operators and admins see only themselves.",
  }),
  error_rate: allowNull(share),
  in_flight: count,
  first_token_ms: allowNull(percentiles),
  tokens_per_second: allowNull(number),
};
const vitalsSchema = Type.Object(VITALS);
type VitalsView = View<typeof vitalsSchema>;

const credentialSchema = Type.Object({
  id: text,
  source: allowWords(["stored", "configured"]),
  ...makeViewProperties(CREDENTIAL_FIELDS),
  last4: allowNull(text),
  state: allowWords(CREDENTIAL_STATES),
  until: allowNull(instant),
  reason: allowNull(text),
  called_at: Type.Union([instant, Type.Null()], {
    description: "When it was last called since the gateway started. Null if it hasn't been yet.",
  }),
  in_flight: count,
  error_rate: allowNull(share),
});
export type CredentialView = View<typeof credentialSchema>;

const modelSchema = Type.Object({ id: text, ...VITALS, asks_again_at: allowNull(instant) });

export const providerSchema = Type.Object({
  name: text,
  on: boolean,
  dialect: allowNull(text),
  base_url: text,
  failing_since: Type.Union([instant, Type.Null()], {
    description: "The first failed call since the last one that succeeded. Null if the last one did.",
  }),
  last_failure: allowNull(
    Type.Object({
      at: instant,
      model: text,
      credential: allowNull(text),
      error_code: text,
      upstream_status: allowNull(Type.Integer()),
      ...failureFields,
    }),
  ),
  ...VITALS,
  credentials: Type.Array(credentialSchema),
  models: Type.Array(modelSchema),
});
export type ProviderView = View<typeof providerSchema>;

/** It is the credentials of each provider that are sorted. */
export const providersQuery = closeObject({
  all: Type.Optional(allowWords(["true", "false"])),
  ...sortFields("credentials", "The configuration's first"),
});

/** The result of one small call with a credential. */
export const testResultSchema = Type.Object({
  ok: boolean,
  status: Type.Union([Type.Integer(), Type.Null()], {
    description: "The provider's HTTP status. Null if it didn't answer.",
  }),
  latency_ms: allowNull(number),
  model: allowNull(text),
  error: allowNull(text),
  ...failureFields,
});
export type TestResult = View<typeof testResultSchema>;
export const testSchema = closeObject({ credential_id: Type.Optional(text) });

export interface ProviderParts extends Pick<CredentialParts, "fillable"> {
  /** Returns the enabled providers. */
  readonly health: () => readonly ProviderHealth[];
  readonly added: () => readonly AddedCredential[];
  /** The configuration's credentials that are switched off. */
  readonly switchedOff: () => readonly IdleCredential[];
}

/** A credential that isn't called. One of the configuration may have no secret. */
export type IdleCredential = Omit<AddedCredential, "secret"> & { readonly secret: string | null };

const NO_VITALS: Vitals = {
  breaker: "closed",
  openFor: null,
  openPayers: [],
  errorRate: null,
  inFlight: 0,
  firstTokenMs: null,
  tokensPerSecond: null,
};

/** The rights of a reader that decide which payers it sees. */
type Sight = Pick<Access, "memberId" | "may">;

/** Returns all enabled providers on one page, with their credentials as the query sorts them. `all=true` adds the known ones that are disabled. */
export function listProviders(
  parts: ProviderParts,
  query: Static<typeof providersQuery>,
  sight: Sight,
): ListPage<ProviderView> {
  const on = parts.health().map((provider) => providerView(provider, parts, sight));
  const off = query.all === "true" ? listDisabled(parts, sight) : [];
  const data = [...on, ...off].map((provider) => ({
    ...provider,
    credentials: sortAll("credentials", query, provider.credentials, CREDENTIAL_VALUES),
  }));
  return { data, next: null };
}

/** Returns a provider, enabled or not. */
export function getProvider(parts: ProviderParts, name: string, sight: Sight): ProviderView {
  const { data } = listProviders(parts, { all: "true" }, sight);
  const found = data.find((one) => one.name === name);
  if (found) return found;
  throw new Fault("not_found", "There is no provider with that name.");
}

function listDisabled(parts: ProviderParts, sight: Sight): readonly ProviderView[] {
  const { health, fillable, added, switchedOff } = parts;
  const on = new Set(health().map(({ name }) => name));
  const idle = [...switchedOff(), ...added()];
  return fillable()
    .filter(({ name }) => !on.has(name))
    .map(({ name, baseUrl }) => ({
      name,
      on: false,
      dialect: null,
      base_url: baseUrl,
      failing_since: null,
      last_failure: null,
      ...vitalsView(NO_VITALS, sight),
      credentials: idle.filter(({ provider }) => provider === name).map(idleView),
      models: [],
    }));
}

function providerView(
  provider: ProviderHealth,
  { added, switchedOff }: ProviderParts,
  sight: Sight,
): ProviderView {
  const used = provider.credentials.map((one) =>
    credentialView(one, one.id ?? makeConfiguredId(one.position)),
  );
  const idle = [...switchedOff(), ...added()].filter(
    ({ provider: name, id }) => name === provider.name && !used.some((one) => one.id === id),
  );
  return {
    name: provider.name,
    on: true,
    dialect: provider.dialect,
    base_url: provider.baseUrl,
    failing_since: formatInstantOrNull(provider.failingSinceMs),
    last_failure: provider.lastFailure && lastFailureView(provider.lastFailure),
    ...vitalsView(provider, sight),
    credentials: sortConfigured([...used, ...idle.map(idleView)]),
    models: provider.models.map((model) => modelView(model, sight)),
  };
}

/** The configuration's come first, in its order. */
function sortConfigured(credentials: readonly CredentialView[]): readonly CredentialView[] {
  const place = ({ id }: CredentialView) => readConfiguredId(id) ?? Number.MAX_SAFE_INTEGER;
  return credentials.toSorted((one, other) => place(one) - place(other));
}

function lastFailureView(failure: LastFailure): NonNullable<ProviderView["last_failure"]> {
  return {
    at: formatInstant(failure.atMs),
    model: failure.model,
    credential: failure.last4 === null ? null : `…${failure.last4}`,
    error_code: failure.faultCode,
    upstream_status: failure.upstreamStatus,
    ...failureView(failure),
  };
}

function credentialView(
  credential: Omit<CredentialHealth, "id" | "position" | "state"> & Pick<CredentialView, "state">,
  id: string,
): CredentialView {
  const { last4, state, reason, untilMs, calledAtMs, inFlight, errorRate } = credential;
  return {
    id,
    source: readConfiguredId(id) === null ? "stored" : "configured",
    ...viewFields(CREDENTIAL_FIELDS, { ...credential, enabled: state !== "disabled" }),
    last4,
    state,
    until: formatInstantOrNull(untilMs),
    reason,
    called_at: formatInstantOrNull(calledAtMs),
    in_flight: inFlight,
    error_rate: roundShare(errorRate),
  };
}

/** Returns an unused credential: it is disabled, or the configuration has the same key. */
function idleView(credential: IdleCredential): CredentialView {
  const { id, secret, enabled } = credential;
  const idle = { reason: null, untilMs: null, calledAtMs: null, inFlight: 0, errorRate: null } as const;
  const state = enabled ? "active" : "disabled";
  return credentialView({ ...credential, ...idle, last4: showLast4(secret), state }, id);
}

function modelView(model: ModelHealth, sight: Sight): View<typeof modelSchema> {
  return {
    id: model.id,
    ...vitalsView(model, sight),
    asks_again_at: formatInstantOrNull(model.asksAgainAtMs),
  };
}

function vitalsView(vitals: Vitals, sight: Sight): VitalsView {
  const { breaker, openFor, openPayers, errorRate, inFlight, firstTokenMs, tokensPerSecond } = vitals;
  return {
    breaker,
    open_for: openFor,
    open_payers: openPayers.flatMap((payer) => payerView(payer, sight)),
    error_rate: roundShare(errorRate),
    in_flight: inFlight,
    first_token_ms: firstTokenMs && {
      p50: Math.round(firstTokenMs.p50),
      p95: Math.round(firstTokenMs.p95),
    },
    tokens_per_second: tokensPerSecond === null ? null : Math.round(tokensPerSecond),
  };
}

function payerView(payer: string, sight: Sight): VitalsView["open_payers"] {
  const read = readPayer(payer);
  if (read === null) return [];
  const { accountId, memberId, keyId } = read;
  const isOwn = memberId !== null && memberId === sight.memberId;
  return isOwn || sight.may("providers.payers")
    ? [{ account_id: accountId, member_id: memberId, key_id: keyId }]
    : [];
}

function roundShare(rate: number | null): number | null {
  return rate === null ? null : Math.round(rate * 1000) / 1000;
}
