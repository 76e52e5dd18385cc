// The request for a summary that replaces a conversation.

/** The last message of such a request, in the user's name. */
export const COMPACTION_INSTRUCTION = `Write a summary of this conversation. It will replace the conversation: whoever goes on, perhaps another model, sees nothing else of it but the user's latest messages. Answer with the summary alone, and call no tools.

Keep, each under a heading of its own, and leave out a heading that has nothing under it:
- Task: what the user wants, with every requirement, as exactly as it was said.
- Rules: what the user said about how to work, and what must not be done. Quote it.
- Decisions: what was decided and why, and what was tried and given up, with the reason.
- State: the files, commands and other things that were made, read or changed, with their paths and what is in them now as far as it matters; what works, what fails, and the exact words of errors that are still open.
- Facts: names, identifiers, addresses, numbers, versions and short pieces of code that will be needed again, copied exactly.
- Next: the steps that are left, the one in progress first, and questions that wait for an answer.

Write in the language of the conversation. Earlier summaries in it are part of the conversation: keep what they hold. Leave out greetings, what was settled and is of no further use, and the content of files that can be read again. Never include passwords, keys or tokens.`;
