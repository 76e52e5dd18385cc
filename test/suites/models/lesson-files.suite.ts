// Lessons written to a file and read again, on every store.
import { afterEach, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { actAs } from "../../../src/admin/audit/audit-trail.ts";
import { random } from "../../../src/app/world.ts";
import { exportLessons, importLessons, type LessonCall } from "../../../src/cli/models/lessons.ts";
import type { Store } from "../../../src/core/store.ts";
import { packRow } from "../../../src/selectors/row.ts";
import { readFeatures } from "../../../src/selectors/text/features.ts";
import { predict } from "../../../src/selectors/text/predictor.ts";
import { TESTER } from "../../harness/acting.ts";
import { makeAccount, NOON, standingClock } from "../../harness/samples.ts";
import { readSettings } from "../../harness/settings.ts";
import { unrecorded } from "../../harness/unrecorded.ts";
import { makeLessonRow } from "../../learning/lesson-samples.ts";
import { makeSuite, type TwoStores } from "../two-stores.ts";

export const lessonFilesSuite = makeSuite({
  "lessons in a file": inFile,
});

const { row } = predict(readFeatures({ model: "", messages: [{ role: "user", content: "Hi" }] }));
const request = JSON.stringify({ row: packRow(row) });
const file = join(tmpdir(), `poundkey-lessons-${crypto.randomUUID()}.jsonl`);

function inFile(opened: () => TwoStores): void {
  afterEach(() => rmSync(file, { force: true }));
  /** Returns the JSON that the command prints. */
  const ran = async (
    store: Store,
    action: (call: LessonCall, file: string) => Promise<void>,
  ): Promise<unknown> => {
    const printed: string[] = [];
    const world = { store, clock: standingClock(NOON), random, pepper: new Uint8Array(32) };
    const io = { out: (text: string) => void printed.push(text), err: () => {} };
    await action(
      { settings: readSettings(null), io, json: true, open: async () => actAs(world, TESTER) },
      file,
    );
    return JSON.parse(printed.join(""));
  };

  test("are exported and imported with every field, and gateways are notified", async () => {
    const { store, other } = opened();
    await unrecorded(store).addAccount(makeAccount("acct"));
    await store.teach(makeLessonRow("1", { request, score: 1 / 3 }));
    await store.teach(makeLessonRow("1", { request, accountId: "acct", weight: 0.1, source: "signal" }));
    await store.teach(makeLessonRow("2", { request, source: "label", atMs: NOON + 1 }));
    const before = await store.lessons(0, 10);
    expect(await ran(store, exportLessons)).toEqual({ exported: 3 });
    await unrecorded(store).forgetLessons();
    expect(await ran(other, importLessons)).toEqual({ imported: 3, known: 0 });
    expect(await store.lessons(0, 10)).toEqual(before);
    const told = await store.setting("lessons_forgotten");
    expect(told).not.toBeNull();
    expect(await ran(store, importLessons)).toEqual({ imported: 0, known: 3 });
    expect(await store.setting("lessons_forgotten")).toBe(told);
  });

  test("of an unknown account become the default account's", async () => {
    const { store } = opened();
    const lesson = makeLessonRow("1", { request, accountId: "gone" });
    const { accountId, keyId, atMs, request: _request, marks, ...rest } = lesson;
    const at = new Date(atMs).toISOString();
    const line = {
      ...rest,
      ...marks[0],
      account_id: accountId,
      key_id: keyId,
      at,
      request: JSON.parse(request),
    };
    await Bun.write(file, JSON.stringify(line));
    expect(await ran(store, importLessons)).toEqual({ imported: 1, known: 0 });
    expect(await store.lessons(0, 10)).toEqual([{ ...lesson, accountId: "default" }]);
  });

  test("of the same time are never lost, however many", async () => {
    const { store } = opened();
    await Promise.all(
      Array.from({ length: 450 }, (_, at) => store.teach(makeLessonRow(`${at}`, { request }))),
    );
    expect(await ran(store, exportLessons)).toEqual({ exported: 450 });
  });
}
