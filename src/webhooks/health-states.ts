// The reported states of providers, their credentials and models: which go down and come back, are refused, or are gone.
import type { ProviderHealth } from "../core/health/health.ts";
import type { StateReport } from "./state-events.ts";

/** A provider is down if it gets no requests, and up if its last call succeeded. Before its first call it is neither. */
export function listHealthStates({
  name,
  breaker,
  failingSinceMs,
  lastFailure,
  credentials,
  models,
}: ProviderHealth): readonly StateReport[] {
  const isRefused = credentials.length > 0 && credentials.every(({ state }) => state === "retired");
  const isCalled = lastFailure !== null || credentials.some(({ calledAtMs }) => calledAtMs !== null);
  const isDown = breaker === "open" || isRefused;
  const isUp = breaker === "closed" && failingSinceMs === null && isCalled;
  const reason = isRefused ? "every credential is refused" : describeLast(lastFailure);
  const subject = `provider ${name}`;
  const data = { provider: name, name };
  const down = { state: "down", type: "provider.down", describe: () => ({ ...data, reason }) } as const;
  const up = { state: "up", type: "provider.up", describe: () => data } as const;
  const parts = [...listCredentials(name, credentials), ...listModels(name, models)];
  if (isDown) return [{ subject, isNews: true, ...down }, ...parts];
  return isUp ? [{ subject, isNews: false, ...up }, ...parts] : parts;
}

/** A provider that can't be connected to has neither words nor a status. */
function describeLast(last: ProviderHealth["lastFailure"]): string {
  const { message = null, upstreamStatus = null, cause = null, faultCode = "its calls fail" } = last ?? {};
  return message ?? (upstreamStatus === null ? (cause ?? faultCode) : `status ${upstreamStatus}`);
}

/** Only of those that were missed: there may be thousands. */
function listModels(provider: string, models: ProviderHealth["models"]): readonly StateReport[] {
  return models.flatMap(({ id, absence }) => {
    if (absence === null) return [];
    const isGone = absence === "gone";
    const describe = () => ({ provider, name: id, model: id });
    return [
      {
        subject: `model ${id}`,
        state: absence,
        type: isGone ? "model.gone" : null,
        isNews: isGone,
        describe,
      },
    ];
  });
}

/** Credentials are told apart by their last characters: of those with the same, a refused one counts. */
function listCredentials(
  provider: string,
  credentials: ProviderHealth["credentials"],
): readonly StateReport[] {
  return [...new Set(credentials.map(({ last4 }) => last4))].map((last4) => {
    const retired = credentials.find((one) => one.last4 === last4 && one.state === "retired");
    return {
      subject: `credential ${provider} ${last4 ?? ""}`,
      state: retired ? "retired" : "active",
      type: retired ? "credential.retired" : null,
      isNews: retired !== undefined,
      describe: () => ({ provider, name: provider, last4, reason: retired?.reason ?? null }),
    };
  });
}
