// The dialect of Mistral's chat API: OpenAI's, but stricter, with thinking as parts of the content.
import { isArrangeable } from "../_chat/arrange.ts";
import { type Bounds, boundCodec, USUAL_BOUNDS } from "../_chat/bounds.ts";
import { ChatDecoder, parseChatReply } from "../_chat/decode.ts";
import { explainChat } from "../_chat/error.ts";
import { removePrefix } from "../_chat/prefix.ts";
import { readCustomCalls } from "../_chat/tools.ts";
import type { ChatDialect } from "../dialect.ts";
import { CALL_IDS } from "./call-ids.ts";
import { encodeMistral, fitMistral } from "./encode.ts";

/** The API bills the prompt once for n choices. */
const CHOICES_MAX = 16;

const BOUNDS: Bounds = { ...USUAL_BOUNDS, callIds: CALL_IDS };

export const mistral: ChatDialect = {
  name: "mistral",
  chat: boundCodec(
    {
      answersPerCall: () => CHOICES_MAX,
      fit: fitMistral,
      encode: encodeMistral,
      mends: isArrangeable,
      ...removePrefix(
        readCustomCalls({ decoder: () => new ChatDecoder(), reply: (body) => parseChatReply(body) }),
      ),
    },
    () => BOUNDS,
  ),
  explain: explainChat,
};
