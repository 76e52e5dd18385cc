// A receiver of events as YAML.
import { WEBHOOK_FORMS } from "../../core/events/webhook.ts";
import type { Proposal } from "../parts/proposal.tsx";
import { readWords, writeReference } from "../parts/yaml.ts";

const [STANDARD] = WEBHOOK_FORMS;

export const RECEIVER: Proposal = {
  title: "A receiver of events",
  about: "Lists aren't merged: add the entry to those that webhooks has already.",
  fields: [
    {
      name: "url",
      label: "Environment variable with its address",
      placeholder: "SLACK_HOOK",
      hint: "Or the address itself, if it is no secret",
    },
    {
      name: "form",
      label: "Form",
      options: WEBHOOK_FORMS.map((value) => ({ value: value === STANDARD ? "" : value, label: value })),
    },
    {
      name: "secret",
      label: "Environment variable with the secret that signs",
      placeholder: "WEBHOOK_SECRET",
      hint: `Needed in the form ${STANDARD}: whsec_ and at least 24 bytes in base64`,
    },
    { name: "events", label: "Events", placeholder: "budget.* provider.down", hint: "Empty for all" },
  ],
  write: ({ url = "", form = "", secret = "", events = "" }) => {
    const place = url.trim();
    if (place === "") return null;
    const receiver = {
      url: place.includes("://") ? place : writeReference(place),
      form: form || undefined,
      secret: secret.trim() === "" ? undefined : writeReference(secret),
      events: readWords(events),
    };
    return { webhooks: [receiver] };
  },
};
