// A receiver of events as YAML.
import type { ReceiverView } from "../../admin/events/webhooks.ts";
import type { ConfigurationProposal } from "./proposal.tsx";
import { readWords, writeReference } from "./yaml.ts";

/** The first is the default. */
const FORMS: Readonly<Record<ReceiverView["form"], string>> = {
  standard: "Standard Webhooks, signed",
  slack: "Slack",
  discord: "Discord",
  teams: "Microsoft Teams",
};

export const RECEIVER: ConfigurationProposal = {
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
      options: Object.entries(FORMS).map(([form, label], at) => ({ value: at === 0 ? "" : form, label })),
    },
    {
      name: "secret",
      label: "Environment variable with the secret that signs",
      placeholder: "WEBHOOK_SECRET",
      hint: `Only for ${FORMS.standard}: whsec_ and at least 24 bytes in base64`,
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
