// Batches keep their items while others are gathered, though both use the same memory again and again.
import { expect, test } from "bun:test";
import { ExportBatches } from "../../src/telemetry/batches.ts";
import { createEnvelope, OtlpWriter } from "../../src/telemetry/otlp-json.ts";

const RESOURCE = new OtlpWriter().text("service.name", "test").take();

function writeSpan(name: string): Uint8Array {
  const place = { traceId: "1".repeat(32), spanId: "2".repeat(16), parentSpanId: null };
  const writer = new OtlpWriter();
  writer.openSpan({ ...place, kind: "server", name, startMs: 1_795_000_000_000, endMs: 1_795_000_000_001 });
  writer.closeSpan({ isError: false, link: null });
  return writer.take();
}

/** Returns the names of the spans of a body. */
function readNames(body: Uint8Array | undefined): readonly string[] {
  const { resourceSpans } = JSON.parse(new TextDecoder().decode(body));
  return resourceSpans[0].scopeSpans[0].spans.map(({ name }: { readonly name: string }) => name);
}

const named = (what: string, count: number) => Array.from({ length: count }, (_, at) => `${what} ${at}`);

test("a batch that was taken stays as it is until the next one is taken", () => {
  const batches = new ExportBatches(createEnvelope("traces", RESOURCE, "1.0.0"));
  const add = (names: readonly string[]) => {
    for (const name of names) expect(batches.add(writeSpan(name), 1)).toBe(true);
  };
  for (const round of ["first", "second", "third"]) {
    const taken = named(round, 300);
    const waiting = named("waiting", 512);
    const open = named("open", 40);
    add(taken);
    const batch = batches.take();
    add([...waiting, ...open]);
    expect(readNames(batch?.body)).toEqual(taken);
    expect(readNames(batches.take()?.body)).toEqual(waiting);
    const last = batches.take();
    expect([readNames(last?.body), last?.count, batches.count]).toEqual([open, 40, 0]);
  }
});
