// Each server's way with transcripts: the formats with a report of what an answer took, and streams.
import {
  chooseForAnyServer,
  chooseForAzure,
  chooseForGroq,
  chooseForMistral,
  chooseForOpenai,
} from "../dialects/openai/transcript-formats.ts";
import { makeTranscription } from "../dialects/openai/transcription.ts";

export const OPENAI_TRANSCRIPTS = makeTranscription({ streams: true, choose: chooseForOpenai });
export const AZURE_TRANSCRIPTS = makeTranscription({ streams: true, choose: chooseForAzure });
export const MISTRAL_TRANSCRIPTS = makeTranscription({ streams: true, choose: chooseForMistral });
export const PLAIN_TRANSCRIPTS = makeTranscription({ streams: true, choose: chooseForAnyServer });
/** console.groq.com/docs/speech-to-text: transcripts are not streamed. */
export const GROQ_TRANSCRIPTS = makeTranscription({ streams: false, choose: chooseForGroq });
/** docs.vllm.ai, "Transcriptions API": a stream reports its tokens if asked to. */
export const VLLM_TRANSCRIPTS = makeTranscription({
  streams: true,
  streamFields: { stream_include_usage: true },
  choose: chooseForAnyServer,
});
