// Traces and logs on their way to a collector, by the current configuration: what is sampled, and to whom it is sent.

import type { OtlpDestination } from "../core/log/telemetry-rules.ts";
import {
  type FinishedRequest,
  type RefusedRequest,
  type RequestPlace,
  readTraceparent,
  type TraceContext,
  type TraceSink,
} from "../core/log/trace-context.ts";
import type { Settings } from "../core/settings.ts";
import { mintOrderedId } from "../core/world/ordered-id.ts";
import type { Clock, Fetch, Log, LogEvent, Random, ReadText } from "../core/world/world.ts";
import { Exporter } from "./exporter.ts";
import { writeLogEntry } from "./log-entries.ts";
import { isWritten } from "./log-lines.ts";
import { OtlpWriter, SIGNALS, type Signal } from "./otlp-json.ts";
import { writeRefusedSpans, writeRequestSpans } from "./request-spans.ts";

type TelemetrySettings = Pick<Settings, "telemetry" | "log">;

interface TelemetryParts {
  readonly clock: Pick<Clock, "after" | "nowMs" | "monotonicMs">;
  readonly random: Random;
  readonly fetch: Fetch;
  readonly readText: ReadText;
  /** Writes a line that isn't exported. A line about a failed export would otherwise lead to the next one. */
  readonly log: Log;
  readonly version: string;
}

const INSTANCE_BYTES = 16;
const SPAN_BYTES = 8;
/** The digits of a trace's id that decide whether it is sampled, as many as a number holds exactly. */
const SAMPLED_DIGITS = 13;
const SAMPLED_BASE = 16 ** SAMPLED_DIGITS;
/** An export that is replaced, or a program that ends, waits this long for its last batches. */
const END_MS = 3000;

interface Exporters {
  readonly traces: Exporter | null;
  readonly logs: Exporter | null;
}

export class Telemetry implements TraceSink {
  readonly #parts: TelemetryParts;
  readonly #dropped = new Map<string, number>();
  readonly #instance: string;
  /** It writes the items of one request, or of one event, at a time. */
  readonly #writer = new OtlpWriter();
  #rules: TelemetrySettings;
  #exporters: Exporters;
  /** False if nothing is exported and no trace is carried on: then a request costs nothing but this look. */
  #isOn = false;

  constructor(parts: TelemetryParts, rules: TelemetrySettings) {
    this.#parts = parts;
    this.#instance = parts.random.bytes(INSTANCE_BYTES).toHex();
    this.#rules = rules;
    this.#exporters = this.#begin(rules);
  }

  /** Items given up so far, by signal. Empty if nothing was ever exported. */
  get dropped(): ReadonlyMap<string, number> {
    return this.#dropped;
  }

  /** Applies other settings. Items that wait still go to the earlier collector. */
  put(rules: TelemetrySettings): void {
    const isSame = JSON.stringify(rules.telemetry) === JSON.stringify(this.#rules.telemetry);
    this.#rules = rules;
    if (isSame) return;
    void this.end();
    this.#exporters = this.#begin(rules);
  }

  /** Sends the items that wait, for at most 3 s. */
  async end(): Promise<void> {
    const { traces, logs } = this.#exporters;
    await Promise.all([traces?.end(END_MS), logs?.end(END_MS)]);
  }

  begin(traceparent: string | null, place: RequestPlace): TraceContext | null {
    if (traceparent === null && !this.#isOn) return null;
    const parent = readTraceparent(traceparent);
    if (!this.#isOn) {
      return parent && { ...parent, parent, isPropagated: false, recording: null };
    }
    const { sample, content, propagate, trustParent } = this.#rules.telemetry;
    const { clock, random } = this.#parts;
    const nowMs = clock.nowMs();
    const followed = trustParent ? parent : null;
    // Ordered, because the store finds rows by it. The digits that decide about sampling are random.
    const traceId = followed?.traceId ?? mintOrderedId(random, nowMs);
    const isExported = this.#exporters.traces !== null;
    const isSampled = followed?.isSampled ?? (isExported && isWithin(traceId, sample));
    return {
      traceId,
      spanId: random.bytes(SPAN_BYTES).toHex(),
      parent,
      isSampled,
      isPropagated: propagate,
      recording:
        isExported && isSampled
          ? {
              route: place.route,
              path: place.path,
              takesContent: content,
              plannedMs: null,
              admittingMs: null,
              atMs: nowMs,
              startedMs: clock.monotonicMs(),
            }
          : null,
    };
  }

  refuse(request: RefusedRequest): void {
    const count = writeRefusedSpans(this.#writer.clear(), request);
    if (count > 0) this.#exporters.traces?.add(this.#writer.view(), count);
  }

  finish(request: FinishedRequest): void {
    const count = writeRequestSpans(this.#writer.clear(), request);
    if (count > 0) this.#exporters.traces?.add(this.#writer.view(), count);
  }

  /** Exports a log event, if its line is written as well. */
  readonly log = (event: LogEvent): void => {
    const { logs } = this.#exporters;
    if (logs === null) return;
    if (!isWritten(event, this.#rules.log.level ?? "info")) return;
    writeLogEntry(this.#writer.clear(), event, this.#parts.clock.nowMs());
    logs.add(this.#writer.view(), 1);
  };

  #begin({ telemetry }: TelemetrySettings): Exporters {
    const { traces, logs, propagate, isProtobufAsked } = telemetry;
    this.#isOn = traces !== null || logs !== null || propagate;
    if (traces === null && logs === null) return { traces: null, logs: null };
    const { log, version } = this.#parts;
    for (const signal of SIGNALS) this.#dropped.set(signal, this.#dropped.get(signal) ?? 0);
    if (isProtobufAsked) {
      const words =
        "OTLP is sent as JSON (http/json), which collectors take at the same address as protobuf.";
      log({ event: "telemetry_as_json", level: "warn", note: words });
    }
    const written = new OtlpWriter()
      .text("service.version", version)
      .text("service.instance.id", this.#instance);
    for (const [key, value] of Object.entries(telemetry.resource)) written.named(key, value);
    const resource = written.take();
    const make = (signal: Signal, destination: OtlpDestination | null) =>
      destination &&
      new Exporter({
        ...this.#parts,
        signal,
        destination,
        resource,
        timeoutMs: telemetry.timeoutMs,
        onDropped: this.#countDropped,
      });
    return { traces: make("traces", traces), logs: make("logs", logs) };
  }

  readonly #countDropped = (signal: Signal, count: number): void => {
    this.#dropped.set(signal, (this.#dropped.get(signal) ?? 0) + count);
  };
}

/** By the trace's id, so that all programs with the same share keep the same traces. */
function isWithin(traceId: string, share: number): boolean {
  if (share >= 1) return true;
  return Number.parseInt(traceId.slice(-SAMPLED_DIGITS), 16) / SAMPLED_BASE < share;
}
