// The events of streams that the gateway knows: those that a decoder reads, and those in which there is nothing to read.
import { readSources } from "../tidy/sources.ts";

/** Events that no decoder reads, by the reason. In a stream of the client's own family they all pass as they came. */
const UNREAD: Readonly<Record<string, readonly string[]>> = {
  "it begins or ends what other events say, too": [
    ...[
      "response.created",
      "response.queued",
      "response.in_progress",
      "response.content_part.done",
      "response.content_part.added",
    ],
    ...["response.output_text.done", "response.refusal.done", "response.function_call_arguments.done"],
    ...["response.custom_tool_call_input.done", "response.compaction.compacting"],
    ...["response.reasoning_summary_part.added", "response.reasoning_summary_part.done"],
    ...["response.reasoning_summary_text.done", "response.reasoning_text.done"],
  ],
  "it is about a tool that the provider runs, whose item comes whole": [
    ...["code_interpreter_call.completed", "code_interpreter_call.in_progress"],
    ...["code_interpreter_call.interpreting", "code_interpreter_call_code.delta"],
    ...["code_interpreter_call_code.done", "file_search_call.completed", "file_search_call.in_progress"],
    ...["file_search_call.searching", "image_generation_call.completed", "image_generation_call.generating"],
    ...["image_generation_call.in_progress", "image_generation_call.partial_image", "mcp_call.completed"],
    ...["mcp_call.failed", "mcp_call.in_progress", "mcp_call_arguments.delta", "mcp_call_arguments.done"],
    ...["mcp_list_tools.completed", "mcp_list_tools.failed", "mcp_list_tools.in_progress"],
    ...["shell_call.completed", "shell_call.in_progress", "shell_call_output.done"],
    ...["shell_call_command.added", "shell_call_command.delta", "shell_call_command.done"],
    ...["shell_call_output_content.delta", "shell_call_output_content.done", "web_search_call.completed"],
    ...["web_search_call.in_progress", "web_search_call.searching"],
    ...["apply_patch_call_operation_diff.delta", "apply_patch_call_operation_diff.done"],
  ].map((name) => `response.${name}`),
  "OpenRouter sends it if a request asks it for several models at once, or for its own records": [
    ...["analysis.completed", "analysis.in_progress", "completed", "in_progress", "panel.added"],
    ...["panel.completed", "panel.delta", "panel.failed", "panel.reasoning.delta"],
  ].map((name) => `response.fusion_call.${name}`),
  "a client sends it, or it answers one": [
    ...["response.create", "response.steer", "response.steer.accepted", "response.steer.failed"],
    "response.steer.pending",
  ],
  "it belongs to the realtime API, to agents that the vendor runs, or is the name of an object": [
    ...["audio.delta", "audio.done", "audio.transcript.delta", "audio.transcript.done", "cancel"],
    ...["output_audio.delta", "output_audio.done", "output_audio_transcript.delta", "event"],
    ...["output_audio_transcript.done", "text.delta", "text.done", "done", "compaction", "debug"],
    ...["inject", "input_tokens", "item.create"],
  ].map((name) => `response.${name}`),
  "its decoder reads the field that has the piece": ["signature_delta", "thinking_delta"],
  "it belongs to agents that the vendor runs": ["content_delta", "event_delta"],
  "a summary has no place in another family's answer": ["compaction_delta"],
};

const DECODERS = ["_responses", "_chat", "anthropic"].flatMap((name) => readSources(`src/dialects/${name}`));
const KNOWN: ReadonlySet<string> = new Set([
  ...DECODERS.flatMap(({ text }) => [...text.matchAll(/"([a-z_.]+)"/g)].flatMap(([, name]) => name ?? [])),
  ...Object.values(UNREAD).flat(),
]);

export function isKnownEvent(name: string): boolean {
  return KNOWN.has(name);
}
