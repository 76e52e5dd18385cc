// The choices that the controls of fields offer.

export const EXPIRY_OPTIONS = [
  { value: "", label: "Never" },
  { value: "1", label: "In a day" },
  { value: "7", label: "In 7 days" },
  { value: "30", label: "In 30 days" },
  { value: "90", label: "In 90 days" },
  { value: "365", label: "In a year" },
  { value: "date", label: "On a date…" },
];
export const LIMIT_OPTIONS = [
  { value: "default", label: "The gateway's default" },
  { value: "own", label: "Custom" },
  { value: "unlimited", label: "Unlimited" },
];
