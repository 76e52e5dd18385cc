// Embeddings over HTTP: forms, bounds, splitting, money and places.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { asArray, asObject } from "../../src/core/json/json.ts";
import { formatLine, type Seen } from "../whole/world/observe.ts";
import { computeCost, type OperationsWorld, startOperationsWorld } from "./world.ts";

const MODEL = "Priced#embed";
const PATH = "/v1/embeddings";

let world: OperationsWorld;
beforeAll(async () => {
  world = await startOperationsWorld();
});
afterAll(() => world.stop());
beforeEach(() => world.simulator.reset());

function embed(body: Record<string, unknown>, init?: Parameters<OperationsWorld["post"]>[2]): Promise<Seen> {
  return world.post(PATH, { model: MODEL, ...body }, init);
}

function readVectors({ body }: Seen): readonly (readonly number[])[] {
  return asArray(body.data).map((one) => {
    const { embedding } = asObject(one);
    if (typeof embedding !== "string") return asArray(embedding).map(Number);
    const bytes = Buffer.from(embedding, "base64");
    return Array.from({ length: bytes.length / 4 }, (_, at) => bytes.readFloatLE(at * 4));
  });
}

function expectNear(one: readonly number[] = [], other: readonly number[] = []): void {
  expect(one.length).toBe(other.length);
  const furthest = one.reduce((most, value, at) => Math.max(most, Math.abs(value - (other[at] ?? 0))), 0);
  expect(furthest).toBeLessThan(1e-4);
}

const texts = (count: number) => Array.from({ length: count }, (_, at) => `text ${at}`);

describe("the answer", () => {
  test("has a vector per text in order, the model's id, the usage and the cost", async () => {
    const answer = await embed({ input: ["a red fox", "another text"] });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ object: "list", model: MODEL });
    expect(asArray(answer.body.data).map((one) => asObject(one).index)).toEqual([0, 1]);
    expect(answer.body.usage).toEqual({
      prompt_tokens: 6,
      total_tokens: 6,
      cost: computeCost(6),
      charged: 0,
    });
    expect(answer.headers.get("x-poundkey-model")).toBe(MODEL);
    expect(readVectors(answer)[0]).toHaveLength(256);
  });

  test("is equal as numbers and as base64, whatever the provider returns", async () => {
    for (const model of [
      "Priced#embed",
      "OpenAI#text-embedding-3-small",
      "Cohere#embed-v4.0",
      "Voyage#voyage-4",
    ]) {
      const [floats] = readVectors(await embed({ model, input: "the same" }));
      const packed = await embed({ model, input: "the same", encoding_format: "base64" });
      expect(typeof asObject(asArray(packed.body.data)[0]).embedding).toBe("string");
      expectNear(readVectors(packed)[0], floats);
      const given = await embed({ model, input: "the same", encoding_format: null });
      expectNear(readVectors(given)[0], floats);
    }
  });

  test("has vectors of the requested length", async () => {
    for (const model of [
      "Priced#embed",
      "Mistral#codestral-embed",
      "Google#gemini-embedding-001",
      "Cohere#embed-v4.0",
    ]) {
      const [vector = []] = readVectors(await embed({ model, input: "short", dimensions: 512 }));
      expect([model, vector.length]).toEqual([model, 512]);
    }
  });

  test("accepts the field names of Mistral's and Voyage's clients", async () => {
    const input = { input: "short", output_dimension: 512, truncation: true, output_dtype: "float" };
    for (const model of ["Voyage#voyage-4", "Cohere#embed-v4.0", "Priced#embed"]) {
      const answer = await embed({ model, ...input });
      expect([model, readVectors(answer)[0]?.length]).toEqual([model, 512]);
    }
    expect(world.bodies()[0]).toMatchObject({ output_dimension: 512, truncation: true });
    expect(world.bodies()[1]).toMatchObject({ output_dimension: 512, truncate: "END" });
    expect(world.bodies()[2]).toEqual({
      model: "embed",
      input: "short",
      encoding_format: "float",
      dimensions: 512,
    });
  });

  test("accepts token ids, for one text or several, and passes them on unchanged", async () => {
    expect(readVectors(await embed({ input: [1, 2, 3] }))).toHaveLength(1);
    expect(world.bodies().at(-1)?.input).toEqual([1, 2, 3]);
    const several = await embed({ input: [[1, 2], [3]] });
    expect(readVectors(several)).toHaveLength(2);
    expect(asObject(several.body.usage).prompt_tokens).toBe(3);
    const refused = await embed({ model: "Cohere#embed-v4.0", input: [1, 2] });
    expect(formatLine(refused)).toBe("400 invalid_request_error unsupported_capability");
    expect(refused.error?.param).toBe("input");
  });
});

