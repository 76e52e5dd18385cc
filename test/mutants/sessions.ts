// Mutants of sessions: the credential that they keep, the thinking sent back, and the answers that they continue.
import type { Mutant } from "./mutant.ts";

const SEALED = ["test/whole/answers/sealed-thinking.test.ts"];
const STORED = ["test/whole/answers/stored-upstream.test.ts"];

export const SESSIONS: readonly Mutant[] = [
  {
    name: "sessions: the client's name for one says nothing",
    file: "src/operations/chat/conversation.ts",
    find: "const given = session ??",
    replace: "const given =",
    tests: ["test/selectors/caches.test.ts"],
  },
  {
    name: "sessions: thinking that is refused in translation stays refused",
    file: "src/gateway/attempt/mending.ts",
    find: "route.codec.repair?.(ask, fault) ?? null",
    replace: "null",
    tests: SEALED,
  },
  {
    name: "sessions: any credential goes on from what another one stored",
    file: "src/gateway/plan/plan-request.ts",
    find: "pin?.credential ? [pin.credential] : ",
    replace: "",
    tests: STORED,
  },
  {
    name: "sessions: nothing is held for what lies at the provider",
    file: "src/surfaces/openai-responses/read.ts",
    find: "stored.tokens * BYTES_PER_TOKEN",
    replace: "0",
    tests: STORED,
  },
  {
    name: "sessions: a provider stores what the operator doesn't allow",
    file: "src/surfaces/openai-responses/read.ts",
    find: "limits.storesUpstream === true && store === true",
    replace: "store === true",
    tests: STORED,
  },
  {
    name: "sessions: keys that forbid it are kept",
    file: "src/gateway/answer/kept-answers.ts",
    find: "return keepsResponses && ",
    replace: "return ",
    tests: ["test/clients/responses-kept.test.ts"],
  },
  {
    name: "sessions: a result that comes twice is sent twice",
    file: "src/surfaces/gemini/contents.ts",
    find: "if (ids.isRepeated(name, id, content))",
    replace: "if (false)",
    tests: ["test/clients/google.test.ts"],
  },
  {
    name: "sessions: the signatures of calls are lost",
    file: "src/surfaces/signature.ts",
    find: 'if (data === "" || !call.id) return [];',
    replace: "return [];",
    tests: ["test/clients/anthropic.test.ts"],
  },
];
