// Counts the clicks and keys of a task in the console: pasting is one key, a chord such as Ctrl+K one, and choosing from a list
// two clicks.
import { expect, test } from "bun:test";
import type { Locator } from "playwright-core";
import type { Visitor } from "../visitor.ts";

interface Counted {
  readonly clicks: number;
  readonly keys: number;
}

/** No page has more controls than these. */
const TABS_MAX = 300;

/** Counts what a hand does. */
class Hand {
  clicks = 0;
  keys = 0;

  readonly visitor: Visitor;

  constructor(visitor: Visitor) {
    this.visitor = visitor;
  }

  async click(target: Locator): Promise<void> {
    this.clicks++;
    await target.click();
  }

  /** Reaches it by Tab and presses it by Enter, which is what a click is without a mouse. */
  async enter(target: Locator): Promise<void> {
    this.clicks++;
    const { keyboard } = this.visitor.page;
    await target.waitFor();
    for (let tabs = 0; tabs < TABS_MAX; tabs++) {
      if (await target.evaluate((one) => one === document.activeElement)) return keyboard.press("Enter");
      await keyboard.press("Tab");
    }
    throw new Error(`Nothing leads to ${target} by keyboard.`);
  }

  async choose(target: Locator, label: string): Promise<void> {
    this.clicks += 2;
    await target.selectOption({ label });
  }

  async press(key: string): Promise<void> {
    this.keys++;
    await this.visitor.page.keyboard.press(key);
  }

  /** Types into the field that has the focus, once one has it. */
  async type(text: string): Promise<void> {
    await this.visitor.page.locator("input:focus, textarea:focus").waitFor();
    this.keys += text.length;
    await this.visitor.page.keyboard.type(text);
  }

  async paste(text: string): Promise<void> {
    this.keys++;
    await this.visitor.page.keyboard.insertText(text);
  }

  /** Opens what the search finds first. */
  async search(text: string, how: "type" | "paste"): Promise<void> {
    await this.press("Control+k");
    await this.visitor.page.getByRole("dialog").getByRole("searchbox").waitFor();
    await this[how](text);
    await this.press("Enter");
  }
}

/** Returns what tests a task, and what prints the counts of all of them. */
export function countFlows() {
  const counts = new Map<string, Counted>();
  /** A flow takes no more than it did when it was written. */
  const flow = (
    name: string,
    open: () => Promise<Visitor>,
    most: Counted,
    run: (hand: Hand) => Promise<void>,
  ) => {
    test(name, async () => {
      const hand = new Hand(await open());
      await run(hand);
      const { clicks, keys } = hand;
      counts.set(name, { clicks, keys });
      expect([clicks <= most.clicks, keys <= most.keys]).toEqual([true, true]);
      await hand.visitor.close();
    });
  };
  const print = () => {
    for (const [name, { clicks, keys }] of counts) console.log(`${name}: ${clicks} clicks, ${keys} keys`);
  };
  return { flow, print };
}
