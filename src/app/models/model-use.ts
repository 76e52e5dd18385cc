// The use of the models in the last 30 days, by a store that a gateway may be using meanwhile.
import { sumModelUse } from "../../admin/models/price-review.ts";
import type { ModelUse } from "../../catalogue/feeds/use-report.ts";
import { NoStoreError } from "../../store/engine/address.ts";
import { openStore } from "../start/open-store.ts";

/** Returns null if there is no store yet. Throws an Error with a message for the operator if it can't be read. */
export async function readModelUse(address: string, nowMs: number): Promise<readonly ModelUse[] | null> {
  try {
    const { store } = await openStore(address, process.env.POUNDKEY_MASTER_KEY, "find");
    try {
      return await sumModelUse(store, nowMs);
    } finally {
      await store.close();
    }
  } catch (error) {
    if (error instanceof NoStoreError) return null;
    throw error;
  }
}
