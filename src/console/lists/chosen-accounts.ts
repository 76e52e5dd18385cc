// The changes of several accounts of the list at once.
import type { AccountView } from "../../admin/money/accounts.ts";
import { sendChange } from "../frame/api.ts";
import { may } from "../frame/session.ts";
import type { Choice } from "./chosen-rows.tsx";

export const CHOSEN_ACCOUNTS: Choice<AccountView> = {
  one: "account",
  many: "accounts",
  nameOf: ({ name }) => name,
  mayChoose: ({ id, state }) => (state === "open" || state === "paused") && may("accounts.limit", id),
  actions: [
    {
      label: "Pause",
      icon: "pause",
      past: "paused",
      warning: "The requests of all their keys will be refused until they are resumed.",
      concerns: ({ paused }) => !paused,
      run: ({ id }) => sendChange("PATCH", `/accounts/${id}`, { paused: true }),
    },
    {
      label: "Resume",
      icon: "resume",
      past: "resumed",
      warning: "The requests of their keys will be answered again.",
      concerns: ({ paused }) => paused,
      run: ({ id }) => sendChange("PATCH", `/accounts/${id}`, { paused: false }),
    },
  ],
};