describe("splitting", () => {
  test("inputs beyond a call's limit are sent in several calls, and returned in order", async () => {
    const input = texts(200);
    const answer = await embed({ model: "Batches#embed-v4.0", input });
    expect(
      world
        .bodies()
        .map(({ texts }) => asArray(texts).length)
        .toSorted(),
    ).toEqual([8, 96, 96]);
    const vectors = readVectors(answer);
    expect(vectors).toHaveLength(200);
    expect(asArray(answer.body.data).map((one) => asObject(one).index)).toEqual(input.map((_, at) => at));
    const [last] = readVectors(await embed({ model: "Batches#embed-v4.0", input: "text 199" }));
    expectNear(vectors[199], last);
    const tokens = input.reduce((sum, text) => sum + Math.ceil(text.length / 4), 0);
    expect(answer.body.usage).toMatchObject({ prompt_tokens: tokens, cost: computeCost(tokens) });
  });

  test("long texts take more calls if a call's tokens are limited", async () => {
    const input = Array.from({ length: 6 }, () => "word ".repeat(4000));
    expect((await embed({ model: "Mistral#mistral-embed", input })).status).toBe(200);
    expect(world.simulator.calls.total).toBe(3);
  });

  test("a single failed call fails the whole request", async () => {
    const payer = await world.payer(1);
    const model = "Mistral#mistral-embed~flaky=1~trouble=400";
    const answer = await embed({ model, input: texts(600) }, { secret: payer.secret });
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.body.data).toBeUndefined();
    expect(await world.balanceNano(payer)).toBe(1_000_000_000);
  });
});

describe("money and places", () => {
  test("a balance is charged exactly what the provider reports", async () => {
    const payer = await world.payer(1);
    const answer = await embed(
      { model: "Priced#embed~tokens=1000", input: "x".repeat(4000) },
      { secret: payer.secret },
    );
    expect(answer.body.usage).toMatchObject({ prompt_tokens: 1000, cost: 0.0001, charged: 0.0001 });
    expect(await world.balanceNano(payer)).toBe(1_000_000_000 - 100_000);
  });

  test("without a report an estimate is charged, and the log says so", async () => {
    const payer = await world.payer(1);
    const body = { model: "Priced#embed~trouble=no-usage", input: "x".repeat(400) };
    const answer = await embed(body, { secret: payer.secret });
    expect(answer.body.usage).toMatchObject({ prompt_tokens: 100, charged: computeCost(100) });
    const row = await world.row(answer);
    expect(row).toMatchObject({
      operation: "embeddings",
      surface: "openai-embeddings",
      usage_source: "estimate",
    });
  });

  test("an implausible report is capped and logged", async () => {
    const payer = await world.payer(1);
    const answer = await embed({ model: "Priced#embed~tokens=90000", input: "x" }, { secret: payer.secret });
    // The context of 8,192 tokens, plus five percent.
    expect(answer.body.usage).toMatchObject({ prompt_tokens: 8602, charged: computeCost(8602) });
    const row = await world.row(answer);
    expect(JSON.stringify(row)).toContain("implausible");
  });

  test("a balance below the worst case is refused before any call", async () => {
    const strict = await startOperationsWorld("billing: { charge: always }");
    const payer = await strict.payer(0.00001);
    const body = { model: MODEL, input: texts(2000) };
    const refused = await strict.post(PATH, body, { secret: payer.secret });
    expect(formatLine(refused)).toBe("402 insufficient_quota insufficient_balance");
    expect(strict.simulator.calls.total).toBe(0);
    expect((await strict.post(PATH, { model: MODEL, input: "x" }, { secret: payer.secret })).status).toBe(
      200,
    );
    await strict.stop();
  });

  test("a request takes one place, plus one per further call", async () => {
    const { secret } = await world.newKey({ requests_per_day: 10 });
    await embed({ input: texts(50) }, { secret });
    expect(await world.used(secret)).toBe(1);
    await embed({ model: "Batches#embed-v4.0", input: texts(200) }, { secret });
    expect(await world.used(secret)).toBe(4);
  });

  test("a place is given back if the provider failed or refused", async () => {
    const { secret } = await world.newKey({ requests_per_day: 10 });
    for (const trouble of ["500", "400", "cut"]) {
      const answer = await embed({ model: `Priced#embed~trouble=${trouble}`, input: "x" }, { secret });
      expect(answer.status).toBeGreaterThanOrEqual(400);
    }
    expect(await world.used(secret)).toBe(0);
  });

  test("a repeated Idempotency-Key gets the same vectors, made and paid once", async () => {
    const payer = await world.payer(1);
    const init = { secret: payer.secret, headers: { "idempotency-key": "vectors-1" } };
    const first = await embed({ input: "once" }, init);
    const second = await embed({ input: "once" }, init);
    expect(second.headers.get("x-poundkey-replayed")).not.toBeNull();
    expect(second.body.data).toEqual(first.body.data);
    expect(world.simulator.calls.total).toBe(1);
    expect(await world.balanceNano(payer)).toBe(1_000_000_000 - 100);
    expect(formatLine(await embed({ input: "twice" }, init))).toContain("409");
  });
});

