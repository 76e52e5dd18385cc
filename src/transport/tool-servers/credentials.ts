// The headers that authenticate the gateway, or its client, at a tool server: five kinds.
import { Fault } from "../../core/fault.ts";
import type { ClientCredentials } from "../../core/models/token-source.ts";
import { hideSecret } from "../../core/text/secret-form.ts";
import type { ToolAuth, ToolServer } from "../../core/tools/tool-server.ts";
import { makeAuthRefusal, makeCredentialMissing, makePassRefusal } from "../../tools/failures.ts";
import type { ToolServerPorts } from "./ports.ts";

type HeaderFields = Readonly<Record<string, string>>;

export interface Credential {
  readonly headers: HeaderFields;
  /** Discards a token that was refused, so that the next call gets another. */
  readonly refuse?: (() => void) | undefined;
}

const NONE: Credential = { headers: {} };
const SHORT = 6;

export class Credentials {
  readonly #server: ToolServer;
  readonly #ports: ToolServerPorts;
  /** The same object for each call: tokens are kept by it. */
  readonly #source: ClientCredentials | null;

  constructor(server: ToolServer, ports: ToolServerPorts) {
    this.#server = server;
    this.#ports = ports;
    this.#source = readSource(server.auth);
  }

  /** Throws `tool_credential_missing` if the server takes the client's own value and there is none. */
  require(pass: string | null): void {
    const { name, auth } = this.#server;
    if (auth.kind === "pass" && (pass === null || isOwnSecret(pass)))
      throw makeCredentialMissing(name, auth.header);
  }

  /** Without a promise unless a token is fetched. Rejects with `tool_server_auth` if none can be obtained. */
  get(pass: string | null): Credential | Promise<Credential> {
    const { auth } = this.#server;
    switch (auth.kind) {
      case "none":
        return NONE;
      case "bearer":
        return { headers: { authorization: `Bearer ${auth.token}` } };
      case "header":
        return { headers: Object.fromEntries(auth.headers) };
      case "pass":
        this.require(pass);
        return { headers: { authorization: pass ?? "" } };
      case "oauth":
        return this.#getToken();
    }
  }

  async #getToken(): Promise<Credential> {
    if (this.#source === null) return NONE;
    const { authorize, clock } = this.#ports;
    const call = { url: this.#server.url, headers: {}, body: "" };
    try {
      const { headers, refuse } = await authorize(this.#source, call, clock.nowMs());
      return { headers, refuse };
    } catch (thrown) {
      if (!(thrown instanceof Fault)) throw thrown;
      const { cause } = thrown.details;
      const reason = typeof cause === "string" ? cause : "token: none";
      throw makeAuthRefusal(this.#server.name, { reason, upstream: { cause: reason } });
    }
  }

  /** The fault of a 401 or 403. */
  explainRefusal(status: number): Fault {
    const { name, auth } = this.#server;
    const reason = `status ${status}`;
    const details = { reason, upstreamStatus: status, upstream: { cause: reason } };
    return auth.kind === "pass"
      ? makePassRefusal(name, auth.header, details)
      : makeAuthRefusal(name, details);
  }

  /** Returns a server's text without the operator's secrets. */
  hide(text: string): string {
    return listSecrets(this.#server.auth)
      .filter((secret) => secret.length >= SHORT)
      .reduce((shown, secret) => shown.replaceAll(secret, "[redacted]"), text);
  }
}

function readSource(auth: ToolAuth): ClientCredentials | null {
  if (auth.kind !== "oauth") return null;
  const { tokenUrl, clientId, clientSecret, scope, resource } = auth;
  return {
    kind: "client_credentials",
    tokenUrl,
    clientId,
    clientSecret,
    ...(scope === null ? {} : { scope }),
    ...(resource === null ? {} : { resource }),
  };
}

/** One of the gateway's own secrets is never sent to a server, whatever header it came in. */
function isOwnSecret(value: string): boolean {
  return value.split(/\s+/).some((word) => hideSecret(word) !== word);
}

function listSecrets(auth: ToolAuth): readonly string[] {
  switch (auth.kind) {
    case "none":
    case "pass":
      return [];
    case "bearer":
      return [auth.token];
    case "header":
      return [...auth.headers.values()];
    case "oauth":
      return [auth.clientSecret];
  }
}
