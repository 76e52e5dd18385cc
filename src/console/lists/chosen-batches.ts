// The changes of several batches of the list at once.
import type { BatchView } from "../../admin/models/batches.ts";
import { sendChange } from "../frame/api.ts";
import { may } from "../frame/session.ts";
import { isCancellable } from "../models/batch-words.tsx";
import type { Choice } from "./chosen-rows.tsx";

export const CHOSEN_BATCHES: Choice<BatchView> = {
  one: "batch",
  many: "batches",
  nameOf: ({ id }) => id,
  mayChoose: (batch) => isCancellable(batch) && may("batches.cancel", batch.account_id),
  actions: [
    {
      label: "Cancel",
      icon: "stop",
      past: "cancelled",
      warning: "No line of them starts any more. What was answered stays, and is charged.",
      concerns: () => true,
      run: ({ id }) => sendChange("POST", `/batches/${id}/cancel`, {}),
    },
  ],
};
