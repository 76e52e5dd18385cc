// Stored replies: sealed so that only the same request with the same gateway key opens them, and equality of requests.

import { describe, expect, test } from "bun:test";
import {
  digestIdempotency,
  type KeptReply,
  openReply,
  sealReply,
} from "../../src/gateway/settle/idempotency.ts";
import { derivePepper, deriveReplyKey } from "../../src/keys/master.ts";
import { createVault } from "../../src/keys/vault.ts";
import type { ChatReply, ChatRequest } from "../../src/operations/chat/form.ts";
import { CHAT } from "../../src/operations/chat/operation.ts";
import { countingRandom } from "../harness/samples.ts";
import { readCode } from "../harness/thrown.ts";

const masterKey = new Uint8Array(32).fill(7);
const vault = createVault(deriveReplyKey(masterKey), countingRandom());
const text = "Grüße, 世界 🌍 \0 \uFEFF";

const MEBIBYTE = 1024 * 1024;

describe("the vault", () => {
  test("opens what it sealed, whatever the text", () => {
    for (const one of ["", text, "x".repeat(1_000_000)])
      expect(vault.open(vault.seal(one, "a"), "a")).toBe(one);
  });

  test("never seals a text in the same way twice, and reveals nothing of it", () => {
    const sealed = Array.from({ length: 50 }, () => vault.seal("secret secret secret", "a"));
    expect(new Set(sealed).size).toBe(50);
    for (const one of sealed) {
      expect(one).toMatch(/^[A-Za-z0-9+/]+=*$/);
      expect(Buffer.from(one, "base64").includes("secret")).toBe(false);
    }
  });

  test("can't open a text for another purpose or with another key", () => {
    const sealed = vault.seal(text, "a");
    expect(() => vault.open(sealed, "b")).toThrow();
    for (const key of [derivePepper(masterKey), deriveReplyKey(new Uint8Array(32)), masterKey]) {
      expect(() => createVault(key, countingRandom()).open(sealed, "a")).toThrow();
    }
  });

  test("can't open a text that was changed or cut anywhere", () => {
    const bytes = Buffer.from(vault.seal("short", "a"), "base64");
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes);
      changed[at] = (bytes[at] ?? 0) ^ 1;
      expect(() => vault.open(changed.toString("base64"), "a")).toThrow();
      expect(() => vault.open(bytes.subarray(0, at).toString("base64"), "a")).toThrow();
    }
  });
});

describe("stored replies", () => {
  const replyOf = (content: string): ChatReply => ({
    id: "upstream",
    object: "chat.completion",
    created: 1,
    model: "Sim#echo",
    choices: [
      {
        index: 0,
        message: { role: "assistant", content, refusal: null },
        logprobs: null,
        finish_reason: "stop",
      },
    ],
    usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3, cost: 0.5 },
  });
  const keptOf = (content: string): KeptReply<ChatReply> => ({
    id: "chatcmpl-1",
    created: 1_790_000_000,
    model: "Sim#echo",
    reply: replyOf(content),
  });

  test("are restored completely, only for the same request", () => {
    const sealed = sealReply(vault, "reply", keptOf(text), MEBIBYTE) ?? "";
    expect(openReply(vault, "reply", sealed, CHAT)).toEqual(keptOf(text));
    expect(() => openReply(vault, "another", sealed, CHAT)).toThrow();
    expect(() => openReply(vault, "reply", vault.seal('{"id":"chatcmpl-1"}', "reply"), CHAT)).toThrow();
  });

  test("are stored up to a bound", () => {
    const room = MEBIBYTE - Buffer.byteLength(JSON.stringify(keptOf("")));
    for (const letter of ["x", "ü", "世"]) {
      const most = Math.floor(room / Buffer.byteLength(letter));
      expect(sealReply(vault, "reply", keptOf(letter.repeat(most)), MEBIBYTE)).not.toBeNull();
      expect(sealReply(vault, "reply", keptOf(letter.repeat(most + 1)), MEBIBYTE)).toBeNull();
    }
  });
});

describe("an Idempotency-Key", () => {
  const request: ChatRequest = { model: "Sim#echo", messages: [{ role: "user", content: "Hello" }] };
  const idOf = (header: string | null, fields: Partial<ChatRequest> = {}, keyId = "key_a") =>
    digestIdempotency(vault, keyId, header, CHAT, { ask: { ...request, ...fields }, raw: null });

  test("is optional", () => {
    expect(idOf(null)).toBeNull();
  });

  test("belongs to its gateway key, and doesn't depend on streaming", () => {
    const one = idOf("one");
    expect(one?.replyId).toMatch(/^[0-9a-f]{64}$/);
    expect(idOf("one", { stream: true, stream_options: { include_usage: true } })).toEqual(one);
    expect(idOf("two")?.replyId).not.toBe(one?.replyId);
    expect(idOf("one", {}, "key_b")?.replyId).not.toBe(one?.replyId);
    const other = idOf("one", { messages: [{ role: "user", content: "Hello!" }] });
    expect([other?.replyId === one?.replyId, other?.bodyDigest === one?.bodyDigest]).toEqual([true, false]);
    expect(idOf("one", { temperature: 1 })?.bodyDigest).not.toBe(one?.bodyDigest);
  });

  test("is 1 to 255 visible ASCII characters", () => {
    expect(idOf("x".repeat(255))).not.toBeNull();
    for (const bad of ["", "a b", "x".repeat(256), "ü", "a\tb"]) {
      let thrown: unknown;
      try {
        idOf(bad);
      } catch (error) {
        thrown = error;
      }
      expect([bad, readCode(thrown)]).toEqual([bad, "invalid_value"]);
    }
  });
});
