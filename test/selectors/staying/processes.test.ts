// A conversation keeps its model on whichever process its turns arrive, and never loses it between a call and its result.
import { describe, expect, test } from "bun:test";
import { runConversations } from "./processes.ts";

const CONVERSATIONS = 200;
const MOVED_SHARE_MAX = 0.02;

describe.each(["best", "fair"] as const)("Router#%s over 200 conversations", (selector) => {
  test.each([1, 4])("on %p processes without shared memory changes hardly any model", (processes) => {
    const { turns, moved, movedInLoops, unsaid, reasons } = runConversations(
      selector,
      CONVERSATIONS,
      processes,
    );
    expect(turns).toBe(CONVERSATIONS * 5);
    expect(moved).toBeLessThanOrEqual(MOVED_SHARE_MAX * turns);
    expect([movedInLoops, unsaid]).toEqual([0, 0]);
    const expected = processes === 1 ? ["cache", "tool_loop"] : ["cache", "opening", "tool_loop"];
    expect(Object.keys(reasons)).toEqual(expect.arrayContaining(expected));
  });
});
