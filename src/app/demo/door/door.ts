// The door of a demo: it stands before the gateway, lets visitors look at all and change nothing, and bounds what they ask.
import { Fault } from "../../../core/faults/fault.ts";
import { parseBounded, REQUEST_SHAPE } from "../../../core/json/bounds.ts";
import { asObject } from "../../../core/json/json.ts";
import { createErrorResponse } from "../../../http/serve/app.ts";
import type { Peers, ReadAddress } from "../../../http/serve/client-address.ts";
import { findPath } from "../../../http/serve/paths.ts";
import { VISITED, type VisitedRole } from "../../../simulator/company.ts";
import { findPassage, type Passage } from "./let-through.ts";
import { type Limit, VisitorLimits } from "./visitor-limits.ts";
import { keepHeaders, readBounded, readSecret, readVisitorBody } from "./visitor-request.ts";

interface DoorParts {
  readonly answer: (request: Request) => Promise<Response>;
  /** Returns the cookie by which the gateway knows one of the company's people. */
  readonly cookieOf: (person: VisitedRole) => Promise<string>;
  readonly isKnown: (model: string) => boolean;
  readonly nowMs: () => number;
  readonly readAddress: ReadAddress;
  /** The names of the hosts that are served, in lower case. */
  readonly hosts: readonly string[];
  /** The secret that was printed. */
  readonly secret: string;
  readonly isSecure: boolean;
  /** The command by which somebody starts a gateway of their own. */
  readonly start: string;
  /** Returns the number of times that the demo has gone back to its first state. */
  readonly turn: () => number;
  /** Goes back to the first state. */
  readonly returnToStart: () => void;
}

const COOKIE = "poundkey_demo";
const COOKIE_SECONDS = 12 * 3600;
const PROBES: ReadonlySet<string> = new Set(["/healthz", "/readyz"]);

/** Each page says so. */
const BANNER = "Demo data, simulated answers";

export class Door {
  readonly limits: VisitorLimits;
  readonly #parts: DoorParts;

  constructor(parts: DoorParts) {
    this.#parts = parts;
    this.limits = new VisitorLimits(parts.nowMs);
  }

  /** Answers a request from outside. */
  readonly handle = async (request: Request, peers: Peers): Promise<Response> => {
    let response: Response;
    try {
      response = await this.#pass(request, this.#parts.readAddress(request, peers));
    } catch (error) {
      response = refuse(
        request,
        error instanceof Fault ? error : new Fault("internal_error", "Something went wrong."),
      );
    }
    response.headers.set("x-poundkey-demo", "true");
    response.headers.set("x-poundkey-demo-turn", String(this.#parts.turn()));
    return addBanner(response);
  };

  async #pass(request: Request, address: string): Promise<Response> {
    const path = findPath(request.url);
    this.#checkHost(request, path);
    const passage = findPassage(request.method, path, request.headers);
    if (passage === "socket") throw new Fault("websockets_off", "A demo has no WebSockets: go on by HTTP.");
    if (passage === "call" || passage === "playground") return this.#call(request, path, passage, address);
    this.#check(this.limits.read(address));
    switch (passage) {
      case "closed":
        throw new Fault(
          "read_only",
          `This is a demo: nothing can be changed. Start your own with: ${this.#parts.start}`,
        );
      case "sign-in":
        return this.#signIn(request);
      case "sign-out":
        return this.#setCookie("", 0);
      case "who":
        return this.#tellWho(request);
      case "heavy":
        return this.#readLong(request);
      case "stream":
        return this.#follow(request, address);
      case "read":
        return this.#read(request);
    }
  }

  #checkHost(request: Request, path: string): void {
    if (PROBES.has(path)) return;
    const host = URL.parse(`http://${request.headers.get("host") ?? ""}`)?.hostname ?? "";
    if (this.#parts.hosts.includes(host)) return;
    throw new Fault("invalid_header", "The Host header names a host that this demo does not serve.");
  }

  #check(limit: Limit | null): void {
    if (limit === null) return;
    const retryAfterMs = AT_ONCE.has(limit) ? BRIEF_MS : this.limits.waitMs;
    throw new Fault("requests_per_minute_exceeded", WORDS[limit], { retryAfterMs });
  }

