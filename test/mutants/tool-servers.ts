// Mutants of tool servers: calls sent twice, sessions shared, eras mistaken, rights overlooked, credentials sent astray.
import type { Mutant } from "./mutant.ts";

const CALLS = ["test/transport/tool-servers/calls.test.ts"];
const SESSIONS = ["test/transport/tool-servers/sessions.test.ts"];
const MIRRORS = ["test/transport/tool-servers/mirrors.test.ts"];
const CREDENTIALS = ["test/transport/tool-servers/credentials.test.ts"];

const LOOP = ["test/gateway/loop/tool-loop.test.ts"];
const LOOP_BOUNDS = ["test/http/tools/loop/bounds.test.ts"];
const LOOP_MONEY = ["test/http/tools/loop/money.test.ts"];
const LOOP_RIGHTS = ["test/http/tools/loop/rights.test.ts"];
const LOOP_REPEATS = ["test/http/tools/loop/repeats.test.ts"];

export const TOOL_SERVERS: readonly Mutant[] = [
  {
    name: "a response with tools asks its model on and on",
    file: "src/gateway/loop/tool-loop.ts",
    find: "return this.#asked < roundsMax - 1 && this.#called < callsMax;",
    replace: "return this.#called < callsMax;",
    tests: LOOP,
  },
  {
    name: "a response with tools makes more calls than it may",
    file: "src/gateway/loop/tool-loop.ts",
    find: "calls.slice(0, left)",
    replace: "calls.slice(0)",
    tests: LOOP,
  },
  {
    name: "a call within a response costs twice",
    file: "src/gateway/loop/looped-answer.ts",
    find: "if (made.context !== null) await this.#costs.add(made.context);",
    replace: "for (const one of [made.context, made.context]) if (one !== null) await this.#costs.add(one);",
    tests: LOOP_MONEY,
  },
  {
    name: "a call within a response is one of the requests in parallel",
    file: "src/gateway/loop/part-terms.ts",
    find: "Object.assign(call, { surface, isWithin: true });",
    replace: "Object.assign(call, { surface });",
    tests: LOOP_MONEY,
  },
  {
    name: "calls within a response spend what a question has left each",
    file: "src/gateway/loop/part-terms.ts",
    find: "steering: lessen(steering, terms.spentNanoUsd),",
    replace: "steering,",
    tests: LOOP_MONEY,
  },
  {
    name: "tools are run for a request that wants to approve calls",
    file: "src/surfaces/openai-responses/gateway-tools/find.ts",
    find: 'if (tool.require_approval !== "never") throw',
    replace: 'if (tool.require_approval === "") throw',
    tests: LOOP_BOUNDS,
  },
  {
    name: "a model calls a tool that its key may call no more",
    file: "src/ledger/rights.ts",
    find: "return refuseTool(right, listToolLevels(own, account, toolRights));",
    replace: "return refuseTool(right, listToolLevels(own, account, toolRights)) && null;",
    tests: LOOP_RIGHTS,
  },
  {
    name: "a response shows tools to a key without the right",
    file: "src/http/tools/loop/shown-tools.ts",
    find: "const viewer = { key, headers: own, server, levels };",
    replace: "const viewer = { key, headers: own, server, levels: [] };",
    tests: LOOP_RIGHTS,
  },
  {
    name: "a repeated response runs its tools again",
    file: "src/gateway/loop/looped-answer.ts",
    find: "(this.#claims?.make(place) ?? null)",
    replace: "null",
    tests: LOOP_REPEATS,
  },
  {
    name: "a call is sent in the newer era to any server",
    file: "src/transport/tool-servers/call.ts",
    find: "const facts = known instanceof Promise ? await this.#scope.wait(known) : known;",
    replace:
      'const facts = { ...(known instanceof Promise ? await this.#scope.wait(known) : known), era: "newer" as const };',
    tests: CALLS,
  },
  {
    name: "a tool's call is sent again after a failure",
    file: "src/transport/tool-servers/call.ts",
    find: "const first = await this.#sendOnce();",
    replace: "const first = await this.#sendOnce().catch(() => this.#sendOnce());",
    tests: ["test/transport/tool-servers/days.test.ts"],
  },
  {
    name: "a tool's call is sent again after any refusal",
    file: "src/transport/tool-servers/call.ts",
    find: "    else return false;\n    return true;",
    replace: "    return signs.error !== null;",
    tests: CALLS,
  },
  {
    name: "a session at a tool server is shared by all keys",
    file: "src/transport/tool-servers/caller-sessions.ts",
    find: "server: server.name, owner,",
    replace: 'server: server.name, owner: "",',
    tests: SESSIONS,
  },
  {
    name: "a call uses the session of the lists",
    file: "src/transport/tool-servers/call.ts",
    find: "sessions.open(peer, facts, this.#call.owner)",
    replace: "source.known.open(peer, facts)",
    tests: SESSIONS,
  },
  {
    name: "two sessions are opened for one owner at once",
    file: "src/transport/tool-servers/caller-sessions.ts",
    find: "if (known !== undefined) return known;",
    replace: "",
    tests: SESSIONS,
  },
  {
    name: "a forgotten session isn't opened again",
    file: "src/tools/wire/server-facts.ts",
    find: "if (status === 404) return error?.code !== CODES.method;",
    replace: "if (status === 404) return false;",
    tests: SESSIONS,
  },
  {
    name: "a cancelled call runs on at a server of the older era",
    file: "src/transport/tool-servers/call.ts",
    find: "if (this.#scope.signal.aborted) this.#cancel(facts, session, id);",
    replace: "",
    tests: CALLS,
  },
  {
    name: "a redirect of a tool server is followed",
    file: "src/transport/tool-servers/exchange.ts",
    find: 'redirect: "manual",',
    replace: "",
    tests: CALLS,
  },
  {
    name: "a tool's header parameters are left out",
    file: "src/tools/wire/server-request.ts",
    find: "...(isArguments(given) ? writeParameters(parameters, given) : {}),",
    replace: "",
    tests: CALLS,
  },
  {
    name: "calls pass to a tool server that fails",
    file: "src/transport/tool-servers/tool-breakers.ts",
    find: "breaker.pass(nowMs, payer);",
    replace: '(breaker.pass(nowMs, payer) ?? "free");',
    tests: CALLS,
  },
  {
    name: "a tool server has more calls than it may",
    file: "src/tools/places.ts",
    find: "this.#taken >= this.#count || ",
    replace: "",
    tests: CALLS,
  },
  {
    name: "one account takes all places of a tool server",
    file: "src/tools/places.ts",
    find: " || this.#countHeld(accountId) >= this.#shareMax",
    replace: "",
    tests: ["test/tools/places.test.ts"],
  },
  {
    name: "the next place of a tool server goes to whoever asked first",
    file: "src/tools/places.ts",
    find: "least = held;",
    replace: "break;",
    tests: ["test/tools/places.test.ts"],
  },
  {
    name: "what one payer makes a tool fail at counts for all",
    file: "src/transport/tool-servers/server-state.ts",
    find: "const passed = this.#breakers.pass(tool, payer, nowMs);",
    replace: 'const passed = this.#breakers.pass(tool, payer.split("_")[0] ?? "", nowMs);',
    tests: ["test/transport/tool-servers/payers.test.ts"],
  },
  {
    name: "lists of one credential are shown to another",
    file: "src/transport/tool-servers/server-state.ts",
    find: "if (!this.#isPass || pass === null) return this.#shared;",
    replace: "return this.#shared;",
    tests: CREDENTIALS,
  },
  {
    name: "a gateway's own key is sent to a tool server",
    file: "src/transport/tool-servers/credentials.ts",
    find: "(pass === null || holdsPoundkeySecret(pass))",
    replace: "pass === null",
    tests: CREDENTIALS,
  },
  {
    name: "a tool server that fails is asked at every list",
    file: "src/tools/freshness.ts",
    find: "const isPaused = failedAtMs !== null && nowMs - failedAtMs < PAUSE_MS;",
    replace: "const isPaused = failedAtMs !== null && nowMs < 0;",
    tests: ["test/tools/times.test.ts"],
  },
  {
    name: "a bad tool takes the list along",
    file: "src/tools/mirror.ts",
    find: 'if (!isObject(inputSchema) || inputSchema.type !== "object") return "its schema is not that of an object";',
    replace: "if (!isObject(inputSchema)) throw new Error();",
    tests: MIRRORS,
  },
  {
    name: "a pattern that takes tools away is ignored",
    file: "src/core/fields/tool-list.ts",
    find: "if (matchesPattern(pattern.slice(1), name)) return false;",
    replace: "",
    tests: ["test/tools/patterns.test.ts"],
  },
  {
    name: "a list of tools is kept over a change of rights",
    file: "src/tools/merged-list.ts",
    find: "JSON.stringify(levels)",
    replace: '""',
    tests: ["test/tools/merged-list.test.ts"],
  },
  {
    name: "a tool server that is back is found a minute later",
    file: "src/transport/tool-servers/server-state.ts",
    find: "if (isBack) this.#breakers.hasten(this.#nowMs());",
    replace: "",
    tests: CALLS,
  },
];
