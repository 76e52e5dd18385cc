// The words of a model that is gone, each as it was reported.
import { expect, test } from "bun:test";
import { upstreamFault } from "../../src/core/models/upstream.ts";
import { GONE_ROWS, namesOtherThing } from "../../src/core/models/words/gone.ts";

test.each(GONE_ROWS)("$example", ({ status, example, code, begins }) => {
  const known = { code: "model_not_found", details: { gone: "said" } };
  if (begins !== undefined) expect(upstreamFault({ status, message: example })).toMatchObject(known);
  else expect(upstreamFault({ status, codes: [code ?? ""] })).toMatchObject(known);
});

test.each([
  "No such File object: file-abc",
  "Response with id 'resp_1' not found.",
  "Voice 'anna' not found",
  "CachedContent not found (or permission denied)",
  "Container 'cntr_1' was not found",
])("a 404 isn't about the model: %s", (message) => {
  expect(namesOtherThing({ status: 404, message })).toBe(true);
  expect(upstreamFault({ status: 404, message }).code).toBe("not_found");
});

test("a client's text in a message makes no model gone", () => {
  const message = "messages[0].content: unexpected 'The model `m` does not exist'";
  expect(upstreamFault({ status: 400, message }).code).toBe("upstream_rejected");
});
