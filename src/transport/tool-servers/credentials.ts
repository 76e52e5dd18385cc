// The headers that authenticate the gateway, or its client, at a tool server: five kinds.
import { Fault } from "../../core/faults/fault.ts";
import type { ClientCredentials } from "../../core/models/token-source.ts";
import { holdsPoundkeySecret } from "../../core/text/secret-form.ts";
import type { ToolAuth, ToolServer } from "../../core/tools/tool-server.ts";
import { makeAuthRefusal, makeCredentialMissing, makePassRefusal } from "../../tools/failures.ts";
import { Redaction } from "../../tools/redaction.ts";
import type { ToolServerPorts } from "./ports.ts";

type HeaderFields = Readonly<Record<string, string>>;

export interface Credential {
  readonly headers: HeaderFields;
  /** Takes it out of the server's answer. */
  readonly redaction: Redaction;
  /** Discards a token that was refused, so that the next call gets another. */
  readonly refuse?: (() => void) | undefined;
}

const NONE: HeaderFields = {};

export class Credentials {
  readonly #server: ToolServer;
  readonly #ports: ToolServerPorts;
  /** The same object for each call: tokens are kept by it. */
  readonly #source: ClientCredentials | null;
  /** The credential that was last sent. That of `pass` is made for each request. */
  #latest: Credential;

  constructor(server: ToolServer, ports: ToolServerPorts) {
    this.#server = server;
    this.#ports = ports;
    this.#source = readSource(server.auth);
    this.#latest = this.#make(listFixed(server.auth));
  }

  /** Throws `tool_credential_missing` if the server takes the client's own value and there is none. */
  require(pass: string | null): void {
    const { name, auth } = this.#server;
    if (auth.kind === "pass" && (pass === null || holdsPoundkeySecret(pass)))
      throw makeCredentialMissing(name, auth.header);
  }

  /** Without a promise unless a token is fetched. Rejects with `tool_server_auth` if none can be obtained. */
  get(pass: string | null): Credential | Promise<Credential> {
    const { auth } = this.#server;
    switch (auth.kind) {
      case "none":
      case "bearer":
      case "header":
        return this.#latest;
      case "pass":
        this.require(pass);
        return this.#make({ authorization: pass ?? "" });
      case "oauth":
        return this.#getToken();
    }
  }

  #make(headers: HeaderFields, refuse?: () => void): Credential {
    const { auth } = this.#server;
    const beside = auth.kind === "oauth" ? [auth.clientSecret] : [];
    return { headers, refuse, redaction: new Redaction([...Object.values(headers), ...beside]) };
  }

  async #getToken(): Promise<Credential> {
    if (this.#source === null) return this.#latest;
    const { authorize, clock } = this.#ports;
    const call = { url: this.#server.url, headers: {}, body: "" };
    try {
      const { headers, refuse } = await authorize(this.#source, call, clock.nowMs());
      if (headers.authorization !== this.#latest.headers.authorization)
        this.#latest = this.#make(headers, refuse);
      return this.#latest;
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

/** Returns the headers that are the same in every request. */
function listFixed(auth: ToolAuth): HeaderFields {
  switch (auth.kind) {
    case "bearer":
      return { authorization: `Bearer ${auth.token}` };
    case "header":
      return Object.fromEntries(auth.headers);
    default:
      return NONE;
  }
}
