// The forms of lists of prices that can be read: our own catalogue file, and those that others publish.

export const FEED_FORMATS = ["poundkey", "litellm", "models.dev", "genai-prices"] as const;
export type FeedFormat = (typeof FEED_FORMATS)[number];
