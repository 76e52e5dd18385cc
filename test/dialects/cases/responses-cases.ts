// An item of the Responses API that several tests read.

export const thought = {
  type: "reasoning",
  id: "rs_1",
  summary: [
    { type: "summary_text", text: "Sum" },
    { type: "summary_text", text: "More" },
  ],
  encrypted_content: "sealed==",
};