describe("refused", () => {
  const ROWS: readonly (readonly [string, Record<string, unknown>, string, string | null])[] = [
    ["a stream", { input: "x", stream: true }, "unsupported_parameter", "stream"],
    ["no input", {}, "missing_required_parameter", "input"],
    ["an empty text", { input: "" }, "empty_string", "input"],
    ["an empty list", { input: [] }, "empty_array", "input"],
    ["an empty text among others", { input: ["a", ""] }, "empty_string", "input[1]"],
    ["too many texts", { input: texts(2049) }, "array_above_max_length", "input"],
    ["too many tokens", { input: "x".repeat(1_300_000) }, "invalid_value", "input"],
    ["an unknown form", { input: "x", encoding_format: "int8" }, "invalid_value", "encoding_format"],
    ["a fraction of a dimension", { input: "x", dimensions: 1.5 }, "invalid_type", "dimensions"],
    ["no dimensions", { input: "x", dimensions: 0 }, "integer_below_min_value", "dimensions"],
    ["vectors of bytes", { input: "x", output_dtype: "int8" }, "invalid_value", "output_dtype"],
    ["an unknown kind", { input: "x", input_type: "poem" }, "invalid_value", "input_type"],
    ["a chat model", { input: "x", model: "Priced#talk" }, "unsupported_capability", "model"],
    ["a selector", { input: "x", model: "Router#best" }, "unsupported_capability", "model"],
  ];
  for (const [name, body, code, param] of ROWS) {
    test(`${name}, before any call`, async () => {
      const refused = await embed(body);
      expect([refused.status, refused.error?.code, refused.error?.param]).toEqual([400, code, param]);
      expect(world.simulator.calls.total).toBe(0);
    });
  }

  test("dimensions that the provider doesn't support, in its own words", async () => {
    const refused = await embed({ input: "x", dimensions: 5000 });
    expect([refused.status, refused.error?.param]).toEqual([400, "dimensions"]);
    const other = await embed({ input: "x", output_dimension: 5000 });
    expect([other.status, other.error?.param]).toEqual([400, "output_dimension"]);
  });

  test("a field that the provider doesn't have is named as the client wrote it", async () => {
    const dropped = async (fields: Record<string, unknown>) =>
      (await embed({ input: "x", ...fields })).headers.get("x-poundkey-dropped");
    expect([await dropped({ truncate: "none" }), await dropped({ truncation: false })]).toEqual([
      "truncate",
      "truncation",
    ]);
  });
});
