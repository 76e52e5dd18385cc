// The changes of several people of the list at once. Nobody is among them who chooses.
import type { MemberView } from "../../admin/people/members.ts";
import { sendChange } from "../frame/api.ts";
import { namePerson } from "../frame/names.ts";
import { may, session } from "../frame/session.ts";
import type { Choice } from "./chosen-rows.tsx";

export const CHOSEN_PEOPLE: Choice<MemberView> = {
  one: "person",
  many: "people",
  nameOf: namePerson,
  mayChoose: ({ id, anonymised_at }) =>
    anonymised_at === null && id !== session.value?.actor.id && may("members.write"),
  actions: [
    {
      label: "Disable",
      icon: "pause",
      past: "disabled",
      warning: "Their sessions end and their personal keys stop, both at once, until they are enabled again.",
      concerns: ({ disabled }) => !disabled,
      run: ({ id }) => sendChange("PATCH", `/members/${id}`, { disabled: true }),
    },
    {
      label: "Enable",
      icon: "resume",
      past: "enabled",
      warning: "They may sign in again, and the keys that this paused are resumed.",
      concerns: ({ disabled }) => disabled,
      run: ({ id }) => sendChange("PATCH", `/members/${id}`, { disabled: false }),
    },
  ],
};
