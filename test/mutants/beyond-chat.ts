// Mutants of embeddings, rerank and moderation, and of the gateway's authentication to clouds.
import type { Mutant } from "./mutant.ts";

const EMBEDDED = ["test/operations/embeddings.test.ts"];
const SENT = ["test/providers/vectors.test.ts"];
const PROVEN = ["test/transport/auth/aws-keys.test.ts"];
const RANKED = ["test/operations/rerank.test.ts", "test/providers/rankings.test.ts"];

export const BEYOND_CHAT: readonly Mutant[] = [
  {
    name: "beyond chat: further calls take no places",
    file: "src/gateway/attempt/calls.ts",
    find: "places = Math.max(places, countCalls(",
    replace: "places = Math.min(places, countCalls(",
    tests: EMBEDDED,
  },
  {
    name: "beyond chat: one call that fails is passed over",
    file: "src/gateway/attempt/calls.ts",
    find: "results[at] = await run(task);",
    replace: "await run(task).then((one) => { results[at] = one; }, () => {});",
    tests: EMBEDDED,
  },
  {
    name: "beyond chat: a vector of another length is given",
    file: "src/operations/embeddings/vector.ts",
    find: "countFloats(vector) !== dimensions",
    replace: "countFloats(vector) < 0",
    tests: SENT,
  },
  {
    name: "beyond chat: floats are packed in doubles",
    file: "src/operations/embeddings/vector.ts",
    find: "Buffer.from(Float32Array.from(vector).buffer)",
    replace: "Buffer.from(Float64Array.from(vector).buffer)",
    tests: EMBEDDED,
  },
  {
    name: "beyond chat: vectors stay in the order in which they come",
    file: "src/dialects/_whole/embeddings.ts",
    find: "vectors.set(index ?? place, embedding);",
    replace: "vectors.set(index === place ? index : place, embedding);",
    tests: SENT,
  },
  {
    name: "beyond chat: own servers are asked for base64",
    file: "src/providers/shared.ts",
    find: "{ ...OPENAI_EMBEDDINGS, givesBase64: false }",
    replace: "{ ...OPENAI_EMBEDDINGS }",
    tests: SENT,
  },
  {
    name: "beyond chat: token ids go to any model",
    file: "src/dialects/_whole/embeddings.ts",
    find: "if (!quirks.takesTokenIds) requireTexts(inputs);",
    replace: "if (quirks.takesTokenIds === null) requireTexts(inputs);",
    tests: SENT,
  },
  {
    name: "beyond chat: fields that a provider doesn't document pass",
    file: "src/dialects/_chat/outgoing.ts",
    find: "documented.includes(name) || isAllowed(name, operator)",
    replace: "documented.includes(name) || !isRouting(name)",
    tests: ["test/providers/extra-fields.test.ts"],
  },
  {
    name: "beyond chat: a text that is too long for llama.cpp is tried again",
    file: "src/providers/compatible.ts",
    find: 'begins: "input (* tokens) is too large to process"',
    replace: 'begins: "input (* words) is too large to process"',
    tests: SENT,
  },
  {
    name: "beyond chat: short vectors of Google's keep their length",
    file: "src/dialects/gemini/embeddings.ts",
    find: "return isShort ? { ...reply, vectors: reply.vectors.map(normalize) } : reply;",
    replace: "return isShort ? { ...reply } : reply;",
    tests: SENT,
  },
  {
    name: "beyond chat: a stream is asked of a provider",
    file: "src/surfaces/openai-surface.ts",
    find: "if (asObject(body).stream === true) failStream();",
    replace: "if (asObject(body).stream === 1) failStream();",
    tests: EMBEDDED,
  },
  {
    name: "beyond chat: the worst document comes first",
    file: "src/dialects/_whole/rerank.ts",
    find: "other.score - one.score",
    replace: "one.score - other.score",
    tests: RANKED,
  },
  {
    name: "beyond chat: a document is ranked twice",
    file: "src/dialects/_whole/rerank.ts",
    find: "|| seen.has(index)",
    replace: "|| seen.has(-1)",
    tests: RANKED,
  },
  {
    name: "beyond chat: search units are free where only tokens are reported",
    file: "src/dialects/_whole/rerank.ts",
    find: "(price?.perSearchUnit ?? 0) > 0",
    replace: "(price?.perSearchUnit ?? 0) > 1e9",
    tests: RANKED,
  },
  {
    name: "beyond chat: pictures go to models of texts",
    file: "src/operations/moderation/operation.ts",
    find: '({ type }) => type === "image_url"',
    replace: '({ type }) => type === "text"',
    tests: ["test/operations/moderation.test.ts"],
  },
  {
    name: "beyond chat: requests of a batch may differ",
    file: "src/surfaces/gemini/embeddings.ts",
    find: "request[name] !== first[name]",
    replace: "request[name] === null",
    tests: ["test/operations/gemini-embeddings.test.ts"],
  },
  {
    name: "beyond chat: a query goes with one document alone",
    file: "src/dialects/openai/rerank.ts",
    find: "documents.map(() => query)",
    replace: "[query]",
    tests: RANKED,
  },
  {
    name: "beyond chat: documents leave their location to be ranked",
    file: "src/dialects/gemini/vertex.ts",
    find: "locations\\/global)$/",
    replace: "locations\\/[^/]+)$/",
    tests: RANKED,
  },
  {
    name: "proofs: a message may quote the keys of a role",
    file: "src/transport/auth/authorize.ts",
    find: "secrets: listProofSecrets(proof) }",
    replace: "secrets: [] }",
    tests: PROVEN,
  },
  {
    name: "proofs: each call fetches the keys of its role",
    file: "src/transport/auth/tokens.ts",
    find: "slot.fetching ??= ",
    replace: "slot.fetching = ",
    tests: PROVEN,
  },
  {
    name: "proofs: any address is asked for keys",
    file: "src/config/providers/aws-container.ts",
    find: '(protocol === "http:" && PLAIN_HOST.test(hostname))',
    replace: 'protocol === "http:"',
    tests: ["test/config/bedrock.test.ts"],
  },
];