  async #read(request: Request): Promise<Response> {
    return this.#parts.answer(await this.#rebuild(request, null));
  }

  /** The place is given back once the answer was read, or its reader has left. */
  async #readLong(request: Request): Promise<Response> {
    this.#check(this.limits.beginHeavy());
    return this.#whileRead(
      () => this.#read(request),
      () => this.limits.endHeavy(),
    );
  }

  async #follow(request: Request, address: string): Promise<Response> {
    this.#check(this.limits.beginStream(address));
    return this.#whileRead(
      () => this.#read(request),
      () => this.limits.endStream(address),
    );
  }

  async #call(request: Request, path: string, passage: Passage, address: string): Promise<Response> {
    const secret = passage === "call" ? readSecret(request) : null;
    if (secret !== null && secret !== this.#parts.secret)
      throw new Fault(
        "invalid_api_key",
        "Incorrect API key provided. A demo has one key, which it printed at its start.",
      );
    const body = await readVisitorBody(request, path, this.#parts.isKnown);
    this.#check(this.limits.beginCall(address));
    const end = () => {
      this.limits.endCall(address);
      if (this.limits.isFull) this.#parts.returnToStart();
    };
    return this.#whileRead(async () => this.#parts.answer(await this.#rebuild(request, body, secret)), end);
  }

  async #whileRead(answer: () => Promise<Response>, end: () => void): Promise<Response> {
    try {
      return countUntilRead(await answer(), end);
    } catch (error) {
      end();
      throw error;
    }
  }

  /** The gateway sees neither the visitor's address nor their program. */
  async #rebuild(request: Request, body: string | null, secret: string | null = null): Promise<Request> {
    const headers = keepHeaders(request.headers);
    const path = findPath(request.url);
    const given = path.startsWith("/v1") ? readSecret(request) : null;
    if (secret ?? given) headers.set("authorization", `Bearer ${secret ?? given}`);
    const person = readPerson(request);
    if (person !== null) headers.set("cookie", await this.#parts.cookieOf(person));
    const { method, url, signal } = request;
    return new Request(url, { method, headers, signal, ...(body === null ? {} : { body }) });
  }

  async #signIn(request: Request): Promise<Response> {
    const { person } = asObject(parseBounded(await readBounded(request), REQUEST_SHAPE));
    if (!isVisited(person))
      throw new Fault(
        "invalid_value",
        `Choose one of the demo's people: ${Object.keys(VISITED).join(", ")}.`,
        { param: "person" },
      );
    return this.#setCookie(person, COOKIE_SECONDS);
  }

  #setCookie(value: string, seconds: number): Response {
    const secure = this.#parts.isSecure ? "; Secure" : "";
    const cookie = `${COOKIE}=${value}; HttpOnly; SameSite=Strict; Path=/; Max-Age=${seconds}${secure}`;
    return new Response(null, {
      status: 204,
      headers: { "set-cookie": cookie, "cache-control": "no-store" },
    });
  }

  #tellWho(request: Request): Response {
    const view = { provider: null, start_url: null, signed_in: readPerson(request) !== null };
    return Response.json(view, { headers: { "cache-control": "no-store" } });
  }
}

const BRIEF_MS = 1000;
/** The limits on what runs at the same time. */
const AT_ONCE: ReadonlySet<Limit> = new Set(["at once", "heavy", "streams"]);
const WORDS: Readonly<Record<Limit, string>> = {
  reads: "A demo answers 300 reads a minute. Wait for the next one.",
  calls: "A demo answers 20 requests a minute. Wait for the next one.",
  "at once": "A demo answers two requests at once. Wait for one to end.",
  heavy: "Two exports or searches run already. Wait for one to end.",
  streams: "You have too many pages of this demo open. Close one.",
  rows: "You have asked this demo as much as one visitor may until it starts over.",
};

function isVisited(person: unknown): person is VisitedRole {
  return typeof person === "string" && Object.hasOwn(VISITED, person);
}

function readPerson({ headers }: Request): VisitedRole | null {
  const person = /(?:^|;)\s*poundkey_demo=([a-z]+)/.exec(headers.get("cookie") ?? "")?.[1];
  return isVisited(person) ? person : null;
}

function refuse(request: Request, fault: Fault): Response {
  const id = `req_${crypto.randomUUID().replaceAll("-", "")}`;
  const response = createErrorResponse(request, fault, { headers: { "x-request-id": id } });
  response.headers.set("x-request-id", id);
  return response;
}

/** Calls `end` once, when the whole body was read or its reader left. */
function countUntilRead(response: Response, end: () => void): Response {
  const { body } = response;
  if (body === null) {
    end();
    return response;
  }
  let isOver = false;
  const finish = () => {
    if (!isOver) end();
    isOver = true;
  };
  const reader = body.getReader();
  const counted = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (!done) return controller.enqueue(value);
        finish();
        controller.close();
      } catch (error) {
        finish();
        controller.error(error);
      }
    },
    async cancel() {
      finish();
      await reader.cancel();
    },
  });
  return new Response(counted, response);
}

function addBanner(response: Response): Response {
  if (!response.headers.get("content-type")?.startsWith("text/html")) return response;
  response.headers.delete("etag");
  response.headers.delete("content-length");
  const note = `<div class="demo-note" role="note">${BANNER}</div>`;
  return new HTMLRewriter()
    .on("body", { element: (body) => void body.prepend(note, { html: true }) })
    .transform(response);
}
